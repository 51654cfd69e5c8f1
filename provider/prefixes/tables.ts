import { extname } from "node:path";
import { aggregateTable } from "./algebra/aggregate";
import { excludeFrom } from "./algebra/cut";
import { PrefixTable, TableBuilder } from "./algebra/table";
import { endOf, type PrefixEntries, type PrefixEntry } from "./entries";
import { parseOptions } from "./options";
import { Problems } from "./problems";
import { readSource } from "./read-source";
import { textSource, withFile } from "./source";
import { TableCollector } from "./table-collector";

/** A file to read: its path, or its text, and its name in errors. */
export interface TableInput {
  readonly name: string;
  readonly path?: string;
  readonly text?: string;
}

/**
 * Reads files into tables of both families, IPv4 first, without an object for each prefix, and aggregates them as
 * `aggregatePrefixes` does. Of a prefix that several files hold, the last file counts; expired entries are left out.
 *
 * @param options Those of `readPrefixFile`, not yet checked. @param now Milliseconds since 1970.
 * @param leaves Called for each file with the records that its list omits, by kind, and its number of expired entries.
 * @throws {PrefixFileError} with the places of problems.
 */
export function aggregateFiles(
  inputs: readonly TableInput[],
  options: unknown,
  now: number,
  leaves: (name: string, leftOut: ReadonlyMap<string, number>, expired: number) => void,
): readonly PrefixTable[] {
  const parsed = parseOptions(options);
  const files = inputs.map(({ name, path, text = "" }) => {
    const collector = new TableCollector(parsed, new Problems(name), now);
    const extension = extname(path ?? name).toLowerCase();
    if (path === undefined) readSource(textSource(name, text), extension, parsed, collector);
    else
      withFile(path, { name, maxBytes: parsed.maxBytes }, (source) => readSource(source, extension, parsed, collector));
    const tables = collector.tables();
    leaves(
      name,
      collector.leftOut,
      countWhere(tables, (entry) => endOf(entry) <= now),
    );
    return tables;
  });
  return joined(files, now).map(aggregateTable);
}

/** The tables of several files as those of one, without expired entries. */
function joined(files: readonly (readonly PrefixTable[])[], now: number): readonly PrefixTable[] {
  const all = files.flat();
  const isOver = (entry: { readonly expires?: string }) => endOf(entry) <= now;
  if (files.length === 1 && !all.some(({ contents }) => contents.some(isOver))) return all;
  const builder = new TableBuilder(Math.max(...all.map(({ size }) => size)));
  for (const table of all) {
    for (let index = 0; index < table.size; index++) if (!isOver(table.entry(index))) builder.addFrom(table, index);
  }
  return PrefixTable.built(builder);
}

/** The prefixes of some tables without those of others, aggregated. */
export function excludeTables(tables: readonly PrefixTable[], others: readonly PrefixTable[]): readonly PrefixTable[] {
  const builder = new TableBuilder();
  excludeFrom(tables, others, builder);
  return PrefixTable.built(builder).map(aggregateTable);
}

/** Number of entries of tables with some content. */
export function countWhere(tables: readonly PrefixTable[], when: (entry: PrefixEntry) => boolean): number {
  let sum = 0;
  for (const { contents, content } of tables) {
    const counts = contents.map(when);
    if (counts.includes(true)) for (const index of content) if (counts[index]) sum++;
  }
  return sum;
}

/** The entries of tables by prefix. */
export function entriesOf(tables: readonly PrefixTable[]): PrefixEntries {
  const entries: PrefixEntries = {};
  for (const table of tables)
    for (let index = 0; index < table.size; index++) entries[table.prefix(index)] = table.entry(index);
  return entries;
}
