import { type Command, Option } from "commander";
import { deviations, readDialect } from "../emulator/behaviour/dialect";
import { startEmulator } from "../emulator/index";
import type { EmulatorInfo } from "../emulator/info";
import type { JournalEntry } from "../emulator/journal/entry";
import { type EmulatorOptions, isLoopback, type NodeAuth } from "../emulator/options";
import { defaultState } from "../emulator/state/default-state";
import { readStates } from "../emulator/state/state-file";
import { openOwn } from "../files/no-links";
import { PRIVATE_FILE } from "../files/private";
import { type CliIo, UsageError } from "./cli-io";
import { addBehaviour } from "./emulating/behaviour";
import { callsOf } from "./emulating/call";
import { addContents } from "./emulating/contents";
import { addJournal } from "./emulating/journal";
import { addTraffic } from "./emulating/traffic";
import { addBackground, startInBackground } from "./emulator-background";
import { stopped } from "./interruption";
import { parents, parentsEnded } from "./npx-parents";
import { wholeNumber, wrongUse } from "./option-values";

/** Options with which the emulator starts, and those of the command itself. */
interface Flags extends Omit<EmulatorOptions, "state" | "dialect" | "tls"> {
  readonly host: string;
  readonly state?: string;
  readonly dialect?: string;
  readonly journal?: string;
  readonly journalRequests?: number;
  readonly markCapacity?: number;
  readonly tls?: string | boolean;
  readonly json?: boolean;
  readonly background?: boolean;
  readonly pidFile?: string;
}

/** Adds `emulator` to the command line. */
export function register(program: Command, io: CliIo): void {
  const command = program
    .command("emulator")
    .description("run an emulator of a node and a signaling receiver until it is told to stop")
    .option("--port <number>", "port of node API and signaling; 0 takes a free one", wholeNumber("--port"), 0)
    .option("--control-port <number>", "port of the control API; 0 takes a free one", wholeNumber("--control-port"), 0)
    .option(
      "--control-token <token>",
      "token of the control API; also PACKETFILTER_EMULATOR_TOKEN; off loopback a random one",
    )
    .option("--host <address>", "address to listen on; off loopback the control API needs a token", "127.0.0.1")
    .option("--state <path>", "what the node holds: a JSON or YAML file, or a folder of such files, which are joined")
    .option("--persist <file>", "keep what the node holds in this file between runs; it goes before --state")
    .option(
      "--dialect <name>",
      "how open points of the contract are settled: a name, seed:N, or a JSON file of switches",
    )
    .option("--seed <number>", "seed of everything that is drawn by chance", wholeNumber("--seed"))
    .option(
      "--latency <duration>",
      "real time before each request takes effect, such as 10ms, or drawn by seed: 5ms..40ms",
    )
    .option("--commit-latency <duration>", "real time before a commit takes effect, such as 1s or 1s..3s")
    .option("--bandwidth <rate>", "bytes a second that each connection carries, such as 10MB/s or 100Mbit/s")
    .option("--proxy <url>", "base address of a real node, to which requests of the node API are passed on")
    .option(
      "--proxy-signaling <url>",
      "base address of a real receiver, to which requests of the signaling API are passed on",
    )
    .option(
      "--record <file>",
      "keep the answers to what is passed on, secrets cut out, in a file that does not exist yet",
    )
    .option("--replay <file>", "answer from a file that --record wrote, without the node")
    .addOption(
      new Option(
        "--unseen <choice>",
        "with --replay, what was never recorded: refuse it (the default), or emulate it by the emulator's own rules",
      ).choices(["refuse", "emulate"]),
    )
    .option("--auth <kind>", "what callers of the node API must send: bearer:TOKEN or basic:USER:PASSWORD", readAuth)
    .option(
      "--tls [mutual]",
      "serve https with a certificate made for this run, which --json prints; mutual: clients need one",
    )
    .option("--run-pause <duration>", "real time without a request after which another run begins", "5s")
    .option(
      "--journal-requests <number>",
      "how many requests the journal keeps, 20000 by default",
      wholeNumber("--journal-requests"),
    )
    .option(
      "--mark-capacity <number>",
      "how many records a table of marks holds, 1048576 by default",
      wholeNumber("--mark-capacity"),
    )
    .option("--journal <file>", "write each request as a line of JSON, secrets cut out")
    .option("--json", "print the ready line as JSON")
    .option("--advertise <url>", "base address by which clients reach it, where that is another: behind mapped ports")
    .option("--background", "return once it serves, and let it run until emulator stop")
    .option("--pid-file <file>", "with --background: keep its process and its control address in this file")
    .action((flags: Flags) => (flags.background ? startInBackground(flags, io).then(io.out) : run(flags, io)));
  // A command for each theme of the table of operations, which `test/commands/emulator-operations.test.ts` compares with it.
  for (const addTheme of [addContents, addBehaviour, addJournal, addTraffic]) addTheme(callsOf(command, io));
  addBackground(command, io);
}

async function run(flags: Flags, io: CliIo): Promise<void> {
  const start = parents();
  const journal =
    flags.journal === undefined
      ? undefined
      : (await openOwn(flags.journal, "append", PRIVATE_FILE)).createWriteStream();
  const journalFailed = new Promise<never>((_, reject) => journal?.once("error", reject));
  const onRequest = journal && ((entry: JournalEntry) => void journal.write(`${JSON.stringify(entry)}\n`));
  await using emulator = await wrongUse(TypeError, async () =>
    startEmulator({ ...(await optionsOf(flags, io)), onRequest }),
  );
  io.out(flags.json ? `${JSON.stringify(emulator.info())}\n` : readyLine(flags, emulator.info(), emulator.seedNumber));
  if (!isLoopback(flags.host)) io.err(`${exposed(flags.host)}\n`);
  const settings = deviations(emulator.dialect);
  if (flags.dialect !== undefined) io.err(`dialect ${flags.dialect}: ${JSON.stringify(settings)}\n`);
  await Promise.race([stopped(io.stop), emulator.closed, parentsEnded(io, start), journalFailed]);
  await new Promise<void>((resolve) => (journal ? journal.end(resolve) : resolve()));
}

async function optionsOf(flags: Flags, io: CliIo): Promise<EmulatorOptions> {
  const { state, dialect, tls, journalRequests, markCapacity, ...others } = flags;
  const { journal: _, json: __, background: ___, pidFile: ____, ...options } = others;
  return {
    ...options,
    ...(journalRequests !== undefined && { journalLimits: { requests: journalRequests } }),
    ...(markCapacity !== undefined && { marks: { capacity: markCapacity } }),
    controlToken: flags.controlToken ?? (io.env.PACKETFILTER_EMULATOR_TOKEN || undefined),
    state: stateOf(state, io),
    dialect: dialect === undefined ? undefined : await readDialect(dialect),
    tls: readTls(tls),
  };
}

/** Reads the state once the ports are taken. */
function stateOf(path: string | undefined, { err }: CliIo): EmulatorOptions["state"] {
  if (path === undefined) return undefined;
  return async () => {
    const state = await readStates(path);
    if (state === undefined) err(`${path} has no state in JSON or YAML: the emulator has its default state.\n`);
    return state ?? defaultState;
  };
}

function readyLine(flags: Flags, info: EmulatorInfo, seed: number): string {
  const clients = info.clients.map(({ clientId, secretKey }) => `${clientId}/${secretKey}`).join(", ");
  const token = info.controlToken === undefined ? "" : ` (token ${info.controlToken})`;
  const told = {
    dialect: flags.dialect,
    "answers of the node from": info.proxy,
    "answers of the receiver from": info.proxySignaling,
    "recorded in": info.record,
    "replayed from": info.replay,
    "kept in": info.persist,
  };
  const more = Object.entries(told).flatMap(([name, value]) => (value === undefined ? [] : [`, ${name} ${value}`]));
  return `emulator ready: node API ${info.endpoint}/fapi, signaling ${info.signalingUrl} (${clients}), test deployment ${info.testSignalingUrl}, control ${info.control}${token}, seed ${seed}${more.join("")}\n`;
}

/** The warning for an emulator that others can reach. */
function exposed(host: string): string {
  const where = host === "0.0.0.0" || host === "::" ? "all addresses of this machine" : host;
  return `warning: the emulator listens on ${where}. Every client that reaches it can call the node API and read the signaling secrets of its state with the control token. Use it in containers and closed networks only.`;
}

function readAuth(text: string): NodeAuth {
  const [, bearer, user, password] = /^(?:bearer:(.+)|basic:([^:]+):(.+))$/s.exec(text) ?? [];
  if (bearer !== undefined) return { bearer };
  if (user !== undefined && password !== undefined) return { basic: { user, password } };
  throw new UsageError("--auth is written bearer:TOKEN or basic:USER:PASSWORD.");
}

function readTls(flag: string | boolean | undefined): boolean | "mutual" {
  if (flag === undefined || typeof flag === "boolean") return flag ?? false;
  if (flag === "mutual") return flag;
  throw new UsageError(`--tls stands alone or before "mutual", not ${JSON.stringify(flag)}.`);
}
