import { MARK_PAUSE_MS } from "../model/mark";

/**
 * Every default, time and size of the forwarder, with its reason and its user. The unit is part of the name. Values for a node
 * are in `DEFAULTS` of the client; docs/reference/times.md has both tables.
 */

/** Members of the configuration that may be left out (config/schema.ts). */
export const CONFIG_DEFAULTS = {
  everyMs: MARK_PAUSE_MS,
  /** Profiles and rules change by hand. */
  structureEveryMs: 60_000,
  records: "changes",
  snapshotEveryMs: 0,
  format: "plain",
  state: "./forwarder-state",
  /** As long as the longest pause of a sink that fails. */
  onceDeadlineMs: 30_000,
  /** Service managers kill after 10 s (Docker) to 90 s (systemd). */
  drainMs: 10_000,
  /** Hours of an outage at the usual rate of changes. */
  spool: { maxBytes: 1_073_741_824, maxAgeMs: 0, whenFull: "pause" },
  /** Some half a million refused records with their reasons. */
  rejected: { maxBytes: 268_435_456, whenFull: "drop-oldest" },
  /** Marks of sinks, dead letters and journals of hours. */
  reserveBytes: 67_108_864,
  /** Two renewals may fail within a lease, and a takeover takes about as long. */
  cluster: { bucket: "packetfilter", leaseMs: 6_000, replicas: 1 },
} as const;

/** Members of sinks that may be left out (sinks/). */
export const SINK_DEFAULTS = {
  /** One delivery: a list of a large table in some ten of them. Proxies may be set up for less (docs/forwarder.md). */
  batch: { maxRecords: 10_000, maxBytes: 4_194_304 },
  /** file */
  rotateBytes: 104_857_600,
  keep: 10,
  /** Sinks that POST: until an answer begins, then without a byte of it; syslog: without a byte taken; kafka: without an acknowledgement. */
  timeoutMs: 30_000,
  /** Sinks that POST: one delivery with its answer, redirects included. Any sink: a delivery that lasts longer is stuck. */
  deadlineMs: 30_000,
  /** syslog over TLS (RFC 5425, section 4.1). */
  syslogPort: 6514,
  /** nats: an acknowledgement of JetStream takes milliseconds. */
  natsTimeoutMs: 5_000,
  subject: "marks.{node}.{arena}.{profile}.{type}",
  splunkSourcetype: "packetfilter:mark",
} as const;

/** Times that no member sets. */
export const TIMES = {
  /** Looks at files of secrets: a rotated token is used within it. `SecretFiles`. */
  secretsEveryMs: 10_000,
  /** Acknowledgements of so long share one write to the disk. `StoredLedger`. */
  acknowledgeEveryMs: 100,
  /** Time in which a sink that flaps has two lines. `Troubles`. */
  troubleEveryMs: 60_000,
  /** Between two lines about records that a sink will not get for one cause. `Losses`. */
  lossEveryMs: 60_000,
  /** Looks at the content of the spool, for metrics. `Delivery`. */
  backlogEveryMs: 1_000,
  /** Without a move of polling or the state, a restart is needed: reading the largest list and a slow disk take less. `Health`. */
  standstillMs: 60_000,
  /** Window of `spool_full_in_seconds`: some twenty lists of a table. `SpoolView`. */
  spoolTrendMs: 60_000,
  /** For how long the longest stop of the event loop is looked for: scrapes are farther apart. `watchStops`. */
  loopDelayEveryMs: 1_000,
  /** Pause after the first failure of a sink, doubled after each further one. `SinkRunner`. */
  sinkFirstPauseMs: 1_000,
  /** Longest such pause: a sink that is back is used within it. `SinkRunner`. */
  sinkLongestPauseMs: 30_000,
  /** Pause after the first failure to listen, doubled after each further one. `Service`. */
  listenFirstPauseMs: 1_000,
  /** Longest such pause: the former process of a restart has gone within it. `Service`. */
  listenLongestPauseMs: 30_000,
  /** For how long HTTP 403 and 404 are an outage: a proxy is replaced within minutes, and Kubernetes gives a rollout ten. `AnswerJudge`. */
  refusalMs: 900_000,
  /** Pause between two questions for the acknowledgement of Splunk's indexers, which takes seconds. `splunk`. */
  splunkAckEveryMs: 1_000,
  /** Time for that acknowledgement, after which the events are sent again: Splunk's own advice for clients. `splunk`. */
  splunkAckMs: 300_000,
  /** Longest pause between lists of a table that fail. `TablePoller`. */
  tableLongestPauseMs: 60_000,
  /** Pause before a full pipe is written to again. `standardOutput`. */
  pipeFullMs: 10,
  /** Time after which a stop leaves work that has not ended. `Forwarder`, `Delivery`, `requeue`. */
  stopMs: 5_000,
  /** Time for the end of a connection, within `stopMs`. `syslog`. */
  syslogCloseMs: 1_000,
  /** Pause after a list for which the disk has no room. `TablePoller`. */
  diskFullMs: 10_000,
  /** Connecting to NATS. `connectNats`. */
  natsConnectMs: 5_000,
  /** Connecting to a broker of Kafka. `KafkaTopic`. */
  kafkaConnectMs: 5_000,
  /** Pause before a request to Kafka is repeated: a partition has its next leader soon. `KafkaTopic`. */
  kafkaPauseMs: 250,
  /** One request about a lease, or a third of the lease where that is longer. `NatsLeaseStore`. */
  leaseRequestMs: 2_000,
} as const;

/** Sizes and counts that no member sets. */
export const SIZES = {
  /** Marks compared in one slice: about a millisecond. `Reading`, `KeptBaseline`. */
  rowsASlice: 2_000,
  /** Records written out in one slice: a few milliseconds in the widest format. `inSlicesOf`. */
  recordsASlice: 200,
  /** Records in one batch of the spool: parsed between two turns of the event loop. `RowWriter`. */
  rowsABatch: 1_000,
  /** Bytes in one batch, where marks carry much that is unknown; and one row. `RowWriter`. */
  bytesABatch: 262_144,
  /** Records of the first delivery after a rest, so that it leaves while more is written. `SinkRunner`. */
  firstRecords: 2_000,
  /** Records that `onRecord` gets before they are noted as taken. `callback`. */
  callbackRecords: 1_000,
  /**
   * Bytes of the spool that are read at a time, and one batch: carried between threads in one go. `SinkAccount`. An answer of a node
   * may have so many more than its limit, which the words for its limit then refuse. `MarkSource`.
   */
  portionBytes: 1_048_576,
  /** Bytes of changes beside a baseline before it is written whole. `KeptBaseline`. */
  baselineChangesBytes: 1_000_000,
  /** First piece of rows: most tables are small. `RowWriter`. */
  firstPieceBytes: 65_536,
  /** Bytes that are read of the body of an error, and of a redirect. `MarkSource`, `HttpConnection`. */
  errorBytes: 65_536,
  /** Bytes of a sink's answer, of which those to `_bulk` are the largest; a longer one is a failure. `PostingSink`. */
  sinkAnswerBytes: 33_554_432,
  /** A file of refused records has this part of their limit, at most of the default one: the oldest goes as a whole, and one is read at a time. `RejectedFiles`. */
  rejectedFiles: 16,
  /** Bytes of a delivery that are written at a time, each with `timeoutMs`. `syslog`. */
  syslogBytes: 65_536,
  /** Messages to NATS whose acknowledgement is waited for at the same time. */
  natsInFlight: 256,
  /** Messages in one request to Kafka: the client writes them in one go, 20 µs each. `KafkaTopic`. */
  kafkaBatchRecords: 500,
  /** Bytes of one: brokers accept 1 MiB by default. `KafkaTopic`. */
  kafkaBatchBytes: 900_000,
  /** Bytes of a message's key and headers, roughly. `KafkaTopic`. */
  kafkaHeaderBytes: 512,
} as const;
