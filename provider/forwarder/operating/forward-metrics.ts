import { Metrics } from "./metrics";

/** Every metric of the forwarder; its page in the docs is made from the same texts. */
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
  ["stores_set_aside_total", "counter", "State files that were broken and set aside."],
  ["lease_held", "gauge", "1 while this forwarder polls a node, by node; with a cluster."],
  ["lease_lost_total", "counter", "Leases that ended before they were given back, by node."],
  ["event_loop_delay_seconds", "gauge", "Longest stop of the event loop since the metrics were last read."],
] as const;

/** Makes the metrics, all declared. */
export function forwardMetrics(): Metrics {
  const metrics = new Metrics("packetfilter_forward_");
  for (const [name, type, help] of FORWARD_METRICS) metrics.declare(name, type, help);
  return metrics;
}
