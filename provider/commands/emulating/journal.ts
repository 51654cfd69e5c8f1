import { journalFilter, journalRange } from "../../emulator/control/arguments";
import { describeEntry, describeRun, type JournalEntry, type RemoteEmulator } from "../../emulator/index";
import type { JournalFilter } from "../../emulator/journal/entry";
import type { JournalRange } from "../../emulator/journal/journal";
import { UsageError } from "../cli-io";
import { pretty } from "../listing/output";
import { wholeNumber } from "../option-values";
import { type AddCall, type Call, members, optionsOf, outputOption, type Printing } from "./call";

const EXPECT_HELP = `
Without a number it expects one request or more. "then" separates requests that are expected one after the other. If requests
are missing or too many, the command names the nearest ones, and the exit code is 1.

Examples:
  pulumi-packetfilter emulator expect cmd=commit url=prefixset://edge/blocked --count 1
  pulumi-packetfilter emulator expect run=nightly contains=203.0.113.9 --min 1
  pulumi-packetfilter emulator expect cmd=insert then cmd=delete then cmd=commit status=200
  pulumi-packetfilter emulator expect op=start status=200 --within 5s
  pulumi-packetfilter emulator expect --faults-met
`;

/** Members that choose requests, each an option of `journal`. */
const CHOICE = { ...journalRange.shape, ...journalFilter.shape };

export function addJournal(add: AddCall): void {
  const journalCommand = add<JournalFlags>("journal", "print its requests and answers, without secrets", journal);
  optionsOf(journalCommand, CHOICE)
    .option("--runs", "print the runs instead of the requests")
    .option("--har", "print the whole journal as an HTTP archive, for the network view of a browser")
    .option("--clear", "empty the journal afterwards")
    .option("--begin-run [label]", "begin another run afterwards")
    .addOption(outputOption());
  add<ExpectFlags>("expect [member=value...]", "print the matching requests, and fail if there are none", expect)
    .option("--count <number>", "exact number of requests", wholeNumber("--count"))
    .option("--min <number>", "least number of requests", wholeNumber("--min"))
    .option("--max <number>", "greatest number of requests", wholeNumber("--max"))
    .option("--within <duration>", "wait at most this long for a request, such as 5s, unless there is one already")
    .option("--since <index>", "with --within: only a request from this index on", wholeNumber("--since"))
    .option("--faults-met", "also expect that every fault has taken effect")
    .addOption(outputOption())
    .addHelpText("after", EXPECT_HELP);
}

interface JournalFlags extends JournalFilter, JournalRange, Printing {
  readonly runs?: boolean;
  readonly har?: boolean;
  readonly clear?: boolean;
  readonly beginRun?: string | true;
}

const journal: Call<JournalFlags> = async (emulator, flags, _, io) => {
  const { runs, har, clear, beginRun, output } = flags;
  if (runs && har) throw new UsageError("--runs and --har exclude each other.");
  const chosen = Object.keys(CHOICE).find((name) => name in flags);
  if ((runs || har) && chosen !== undefined)
    throw new UsageError(
      `--${chosen} chooses requests, and ${runs ? "--runs" : "--har"} prints all: leave one of them out.`,
    );
  const text = har ? pretty(await emulator.har()) : await (runs ? runsText(emulator, output) : found(emulator, flags));
  if (text === "") {
    const isEmpty = (await emulator.requests({}, { limit: 1 })).length === 0;
    io.err(isEmpty ? "The journal is empty.\n" : "No request of the journal matches.\n");
  }
  if (clear) await emulator.clearJournal();
  if (beginRun !== undefined) await emulator.beginRun(beginRun === true ? undefined : beginRun);
  return text;
};

async function runsText(emulator: RemoteEmulator, output: Printing["output"]): Promise<string> {
  const runs = await emulator.runs;
  return output === "json" ? pretty(runs) : runs.map((run) => `${describeRun(run)}\n`).join("");
}

async function found(emulator: RemoteEmulator, flags: JournalFlags): Promise<string> {
  const { cmd, op, api, url, client, type, status, run, contains, since, limit, output } = flags;
  const filter = { cmd, op, api, url, client, type, status, run, contains };
  return entriesText(await emulator.requests(filter, { since, limit }), output);
}

interface ExpectFlags extends Printing {
  readonly count?: number;
  readonly min?: number;
  readonly max?: number;
  readonly within?: string;
  readonly since?: number;
  readonly faultsMet?: boolean;
}

const expect: Call<ExpectFlags> = async (emulator, flags, words) => {
  const entries = await expected(emulator, flags, steps(words));
  if (flags.faultsMet) await emulator.expectAllFaultsMet();
  return entriesText(entries, flags.output);
};

async function expected(
  emulator: RemoteEmulator,
  { count, min, max, within, since, faultsMet }: ExpectFlags,
  filters: readonly JournalFilter[],
): Promise<readonly JournalEntry[]> {
  const numbers = { exactly: count, min, max };
  const isCounted = Object.values(numbers).some((it) => it !== undefined);
  if ([isCounted, within !== undefined, filters.length > 1].filter(Boolean).length > 1) {
    throw new UsageError('A number of requests, --within and "then" exclude each other.');
  }
  if (since !== undefined && within === undefined) throw new UsageError("--since goes with --within.");
  const [filter = {}] = filters;
  if (filters.length > 1) return emulator.expectOrder(filters);
  if (within !== undefined) return [await emulator.waitForRequest(filter, { within, since })];
  if (isCounted) return emulator.expectRequests(filter, numbers);
  if (filters.length === 1) return emulator.expectRequests(filter, { min: 1 });
  if (faultsMet) return [];
  throw new UsageError("Give the expected requests, such as cmd=commit, a number of requests, or --faults-met.");
}

/** The filters that `then` separates. */
function steps(words: readonly string[]): JournalFilter[] {
  if (words.length === 0) return [];
  const groups: string[][] = [[]];
  for (const word of words) {
    if (word === "then") groups.push([]);
    else groups.at(-1)?.push(word);
  }
  if (groups.some((group) => group.length === 0)) throw new UsageError('"then" stands between two requests.');
  const remedy = ', or write "then" between two requests that come one after the other';
  return groups.map((group) => members(journalFilter, group, "The request is not valid", remedy));
}

function entriesText(entries: readonly JournalEntry[], output: Printing["output"]): string {
  if (output === "json") return pretty(entries);
  return entries.map((entry) => `#${entry.index} ${describeEntry(entry)}\n`).join("");
}
