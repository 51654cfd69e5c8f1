import { EVENTS } from "../record/rows";

/** A label of a metric. */
export type LabelName = "node" | "sink" | "outcome" | "event" | "version" | "node_version";

/** A metric: its name behind `packetfilter_forward_`, its labels, and what it says. */
interface MetricText {
  readonly name: string;
  readonly kind: "counter" | "gauge" | "histogram";
  readonly labels: readonly LabelName[];
  readonly help: string;
  /** Upper limits of a histogram, beside +Inf. */
  readonly buckets?: readonly number[];
  /** Is there with `cluster` only. */
  readonly cluster?: true;
}

/** What labels hold that are the same for every configuration. */
export const FIXED_LABELS = {
  outcome: ["taken", "failed", "refused", "full"],
  event: EVENTS,
} as const satisfies Partial<Record<LabelName, readonly string[]>>;

/** Every metric of the forwarder; its page in the docs is made from the same texts. The order is that of the page. */
export const FORWARD_METRICS = [
  {
    name: "polls_total",
    kind: "counter",
    labels: ["node", "outcome"],
    help: "Lists of marks that were tried; the outcome is taken, failed, refused or full.",
  },
  { name: "marks_total", kind: "counter", labels: ["node"], help: "Marks in lists that were taken over." },
  { name: "records_total", kind: "counter", labels: ["node", "event"], help: "Records that were taken over." },
  { name: "poll_lag_seconds", kind: "gauge", labels: ["node"], help: "How late the last list of a node began." },
  {
    name: "last_list_timestamp_seconds",
    kind: "gauge",
    labels: ["node"],
    help: "When a list of a node was last taken over; seconds since 1970, 0: not yet.",
  },
  { name: "sent_records_total", kind: "counter", labels: ["sink"], help: "Records that a sink acknowledged." },
  {
    name: "sent_bytes_total",
    kind: "counter",
    labels: ["sink"],
    help: "Bytes of the spool that a sink acknowledged.",
  },
  {
    name: "delivery_duration_seconds",
    kind: "histogram",
    labels: ["sink"],
    help: "How long each try of a delivery took, failed ones included.",
    // From a file on this machine to the default `timeoutMs`.
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
  { name: "retries_total", kind: "counter", labels: ["sink"], help: "Deliveries that failed and are repeated." },
  {
    name: "rejected_records_total",
    kind: "counter",
    labels: ["sink"],
    help: "Records that a sink refused for good: they are in its dead-letter files.",
  },
  {
    name: "rejected_evicted_records_total",
    kind: "counter",
    labels: ["sink"],
    help: "Records that went from the dead-letter files to make room for newer ones: they are lost.",
  },
  { name: "dropped_records_total", kind: "counter", labels: ["sink"], help: "Records that drop-oldest gave up." },
  { name: "lag_records", kind: "gauge", labels: ["sink"], help: "Records that a sink has not acknowledged." },
  {
    name: "lag_bytes",
    kind: "gauge",
    labels: ["sink"],
    help: "Bytes in the spool that a sink has not acknowledged.",
  },
  {
    name: "lag_seconds",
    kind: "gauge",
    labels: ["sink"],
    help: "Age of the oldest record that a sink has not acknowledged.",
  },
  { name: "spool_limit_bytes", kind: "gauge", labels: ["sink"], help: "What `lag_bytes` may become." },
  {
    name: "spool_full_in_seconds",
    kind: "gauge",
    labels: ["sink"],
    help: "When `lag_bytes` is at its limit if it grows as in the last minute: 0 while tables wait, +Inf while it does not grow.",
  },
  {
    name: "paused_tables",
    kind: "gauge",
    labels: ["sink"],
    help: "Tables that are not polled until a sink has room in the spool; `/readyz` names them.",
  },
  { name: "spool_bytes", kind: "gauge", labels: [], help: "Bytes of records in the spool, each counted once." },
  {
    name: "state_free_bytes",
    kind: "gauge",
    labels: [],
    help: "Bytes that are free on the disk of the state folder.",
  },
  {
    name: "stores_set_aside_total",
    kind: "counter",
    labels: [],
    help: "State files that were broken and set aside.",
  },
  { name: "ready", kind: "gauge", labels: [], help: "1 while `/readyz` answers 200." },
  { name: "nodes", kind: "gauge", labels: [], help: "Nodes of the configuration." },
  {
    name: "lease_held",
    kind: "gauge",
    labels: ["node"],
    help: "1 while this forwarder polls a node.",
    cluster: true,
  },
  {
    name: "lease_lost_total",
    kind: "counter",
    labels: ["node"],
    help: "Leases that ended before they were given back.",
    cluster: true,
  },
  {
    name: "cluster_reachable",
    kind: "gauge",
    labels: [],
    help: "1 while the cluster's leases can be reached.",
    cluster: true,
  },
  {
    name: "cluster_config_differs",
    kind: "gauge",
    labels: [],
    help: "1 while members of the cluster poll other nodes than this one, or in another way.",
    cluster: true,
  },
  {
    name: "config_last_reload_successful",
    kind: "gauge",
    labels: [],
    help: "1 while the configuration that was read last is the one that is in use.",
  },
  {
    name: "event_loop_delay_seconds",
    kind: "histogram",
    labels: [],
    help: "Longest stop of the event loop in each second.",
    // From a look's own resolution to what makes leases end.
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  },
  {
    name: "build_info",
    kind: "gauge",
    labels: ["version", "node_version"],
    help: "1; the version of the package, and that of Node.",
  },
] as const satisfies readonly MetricText[];

/** The name of a metric. */
export type MetricName = (typeof FORWARD_METRICS)[number]["name"];
