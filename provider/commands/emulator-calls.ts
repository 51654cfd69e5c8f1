import { type Command, Option } from "commander";
import { connectEmulator, describeEntry, describeRun, faultSchema, type RemoteEmulator } from "../emulator/index";
import type { JournalFilter } from "../emulator/journal/filter";
import type { JournalRange } from "../emulator/journal/journal";
import { readStateFile, toYaml } from "../emulator/state/state-file";
import { fromTexts, strictly } from "../emulator/validation/strict";
import { type CliIo, UsageError } from "./cli-io";
import { type Output, printed } from "./listing/output";
import { wrongUse } from "./wrong-use";

interface Flags {
  readonly at?: string;
  readonly token?: string;
}

/** A command that calls an emulator: it returns what is printed. */
type Call<More> = (emulator: RemoteEmulator, flags: Flags & More, args: readonly string[]) => Promise<string>;

const FORMS = ["table", "json"] as const;
const outputOption = () => new Option("--output <form>", "form of what is printed").choices(FORMS).default("table");

/** Adds what one says to an emulator that runs: `emulator reset`, `fail`, `snapshot`, `journal`, `state`. */
export function addEmulatorCalls(emulator: Command, io: CliIo): void {
  const add = <More>(usage: string, about: string, call: Call<More>): Command => {
    const command = emulator
      .command(usage)
      .description(about)
      .option("--at <url>", "address of its control API; also PACKETFILTER_EMULATOR_CONTROL")
      .option("--token <token>", "token of its control API; also PACKETFILTER_EMULATOR_TOKEN");
    return command.action(async () => {
      const flags = command.opts<Flags & More>();
      io.out(await wrongUse(TypeError, async () => call(await connect(flags, io), flags, command.args)));
    });
  };
  add("reset", "a running emulator: back to its start, with an empty journal and no faults", async (it) => {
    await it.reset();
    return "The emulator is as it was at its start.\n";
  });
  add<FailFlags>("fail [member=value...]", "a running emulator: let something go wrong, or show what will", fail)
    .option("--clear", "take all faults back first")
    .addOption(outputOption())
    .addHelpText("after", FAULT_HELP);
  add<SnapshotFlags>(
    "snapshot [name]",
    "a running emulator: keep what it holds under a name, or show the names",
    snapshot,
  )
    .option("--restore", "put back what was kept under the name")
    .option("--delete", "forget what was kept under the name");
  add<JournalFlags>("journal", "a running emulator: what it was asked and answered, secrets cut out", journal)
    .option("--limit <number>", "only so many requests, the newest", wholeNumber("--limit"))
    .option("--since <index>", "only requests from this index on", wholeNumber("--since"))
    .option("--cmd <command>", "only list, insert, delete or commit")
    .option("--op <operation>", "only status, start or stop")
    .option("--url <url>", "only this resource")
    .option("--client <id>", "only this signaling client")
    .option("--status <number>", "only answers with this status", wholeNumber("--status"))
    .option("--run <run>", "only requests of this run: its number or label")
    .option("--contains <prefix>", "only requests of which a data item has or covers this prefix or address")
    .option("--runs", "the runs instead of the requests")
    .option("--har", "the whole journal as an HTTP archive, for the network view of a browser")
    .option("--clear", "empty the journal afterwards")
    .addOption(outputOption());
  add<StateFlags>(
    "state [file]",
    "a running emulator: print what it holds, or let it hold what a file says",
    state,
  ).addOption(new Option("--output <form>", "form of what is printed").choices(["yaml", "json"]).default("yaml"));
}

const FAULT_HELP = `
Without members: the faults that were set. docs/emulator-reference.md has all kinds and members.

Examples:
  pulumi-packetfilter emulator fail cmd=commit status=503
  pulumi-packetfilter emulator fail kind=lost-answer op=start times=2
  pulumi-packetfilter emulator fail --clear
`;

interface FailFlags {
  readonly clear?: boolean;
  readonly output: Output;
}

const fail: Call<FailFlags> = async (emulator, { clear, output }, members) => {
  if (clear) await emulator.clearFaults();
  if (members.length > 0) await emulator.fail(strictly(faultSchema, readFault(members), "The fault is not valid"));
  const faults = await emulator.faults;
  if (output === "json") return pretty(faults);
  const rows = faults.map(({ id, fault: { kind, ...told }, seen, hits, spent }) => ({
    id,
    kind,
    fault: Object.entries(told)
      .filter(([name]) => name !== "seed" || told.rate !== undefined)
      .map(([name, value]) => `${name}=${value}`)
      .join(" "),
    seen,
    hits,
    spent: String(spent),
  }));
  const summary = rows.length === 1 ? "1 fault" : `${rows.length} faults`;
  return printed({ columns: ["id", "kind", "fault", "seen", "hits", "spent"], rows, summary }, "table");
};

/** `cmd=commit status=503` as a fault. */
function readFault(members: readonly string[]): Record<string, unknown> {
  const texts = members.map((member) => {
    const [, name = "", value = ""] = /^(\w+)=(.*)$/s.exec(member) ?? [];
    if (name === "") throw new UsageError(`${JSON.stringify(member)} is written member=value, such as cmd=commit.`);
    return [name, value] as const;
  });
  return fromTexts(faultSchema, Object.fromEntries(texts));
}

interface SnapshotFlags {
  readonly restore?: boolean;
  readonly delete?: boolean;
}

const snapshot: Call<SnapshotFlags> = async (emulator, { restore, delete: forget }, [name]) => {
  if (restore && forget) throw new UsageError("--restore and --delete exclude each other.");
  if (name === undefined) {
    if (restore || forget)
      throw new UsageError(`Say which snapshot: emulator snapshot NAME ${restore ? "--restore" : "--delete"}.`);
    return (await emulator.snapshots).map((each) => `${each}\n`).join("");
  }
  if (restore) await emulator.restore(name);
  else if (forget) await emulator.deleteSnapshot(name);
  else await emulator.snapshot(name);
  return `Snapshot ${name}: ${restore ? "put back" : forget ? "forgotten" : "taken"}.\n`;
};

type JournalFlags = JournalFilter &
  JournalRange & {
    readonly runs?: boolean;
    readonly har?: boolean;
    readonly clear?: boolean;
    readonly output: Output;
  };

const journal: Call<JournalFlags> = async (emulator, flags) => {
  const { runs, har, clear, output } = flags;
  if (runs && har) throw new UsageError("--runs and --har exclude each other.");
  const text = har ? pretty(await emulator.har()) : await (runs ? runsText : requestsText)(emulator, flags, output);
  if (clear) await emulator.clearJournal();
  return text;
};

async function runsText(emulator: RemoteEmulator, _: JournalFlags, output: Output): Promise<string> {
  const runs = await emulator.runs;
  return output === "json" ? pretty(runs) : runs.map((run) => `${describeRun(run)}\n`).join("");
}

async function requestsText(emulator: RemoteEmulator, flags: JournalFlags, output: Output): Promise<string> {
  const { cmd, op, url, client, status, run, contains, since, limit } = flags;
  const entries = await emulator.requests({ cmd, op, url, client, status, run, contains }, { since, limit });
  if (output === "json") return pretty(entries);
  return entries.map((entry) => `#${entry.index} ${describeEntry(entry)}\n`).join("");
}

interface StateFlags {
  readonly output: "yaml" | "json";
}

const state: Call<StateFlags> = async (emulator, { output }, [file]) => {
  if (file === undefined) {
    const contents = await emulator.state();
    return output === "json" ? pretty(contents) : await toYaml(contents);
  }
  await emulator.seed(await readStateFile(file));
  return `The emulator holds what ${file} says.\n`;
};

const pretty = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

async function connect({ at, token }: Flags, { env }: CliIo): Promise<RemoteEmulator> {
  const address = at ?? env.PACKETFILTER_EMULATOR_CONTROL;
  if (!address) {
    throw new UsageError(
      "Say which emulator: --at URL or PACKETFILTER_EMULATOR_CONTROL, the control address in its ready line.",
    );
  }
  return connectEmulator(address, { token: token ?? (env.PACKETFILTER_EMULATOR_TOKEN || undefined) });
}

function wholeNumber(flag: string): (text: string) => number {
  return (text) => {
    if (/^\d{1,15}$/.test(text)) return Number(text);
    throw new UsageError(`${flag} must be a whole number, it is ${JSON.stringify(text)}.`);
  };
}
