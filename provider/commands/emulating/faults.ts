import { faultSchema } from "../../emulator/index";
import { pretty, printed } from "../listing/output";
import { wholeNumber } from "../option-values";
import { type AddCall, type Call, members, outputOption, type Printing } from "./call";

const HELP = `
Without members: the faults that were set. docs/emulator-reference.md has all kinds and members.

Examples:
  pulumi-packetfilter emulator fail cmd=commit status=503
  pulumi-packetfilter emulator fail kind=lost-answer op=start times=2
  pulumi-packetfilter emulator fail --clear
`;

/** Adds `emulator fail`. */
export function addFaults(add: AddCall): void {
  add<Flags>("fail [member=value...]", "let something go wrong, or show what will", fail)
    .option("--clear", "take all faults back first")
    .option("--remove <id>", "take one fault back first", wholeNumber("--remove"))
    .addOption(outputOption())
    .addHelpText("after", HELP);
}

interface Flags extends Printing {
  readonly clear?: boolean;
  readonly remove?: number;
}

const fail: Call<Flags> = async (emulator, { clear, remove, output }, words) => {
  if (clear) await emulator.clearFaults();
  if (remove !== undefined) await emulator.removeFault(remove);
  if (words.length > 0) await emulator.fail(members(faultSchema, words, "The fault is not valid"));
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
