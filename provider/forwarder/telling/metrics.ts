import { expositionOf } from "../../model/exposition";
import { FIXED_LABELS, FORWARD_METRICS, type LabelName, type Metric, type MetricName } from "./metric-list";

type Labels = Readonly<Partial<Record<LabelName, string>>>;

export interface Counted {
  readonly nodes: readonly string[];
  readonly sinks: readonly string[];
  readonly hasCluster: boolean;
  readonly version: string;
}

/** One line of the page, or one histogram. */
interface Series {
  readonly labels: Labels;
  /** Of a histogram: the sum of what was observed. */
  value: number;
  /** Of a histogram: how much was observed up to each limit and above the one before; the last is +Inf. */
  readonly counts: number[];
}

const PREFIX = "packetfilter_forward_";
const METRICS: ReadonlyMap<string, Metric> = new Map(Object.entries(FORWARD_METRICS));

/**
 * Counters, gauges and histograms by name and labels. Nothing is reset when it is read, so several scrapers may read it.
 * Written by hand, see docs/contributing/decisions/forwarder.md.
 */
export class Metrics {
  private readonly values = new Map<string, Map<string, Series>>();
  private isKnown = false;

  /**
   * Makes every series of a configuration, at 0, and removes those of removed nodes and sinks: a counter that
   * begins with its first event hides that event from `increase`. Counts of others are then ignored.
   */
  know({ nodes, sinks, hasCluster, version }: Counted): void {
    this.isKnown = false;
    const values = { ...FIXED_LABELS, node: nodes, sink: sinks, version: [version], node_version: [process.version] };
    for (const [name, { labels, cluster }] of METRICS) {
      if (cluster && !hasCluster) continue;
      const all = labels.reduce<Labels[]>(
        (some, label) => some.flatMap((one) => values[label].map((value) => ({ ...one, [label]: value }))),
        [{}],
      );
      for (const one of all) this.series(name, one);
      const keys = new Set(all.map(keyOf));
      for (const key of this.values.get(name)?.keys() ?? []) if (!keys.has(key)) this.values.get(name)?.delete(key);
    }
    this.isKnown = true;
    this.set("build_info", 1, { version, node_version: process.version });
  }

  /** Adds to a counter. */
  add(name: MetricName, labels: Labels = {}, by = 1): void {
    this.series(name, labels).value += by;
  }

  /** Sets a gauge, or a counter that is counted elsewhere. */
  set(name: MetricName, value: number, labels: Labels = {}): void {
    this.series(name, labels).value = value;
  }

  /** Adds to a histogram. */
  observe(name: MetricName, value: number, labels: Labels = {}): void {
    const series = this.series(name, labels);
    const at = [...bucketsOf(name), Number.POSITIVE_INFINITY].findIndex((bound) => value <= bound);
    series.counts[at] = (series.counts[at] ?? 0) + 1;
    series.value += value;
  }

  /** Value of a metric; 0 if it was never set. */
  get(name: MetricName, labels: Labels = {}): number {
    return this.values.get(name)?.get(keyOf(labels))?.value ?? 0;
  }

  /** The page that `/metrics` serves. */
  text(): string {
    return expositionOf(
      [...METRICS].map(([name, { kind, help, buckets }]) => {
        return { name: PREFIX + name, kind, help, bounds: buckets, samples: this.values.get(name)?.values() ?? [] };
      }),
    );
  }

  private series(name: string, labels: Labels): Series {
    const values = this.values.get(name) ?? new Map();
    this.values.set(name, values);
    const key = keyOf(labels);
    const series = values.get(key) ?? { labels, value: 0, counts: [...bucketsOf(name), 0].map(() => 0) };
    if (!this.isKnown) values.set(key, series);
    return series;
  }
}

function bucketsOf(name: string): readonly number[] {
  return METRICS.get(name)?.buckets ?? [];
}

function keyOf(labels: Labels): string {
  return JSON.stringify(Object.entries(labels));
}
