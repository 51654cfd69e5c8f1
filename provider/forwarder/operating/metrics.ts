import { FORWARD_METRICS } from "./forward-metrics";

/** The form in which Prometheus reads metrics (text format 0.0.4). */
export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

type Labels = Readonly<Record<string, string>>;

type MetricName = (typeof FORWARD_METRICS)[number][0];

const PREFIX = "packetfilter_forward_";

/**
 * Counters and gauges by name and labels. Written by hand: prom-client, the usual library, is far larger than these two
 * kinds.
 */
export class Metrics {
  private readonly values = new Map<MetricName, Map<string, { readonly labels: Labels; value: number }>>();

  /** Adds to a counter. */
  add(name: MetricName, labels: Labels = {}, by = 1): void {
    this.entry(name, labels).value += by;
  }

  /** Sets a gauge, or a counter that is counted elsewhere. */
  set(name: MetricName, value: number, labels: Labels = {}): void {
    this.entry(name, labels).value = value;
  }

  /** What a metric stands at; 0 when it was never touched. */
  get(name: MetricName, labels: Labels = {}): number {
    return this.values.get(name)?.get(keyOf(labels))?.value ?? 0;
  }

  /** The page that `/metrics` serves. */
  text(): string {
    const lines: string[] = [];
    for (const [name, type, help] of FORWARD_METRICS) {
      const full = `${PREFIX}${name}`;
      lines.push(`# HELP ${full} ${help}`, `# TYPE ${full} ${type}`);
      for (const { labels, value } of this.values.get(name)?.values() ?? [])
        lines.push(`${full}${labelText(labels)} ${numberText(value)}`);
    }
    return `${lines.join("\n")}\n`;
  }

  private entry(name: MetricName, labels: Labels): { value: number } {
    const values = this.values.get(name) ?? new Map();
    this.values.set(name, values);
    const key = keyOf(labels);
    const entry = values.get(key) ?? { labels, value: 0 };
    values.set(key, entry);
    return entry;
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
