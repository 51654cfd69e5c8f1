import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../support/markdown";

/** Expected value of a metric, as a guide writes it: `sum(lease_held) == 3`, of all forwarders together or of one. */
export interface Condition {
  readonly text: string;
  readonly isSum: boolean;
  /** The series, or the metric where no labels are named. */
  readonly series: string;
  holds(value: number): boolean;
}

/** The conditions of each row of a page's tables that have a column `Metrics`, by the row's first cell. */
export function conditionsOf(file: string): Map<string, Condition[]> {
  const rows = readFileSync(join(root, file), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").slice(1, -1));
  const found = new Map<string, Condition[]>();
  let column = -1;
  for (const cells of rows) {
    const head = cells.findIndex((cell) => cell.trim() === "Metrics");
    if (head >= 0) column = head;
    const texts = [...(cells[column] ?? "").matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text);
    if (head < 0 && texts.length > 0) found.set(cells[0]?.trim() ?? "", texts.map(conditionOf));
  }
  return found;
}

function conditionOf(text: string): Condition {
  const [, of = "", relation, wanted] = /^(.*) (==|>) (\d+)$/.exec(text) ?? [];
  if (relation === undefined) throw new Error(`There is no condition in ${JSON.stringify(text)}.`);
  const [, summed] = /^sum\((.*)\)$/.exec(of) ?? [];
  const number = Number(wanted);
  return {
    text,
    isSum: summed !== undefined,
    series: `packetfilter_forward_${summed ?? of}`,
    holds: (value) => (relation === ">" ? value > number : value === number),
  };
}

/** A page of metrics, and how it stands by conditions about one forwarder. */
export class Scrape {
  private readonly lines: readonly string[];

  constructor(page: string) {
    this.lines = page.split("\n");
  }

  /** The series that are not 0, for messages. */
  get moved(): string {
    return this.lines.filter((line) => /^packetfilter_.* (?!0$)/.test(line) && !line.includes("_bucket{")).join("\n");
  }

  /** Value of a series; without labels the sum of all series, with `{a="b"}` the sum of those with these labels. */
  valueOf(series: string): number {
    const [name = "", labels = ""] = series.split(/[{}]/);
    const wanted = labels === "" ? [] : labels.split(",");
    const values = this.lines
      .filter((line) => line.split(/[ {]/)[0] === name && wanted.every((label) => line.includes(label)))
      .map((line) => Number(line.slice(line.lastIndexOf(" "))));
    return values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0);
  }

  meets(conditions: readonly Condition[]): boolean {
    return conditions.every((one) => one.isSum || one.holds(this.valueOf(one.series)));
  }
}
