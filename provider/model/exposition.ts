/** Content type of {@link expositionOf}. */
export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

type Labels = Readonly<Partial<Record<string, string>>>;

/** A value with its labels. Of a histogram the value is the sum of all that was observed. */
interface Sample {
  readonly labels: Labels;
  readonly value: number;
  /** Of a histogram: numbers up to each bound and above the one before; the last has no bound. */
  readonly counts?: readonly number[];
}

/** A metric with its samples. */
export interface Family {
  readonly name: string;
  readonly kind: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly bounds?: readonly number[] | undefined;
  readonly samples: Iterable<Sample>;
}

/** Metrics in the text format of Prometheus, version 0.0.4. */
export function expositionOf(families: Iterable<Family>): string {
  const lines: string[] = [];
  for (const { name, kind, help, bounds = [], samples } of families) {
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`);
    const write = (end: string, labels: Labels, value: number) =>
      lines.push(`${name}${end}${labelText(labels)} ${numberText(value)}`);
    for (const { labels, value, counts = [] } of samples) {
      if (kind !== "histogram") {
        write("", labels, value);
        continue;
      }
      let count = 0;
      for (const [at, bound] of [...bounds, Number.POSITIVE_INFINITY].entries()) {
        count += counts[at] ?? 0;
        write("_bucket", { ...labels, le: numberText(bound) }, count);
      }
      write("_sum", labels, value);
      write("_count", labels, count);
    }
  }
  return `${lines.join("\n")}\n`;
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value = ""]) => {
    const escaped = value.replace(/[\\"\n]/g, (sign) => (sign === "\n" ? "\\n" : `\\${sign}`));
    return `${name}="${escaped}"`;
  });
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function numberText(value: number): string {
  return Number.isFinite(value) ? String(value) : value > 0 ? "+Inf" : "NaN";
}
