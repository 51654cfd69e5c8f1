import { LOSS_CAUSES } from "../loss";
import { EVENTS } from "../record/rows";

export type LabelName = "node" | "sink" | "cause" | "outcome" | "event" | "version" | "node_version";

/** Kind, help text and labels of a metric. */
export interface Metric {
  readonly kind: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: readonly LabelName[];
  /** Upper limits of a histogram, beside +Inf. */
  readonly buckets?: readonly number[];
  /** Is there with `cluster` only. */
  readonly cluster?: true;
}

const counter = (help: string, ...labels: LabelName[]): Metric => ({ kind: "counter", help, labels });
const gauge = (help: string, ...labels: LabelName[]): Metric => ({ kind: "gauge", help, labels });

/** Values of labels that are the same for every configuration. */
export const FIXED_LABELS = {
  outcome: ["taken", "failed", "refused", "full"],
  event: EVENTS,
  cause: Object.keys(LOSS_CAUSES),
} as const satisfies Partial<Record<LabelName, readonly string[]>>;

/**
 * Every metric of the forwarder, by its name behind `packetfilter_forward_`; its page in the docs is made from the same texts.
 * The order is that of the page.
 */
export const FORWARD_METRICS = {
  polls_total: counter(
    "Lists of marks that were tried; the outcome is taken, failed, refused or full. While no table of a node is known, a failed look for its tables counts.",
    "node",
    "outcome",
  ),
  marks_total: counter("Marks in lists that were taken over.", "node"),
  records_total: counter("Records that were taken over.", "node", "event"),
  poll_lag_seconds: gauge("Delay of the last list of a node.", "node"),
  last_list_timestamp_seconds: gauge(
    "When a list of a node was last taken over; seconds since 1970, 0: not yet.",
    "node",
  ),
  sent_records_total: counter("Records that a sink acknowledged.", "sink"),
  sent_bytes_total: counter("Bytes of the spool that a sink acknowledged.", "sink"),
  delivery_duration_seconds: {
    kind: "histogram",
    help: "Duration of each try of a delivery, failed ones included.",
    labels: ["sink"],
    // From a file on this machine to the default `timeoutMs`.
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
  stuck: gauge("1 while a delivery has lasted longer than `deadlineMs`, or none has ended well since.", "sink"),
  retries_total: counter("Deliveries that failed and are repeated.", "sink"),
  rejected_records_total: counter("Records that a sink refused for good: they are in its dead-letter files.", "sink"),
  rejected_records: gauge("Dead letters that wait: records that a sink refused for good.", "sink"),
  rejected_bytes: gauge("Bytes of the dead letters that wait.", "sink"),
  rejected_limit_bytes: gauge("Limit of `rejected_bytes`.", "sink"),
  lost_records_total: counter(
    "Records that a sink will not get. The cause is full, age or disk for drop-oldest, evicted for dead letters, missed where it gets the table again, or removed where the configuration leaves it or the table out.",
    "sink",
    "cause",
  ),
  lag_records: gauge("Records that a sink has not acknowledged.", "sink"),
  lag_bytes: gauge("Bytes in the spool that a sink has not acknowledged.", "sink"),
  lag_seconds: gauge("Age of the oldest record that a sink has not acknowledged.", "sink"),
  spool_limit_bytes: gauge("Limit of `lag_bytes`.", "sink"),
  spool_full_in_seconds: gauge(
    "Time until `lag_bytes` reaches its limit, or the disk is full, if the spool grows as in the last minute: 0 while tables wait or are behind, +Inf while it does not grow.",
    "sink",
  ),
  paused_tables: gauge("Tables that are not polled until a sink has room in the spool; `/readyz` names them.", "sink"),
  behind_tables: gauge(
    "Tables that are kept for other sinks, but not for one whose spool is full: it gets them from the start when it has room.",
    "sink",
  ),
  spool_bytes: gauge("Bytes of records in the spool, each counted once."),
  state_free_bytes: gauge("Bytes that are free on the disk of the state folder."),
  stores_set_aside_total: counter("State files that were broken and set aside."),
  ready: gauge("1 while `/readyz` answers 200."),
  nodes: gauge("Nodes of the configuration."),
  lease_held: { ...gauge("1 while this forwarder polls a node.", "node"), cluster: true },
  lease_lost_total: { ...counter("Leases that ended before they were given back.", "node"), cluster: true },
  cluster_reachable: { ...gauge("1 while the cluster's leases can be reached."), cluster: true },
  cluster_config_differs: {
    ...gauge(
      "1 while members of the cluster poll other nodes than this one, or poll them in another way, or are of a version that it cannot read.",
    ),
    cluster: true,
  },
  config_last_reload_successful: gauge("1 while the configuration that was read last is in use."),
  event_loop_delay_seconds: {
    kind: "histogram",
    help: "Longest stop of the event loop in each second.",
    labels: [],
    // From a look's own resolution to what makes leases end.
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  },
  build_info: gauge("1; the version of the package, and that of Node.", "version", "node_version"),
} satisfies Record<string, Metric>;

export type MetricName = keyof typeof FORWARD_METRICS;
