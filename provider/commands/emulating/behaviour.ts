import { dialectSchema, readDialect } from "../../emulator/behaviour/dialect";
import { faultSchema } from "../../emulator/behaviour/fault-schema";
import { deviations, type RemoteEmulator } from "../../emulator/index";
import { UsageError } from "../cli-io";
import { pretty, printed } from "../listing/output";
import { wholeNumber } from "../option-values";
import { type AddCall, type Call, members, outputOption, type Printing } from "./call";

const DIALECT_HELP = `
Other switches get their defaults; the dialect "default" has no switches. docs/reference/emulator.md lists all of them.
The output of --output json is a file for --dialect.

Examples:
  pulumi-packetfilter emulator dialect strict
  pulumi-packetfilter emulator dialect prefixKey=net markPace=table
  pulumi-packetfilter emulator dialect node.json
`;

const FAULT_HELP = `
Without members it lists the faults. docs/reference/emulator.md has all kinds and members.

Examples:
  pulumi-packetfilter emulator fail cmd=commit status=503
  pulumi-packetfilter emulator fail kind=lost-answer op=start times=2
  pulumi-packetfilter emulator fail --clear
`;

export function addBehaviour(add: AddCall): void {
  add<FaultFlags>("fail [member=value...]", "set a fault, or list the faults", fail)
    .option("--clear", "remove all faults first")
    .option("--remove <id>", "remove one fault first", wholeNumber("--remove"))
    .addOption(outputOption())
    .addHelpText("after", FAULT_HELP);
  add<ClockFlags>("clock", "show, freeze or advance its virtual time", clock)
    .option("--freeze [time]", "freeze it, now or at a time such as 2026-12-01T10:00:00Z")
    .option("--advance <duration>", "move it forward, such as 1h")
    .option("--resume", "let it run again")
    .addOption(outputOption());
  add<Printing>(
    "dialect [choice...]",
    "list the switches that differ from the default, or set a dialect: a name, seed:N, a JSON file, or switch=value",
    dialect,
  )
    .addOption(outputOption())
    .addHelpText("after", DIALECT_HELP);
}

interface ClockFlags extends Printing {
  readonly freeze?: string | true;
  readonly advance?: string;
  readonly resume?: boolean;
}

const clock: Call<ClockFlags> = async ({ clock: virtual }, { freeze, advance, resume, output }) => {
  if (freeze === true && resume) {
    throw new UsageError("--freeze and --resume exclude each other: freeze at a time, or leave one of them out.");
  }
  if (freeze !== undefined) await virtual.freeze(freeze === true ? undefined : freeze);
  if (advance !== undefined) await virtual.advance(advance);
  if (resume) await virtual.resume();
  const [now, frozen] = [await virtual.now, await virtual.frozen];
  if (output === "json") return pretty({ now, frozen });
  return `${now.toISOString()}, ${frozen ? "standing still" : "running"}\n`;
};

const dialect: Call<Printing> = async (emulator, { output }, words) => {
  if (words.length > 0) await setDialect(emulator, words);
  const inUse = await emulator.dialect;
  const different = deviations(inUse);
  if (output === "json") return pretty({ dialect: inUse, deviations: different });
  const rows = Object.entries(different).map(([name, setting]) => ({ switch: name, setting: String(setting) }));
  const summary = rows.length === 0 ? "All switches have their defaults." : "All other switches have their defaults.";
  return printed({ columns: ["switch", "setting"], rows, summary }, "table");
};

async function setDialect(emulator: RemoteEmulator, words: readonly string[]): Promise<void> {
  const [first = ""] = words;
  const isNamed = words.length === 1 && !first.includes("=");
  await emulator.setDialect(
    isNamed ? await readDialect(first) : members(dialectSchema, words, "The dialect is not valid"),
  );
}

interface FaultFlags extends Printing {
  readonly clear?: boolean;
  readonly remove?: number;
}

const fail: Call<FaultFlags> = async (emulator, { clear, remove, output }, words) => {
  if (clear) await emulator.clearFaults();
  if (remove !== undefined) await emulator.removeFault(remove);
  if (words.length > 0) await emulator.fail(members(faultSchema, words, "The fault is not valid"));
  const faults = await emulator.faults;
  if (output === "json") return pretty(faults);
  const rows = faults.map(({ id, fault: { kind, ...parameters }, seen, hits, spent }) => ({
    id,
    kind,
    fault: Object.entries(parameters)
      .filter(([name]) => name !== "seed" || parameters.rate !== undefined)
      .map(([name, value]) => `${name}=${value}`)
      .join(" "),
    seen,
    hits,
    spent: String(spent),
  }));
  const summary = rows.length === 1 ? "1 fault" : `${rows.length} faults`;
  return printed({ columns: ["id", "kind", "fault", "seen", "hits", "spent"], rows, summary }, "table");
};
