/** Every metric of the forwarder; its page in the docs is made from the same texts. The order is that of the page. */
export const FORWARD_METRICS = [
  ["polls_total", "counter", "Lists of marks that were tried, by node and outcome: taken, failed, refused or full."],
  ["marks_total", "counter", "Marks in lists that were taken over, by node."],
  ["records_total", "counter", "Records that were taken over, by node and event."],
  ["poll_lag_seconds", "gauge", "How late the last list of a node began, by node."],
  ["last_list_timestamp_seconds", "gauge", "When a list of a node was last taken over, by node; seconds since 1970."],
  ["sent_records_total", "counter", "Records that a sink acknowledged, by sink."],
  ["sent_bytes_total", "counter", "Bytes of the spool that a sink acknowledged, by sink."],
  ["retries_total", "counter", "Deliveries that failed and are repeated, by sink."],
  [
    "rejected_records_total",
    "counter",
    "Records that a sink refused for good, by sink: they are in its dead-letter files.",
  ],
  ["dropped_records_total", "counter", "Records that drop-oldest gave up, by sink."],
  ["lag_records", "gauge", "Records that a sink has not acknowledged, by sink."],
  ["lag_bytes", "gauge", "Bytes in the spool that a sink has not acknowledged, by sink."],
  ["lag_seconds", "gauge", "Age of the oldest record that a sink has not acknowledged, by sink."],
  ["spool_bytes", "gauge", "Bytes of records in the spool, each counted once."],
  ["state_free_bytes", "gauge", "Bytes that are free on the disk of the state folder."],
  ["stores_set_aside_total", "counter", "State files that were broken and set aside."],
  ["lease_held", "gauge", "1 while this forwarder polls a node, by node; with a cluster."],
  ["lease_lost_total", "counter", "Leases that ended before they were given back, by node."],
  ["config_last_reload_successful", "gauge", "1 while the configuration that was read last is the one that is in use."],
  [
    "cluster_config_differs",
    "gauge",
    "1 while members of the cluster poll other nodes than this one, or in another way.",
  ],
  ["event_loop_delay_seconds", "gauge", "Longest stop of the event loop since the metrics were last read."],
] as const;

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

  /** Takes out all that is about something that is no more. */
  forget(label: "node" | "sink", name: string): void {
    for (const entries of this.values.values()) {
      for (const [key, { labels }] of entries) if (labels[label] === name) entries.delete(key);
    }
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
