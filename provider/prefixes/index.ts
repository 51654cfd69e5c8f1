/**
 * Reads files of prefixes, and computes with sets of prefixes: `pulumi-packetfilter/prefixes`, without Pulumi.
 *
 * @packageDocumentation
 */

export { aggregatePrefixes } from "./algebra/aggregate";
export { type AddressCount, countAddresses } from "./algebra/count";
export { type CutEntries, type ExcludeOptions, excludePrefixes, intersectPrefixes } from "./algebra/cut";
export { mergeEntries } from "./algebra/merge";
export type { EntriesLike, PrefixEntries, PrefixEntry } from "./entries";
export type { DuplicateRule, PrefixColumns, PrefixFileFormat, PrefixFileOptions } from "./options";
export { PrefixFileError, type PrefixFileProblem } from "./problems";
export { parsePrefixes, readPrefixFile } from "./read";
