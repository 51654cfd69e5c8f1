import { type Command, Option } from "commander";
import { deviations, readDialect } from "../emulator/behaviour/dialect";
import { startEmulator } from "../emulator/index";
import type { EmulatorInfo } from "../emulator/info";
import type { JournalEntry } from "../emulator/journal/entry";
import { type EmulatorOptions, isLoopback, type NodeAuth } from "../emulator/options";
import { defaultState } from "../emulator/state/default-state";
import { readStates } from "../emulator/state/state-file";
import { type CliIo, UsageError } from "./cli-io";
import { addBehaviour } from "./emulating/behaviour";
import { callsOf } from "./emulating/call";
import { addContents } from "./emulating/contents";
import { addJournal } from "./emulating/journal";
import { JournalFile } from "./emulating/journal-file";
import { addTraffic } from "./emulating/traffic";
import { addBackground, startInBackground } from "./emulator-background";
import { namedFile } from "./failure";
import { stopped } from "./interruption";
import { parents, parentsEnded } from "./npx-parents";
import { requireOwner, wholeNumber, wrongUse } from "./option-values";

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

export function register(program: Command, io: CliIo): void {
  const command = program
    .command("emulator")
    .option("--port <number>", "port of node API and signaling; 0 takes a free one", wholeNumber("--port"), 0)
    .option("--control-port <number>", "port of the control API; 0 takes a free one", wholeNumber("--control-port"), 0)
    .option(
      "--control-token <token>",
      "token of the control API; also PACKETFILTER_EMULATOR_TOKEN; default: none on loopback, else a random one",
    )
    .option("--host <address>", "address to listen on; beyond loopback the control API needs a token", "127.0.0.1")
    .option("--state <path>", "content of the node: a JSON or YAML file, or a folder of such files, which are merged")
    .option(
      "--persist <file>",
      "keep the content of the node in this file between runs; it takes precedence over --state",
    )
    .option(
      "--dialect <name>",
      "choices at the open points of the contract: a name, seed:N, or a JSON file of switches",
    )
    .option("--seed <number>", "seed of all random choices", wholeNumber("--seed"))
    .option(
      "--latency <duration>",
      "real time before each request takes effect, such as 10ms, or drawn by seed: 5ms..40ms",
    )
    .option("--commit-latency <duration>", "real time before a commit takes effect, such as 1s or 1s..3s")
    .option("--bandwidth <rate>", "bytes a second that each connection carries, such as 10MB/s or 100Mbit/s")
    .option("--proxy <url>", "base address of a real node that answers the requests of the node API")
    .option("--proxy-signaling <url>", "base address of a real receiver that answers the requests of the signaling API")
    .option("--record <file>", "record these answers, without secrets, in a new file")
    .option("--replay <file>", "answer from a file that --record wrote, without the node")
    .addOption(
      new Option(
        "--unseen <choice>",
        "with --replay, requests that were not recorded: refuse them (default), or answer by the emulator's own rules",
      ).choices(["refuse", "emulate"]),
    )
    .option("--auth <kind>", "credentials that the node API requires: bearer:TOKEN or basic:USER:PASSWORD", readAuth)
    .option(
      "--tls [mutual]",
      "serve https with a certificate made for this run, which --json prints; mutual: clients need one",
    )
    .option("--run-pause <duration>", "real time without a request after which another run begins", "5s")
    .option("--journal-requests <number>", "requests in the journal; default: 20000", wholeNumber("--journal-requests"))
    .option(
      "--mark-capacity <number>",
      "records of a profile's table of marks, for IPv4 and IPv6 each; default: 1048576",
      wholeNumber("--mark-capacity"),
    )
    .option("--journal <file>", "write each request as a line of JSON, without secrets; at 128 MiB it becomes FILE.1")
    .option("--json", "print the ready line as JSON")
    .option("--advertise <url>", "base address for clients, if they need another one, for example with mapped ports")
    .option("--background", "return once it is ready; emulator stop ends it")
    .option("--pid-file <file>", "with --background: write process id and control address to this file")
    .action((flags: Flags) => {
      requireOwner(command, ["--pid-file"], "--background", flags.background);
      return flags.background ? startInBackground(flags, io).then(io.out) : run(flags, io);
    });
  for (const addTheme of [addContents, addBehaviour, addJournal, addTraffic]) addTheme(callsOf(command, io));
  addBackground(command, io);
}

async function run(flags: Flags, io: CliIo): Promise<void> {
  const start = parents();
  const { journal: file } = flags;
  const journal = file === undefined ? undefined : await namedFile(file, () => JournalFile.open(file));
  const onRequest = journal && ((entry: JournalEntry) => journal.add(`${JSON.stringify(entry)}\n`));
  await using emulator = await wrongUse(TypeError, async () =>
    startEmulator({ ...(await optionsOf(flags, io)), onRequest }),
  );
  io.out(flags.json ? `${JSON.stringify(emulator.info())}\n` : readyLine(flags, emulator.info(), emulator.seedNumber));
  if (!isLoopback(flags.host)) io.err(`${exposed(flags.host)}\n`);
  const settings = deviations(emulator.dialect);
  if (flags.dialect !== undefined) io.err(`dialect ${flags.dialect}: ${JSON.stringify(settings)}\n`);
  const ends = [stopped(io.stop), emulator.closed, parentsEnded(io, start)];
  await Promise.race([...ends, ...(journal ? [journal.failed] : [])]);
  await journal?.end();
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

/** Reads the state after the ports were opened. */
function stateOf(path: string | undefined, { err }: CliIo): EmulatorOptions["state"] {
  if (path === undefined) return undefined;
  return async () => {
    const state = await namedFile(path, () => readStates(path));
    if (state === undefined) err(`${path} has no state in JSON or YAML: the emulator has its default state.\n`);
    return state ?? defaultState;
  };
}

function readyLine(flags: Flags, info: EmulatorInfo, seed: number): string {
  const clients = info.clients.map(({ clientId, secretKey }) => `${clientId}/${secretKey}`).join(", ");
  const token = info.controlToken === undefined ? "" : ` (token ${info.controlToken})`;
  const parts = {
    dialect: flags.dialect,
    "answers of the node from": info.proxy,
    "answers of the receiver from": info.proxySignaling,
    "recorded in": info.record,
    "replayed from": info.replay,
    "kept in": info.persist,
  };
  const more = Object.entries(parts).flatMap(([name, value]) => (value === undefined ? [] : [`, ${name} ${value}`]));
  return `emulator ready: node API ${info.endpoint}/fapi, signaling ${info.signalingUrl} (${clients}), test deployment ${info.testSignalingUrl}, control ${info.control}${token}, seed ${seed}${more.join("")}\n`;
}

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
