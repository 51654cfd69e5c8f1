/** The form in which Prometheus reads metrics (text format 0.0.4). */
export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

type Labels = Readonly<Record<string, string>>;

interface Metric {
  readonly type: "counter" | "gauge";
  readonly help: string;
  readonly values: Map<string, { labels: Labels; value: number }>;
}

/**
 * Counters and gauges by name and labels. Written by hand: prom-client, the usual library, is far larger than these two
 * kinds.
 */
export class Metrics {
  private readonly metrics = new Map<string, Metric>();

  constructor(private readonly prefix: string) {}

  /** Declares a metric; the order of declarations is that of the page. */
  declare(name: string, type: Metric["type"], help: string): void {
    this.metrics.set(name, { type, help, values: new Map() });
  }

  /** Adds to a counter. */
  add(name: string, labels: Labels = {}, by = 1): void {
    const entry = this.entry(name, labels);
    entry.value += by;
  }

  /** Sets a gauge, or a counter that is counted elsewhere. */
  set(name: string, value: number, labels: Labels = {}): void {
    this.entry(name, labels).value = value;
  }

  /** What a metric stands at; 0 when it was never touched. */
  get(name: string, labels: Labels = {}): number {
    return this.metrics.get(name)?.values.get(keyOf(labels))?.value ?? 0;
  }

  /** Forgets the values of a gauge whose labels match no more. */
  clear(name: string): void {
    this.metrics.get(name)?.values.clear();
  }

  /** The page that `/metrics` serves. */
  text(): string {
    const lines: string[] = [];
    for (const [name, { type, help, values }] of this.metrics) {
      const full = `${this.prefix}${name}`;
      lines.push(`# HELP ${full} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`, `# TYPE ${full} ${type}`);
      for (const { labels, value } of values.values()) lines.push(`${full}${labelText(labels)} ${numberText(value)}`);
    }
    return `${lines.join("\n")}\n`;
  }

  private entry(name: string, labels: Labels): { value: number } {
    const metric = this.metrics.get(name);
    if (!metric) throw new TypeError(`There is no metric ${name}.`);
    const key = keyOf(labels);
    const entry = metric.values.get(key);
    if (entry) return entry;
    const made = { labels, value: 0 };
    metric.values.set(key, made);
    return made;
  }
}

function keyOf(labels: Labels): string {
  return JSON.stringify(Object.entries(labels));
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => {
    const escaped = value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
    return `${name}="${escaped}"`;
  });
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function numberText(value: number): string {
  return Number.isFinite(value) ? String(value) : value > 0 ? "+Inf" : "NaN";
}
