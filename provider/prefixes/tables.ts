import { extname } from "node:path";
import { canonicalV4 } from "../model/prefix";
import { aggregateTable } from "./algebra/aggregate";
import { excludePrefixes } from "./algebra/cut";
import { PrefixTable, TableBuilder } from "./algebra/table";
import { Collector } from "./collector";
import { endOf, type PrefixEntries, type PrefixEntry } from "./entries";
import { type PrefixFileOptions, parseOptions } from "./options";
import { Problems, type Where } from "./problems";
import { readSource } from "./read";
import { textSource, withFile } from "./source";

/** A file to read: its path, or its text, and its name in errors. */
export interface TableInput {
  readonly name: string;
  readonly path?: string;
  readonly text?: string;
}

/**
 * Reads files into tables of both families, IPv4 first, without an object for each prefix, and aggregates them as
 * `aggregatePrefixes` does. Of a prefix that occurs several times the last entry counts; expired entries are left out.
 *
 * @param options Those of `readPrefixFile`, not yet checked. @param now Milliseconds since 1970.
 * @throws {PrefixFileError} with the places of problems.
 */
export function aggregateFiles(inputs: readonly TableInput[], options: unknown, now: number): readonly PrefixTable[] {
  const parsed = parseOptions(options);
  const builder = new TableBuilder();
  for (const { name, path, text = "" } of inputs) {
    const problems = new Problems(name);
    const collector = new TableCollector(parsed, problems, now, builder);
    const extension = extname(path ?? name).toLowerCase();
    if (path === undefined) readSource(textSource(name, text), extension, parsed, collector);
    else
      withFile(path, { name, maxBytes: parsed.maxBytes }, (source) => readSource(source, extension, parsed, collector));
    collector.finish();
  }
  return PrefixTable.built(builder, now).map(aggregateTable);
}

/** The prefixes of some tables without those of others, aggregated. */
export function excludeTables(tables: readonly PrefixTable[], others: readonly PrefixTable[]): readonly PrefixTable[] {
  return PrefixTable.of(excludePrefixes(entriesOf(tables), entriesOf(others))).map(aggregateTable);
}

/** The entries of tables by prefix. */
export function entriesOf(tables: readonly PrefixTable[]): PrefixEntries {
  const entries: PrefixEntries = {};
  for (const table of tables)
    for (let index = 0; index < table.size; index++) entries[table.prefix(index)] = table.entry(index);
  return entries;
}

const SLASH = 47;

/** Puts entries into tables instead of an object. */
class TableCollector extends Collector {
  constructor(
    options: PrefixFileOptions,
    problems: Problems,
    now: number,
    private readonly builder: TableBuilder,
  ) {
    super(options, problems, now);
  }

  override takesPlain(text: string, line: number): boolean {
    const prefix = text.length > 9 && text.charCodeAt(text.length - 3) === SLASH ? text : `${text}/32`;
    const address = this.isSelecting || this.size >= this.most ? -1 : canonicalV4(prefix);
    if (address < 0) return super.takesPlain(text, line);
    this.countPlain();
    this.builder.addV4(address, text === prefix ? Number(text.slice(-2)) : 32, this.plain);
    return true;
  }

  protected override keep(prefix: string, entry: PrefixEntry, where: Where): void {
    if (this.size >= this.most) this.refuseMore(where);
    this.size++;
    if (endOf(entry) > this.now) this.builder.add(prefix, entry);
  }
}
