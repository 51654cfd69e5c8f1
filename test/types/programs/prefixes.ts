// Prefix files and set algebra, right and wrong. The compiler is the test.
import { Prefix } from "../../../provider/client";
import {
  type AddressCount,
  aggregatePrefixes,
  type CutEntries,
  countAddresses,
  type DuplicateRule,
  type EntriesLike,
  type ExcludeOptions,
  excludePrefixes,
  mergeEntries,
  type PrefixColumns,
  type PrefixEntries,
  type PrefixEntry,
  PrefixFileError,
  type PrefixFileFormat,
  type PrefixFileOptions,
  type PrefixFileProblem,
  parsePrefixes,
  readPrefixFile,
} from "../../../provider/prefixes";

export const columns: PrefixColumns = { prefix: "cidr", value: 2 };
// @ts-expect-error a column is a name or a number
export const noColumns: PrefixColumns = { prefixLength: true };
export const format: PrefixFileFormat = "ndjson";
// @ts-expect-error there is no such format
export const noFormat: PrefixFileFormat = "xml";
export const rule: DuplicateRule = "max";
// @ts-expect-error one of four words
export const noRule: DuplicateRule = "min";
export const options: PrefixFileOptions = { format, columns, onDuplicate: rule, select: { region: ["eu", "us"] } };
// @ts-expect-error a misspelt option
export const noOptions: PrefixFileOptions = { column: columns };

const read: PrefixEntries = readPrefixFile("blocks.yaml", options);
export const entry: PrefixEntry | undefined = read["192.0.2.0/24"];
// @ts-expect-error an entry does not change
if (entry) entry.value = 2;
// @ts-expect-error entries have a value
export const noEntries: PrefixEntries = { "192.0.2.0/24": { reason: "SYN flood" } };

const one = Prefix.parse("192.0.2.0/24");
export const lists: EntriesLike[] = [read, [one, "192.0.2.7"], { "192.0.2.7": 1 }, new Map([[one, 1]]), [[one, 2]]];
// @ts-expect-error a text is no list
lists.push("192.0.2.7");
// @ts-expect-error a note is a text
lists.push([{ prefix: one, ticket: 4711 }]);
export const merged: PrefixEntries = mergeEntries(read, parsePrefixes("192.0.2.7"), [one]);
// @ts-expect-error a file is read by its name
parsePrefixes(one);
export const fewer: PrefixEntries = aggregatePrefixes(merged);
export const cut: ExcludeOptions = {};
// @ts-expect-error a misspelt option
export const noCut: ExcludeOptions = { minimum: 24 };
export const left: CutEntries = excludePrefixes(merged, ["192.0.2.7"]);
// @ts-expect-error what is left out is a list
excludePrefixes(merged, 7);
export const count: AddressCount = countAddresses(left);
// @ts-expect-error there are more than a number counts
export const noCount: number = countAddresses(left);

export function problems(error: unknown): readonly PrefixFileProblem[] {
  if (!(error instanceof PrefixFileError)) throw error;
  // @ts-expect-error a problem has no code
  error.problems[0].code;
  return error.problems;
}
