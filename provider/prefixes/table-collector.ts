import { canonicalV4 } from "../model/prefix";
import { PrefixTable, TableBuilder } from "./algebra/table";
import { Collector, START } from "./collector";
import { contradiction } from "./duplicates";
import type { PrefixEntry } from "./entries";

const SLASH = 47;

/** Puts entries into tables instead of an object: a million lines of prefixes take some ten megabytes. */
export class TableCollector extends Collector {
  private readonly builder = new TableBuilder();

  override takesPlain(text: string, line: number): boolean {
    const prefix = text.length > 9 && text.charCodeAt(text.length - 3) === SLASH ? text : `${text}/32`;
    const address = this.isSelecting ? -1 : canonicalV4(prefix);
    if (address < 0) return super.takesPlain(text, line);
    this.countPlain();
    this.builder.addV4(address, text === prefix ? Number(text.slice(-2)) : 32, this.plain);
    return true;
  }

  /** The tables of both families, IPv4 first. @throws {PrefixFileError} if there was a problem. */
  tables(): readonly PrefixTable[] {
    this.finish();
    const tables = PrefixTable.built(this.builder, (earlier, later, prefix) => {
      const kept = this.choose(earlier, later);
      if (kept === undefined) this.problems.add(START, contradiction(prefix(), earlier, later));
      return kept ?? earlier;
    });
    this.problems.throwIfAny();
    if (tables.reduce((sum, { size }) => sum + size, 0) > this.most) this.refuseMore(START);
    return tables;
  }

  protected override areSingle(): boolean {
    const { 1: ipv4, 4: ipv6 } = this.builder.columns;
    return ipv4.done().length.every((length) => length === 32) && ipv6.done().length.every((length) => length === 128);
  }

  protected override keep(prefix: string, entry: PrefixEntry): void {
    this.size++;
    this.builder.add(prefix, entry);
  }
}
