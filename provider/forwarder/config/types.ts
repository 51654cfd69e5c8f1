import type { NodeOptions, TlsOptions } from "../../client";
import type { MarkType } from "../../model/mark";
import type { RecordFilter } from "../record/filter";
import type { Format } from "../record/formats";
import type { TableFilter } from "../table";

/** The content of a file without the line end, in place of a text; read again when it changes. For secrets above all. */
interface FromFile {
  /** Its path, from the folder of the configuration. */
  readonly file: string;
}

/** A text, in which `${VARIABLE}` stands for a variable of the environment, or the file that holds it. */
type Text = string | FromFile;

/** Milliseconds, or a text with a unit, as `5s`. */
type Duration = number | `${number}${"ms" | "s" | "m" | "h" | "d"}`;

/** Bytes, or a text with a unit, as `1GiB`. */
type Size = number | `${number}${"B" | "kB" | "MB" | "GB" | "TB" | "KiB" | "MiB" | "GiB" | "TiB"}`;

/** Texts may be in files, at any depth, except those with a fixed list of values. */
type Written<T> = T extends string
  ? string extends T
    ? Text
    : T
  : T extends object
    ? { readonly [Name in keyof T]: Written<T[Name]> }
    : T;

/**
 * A configuration as people write it, in YAML or in code (docs/forwarder.md#configuration).
 *
 * @example
 * ```ts
 * const config: ForwarderConfig = {
 *   nodes: { fra1: { endpoint: "http://192.0.2.10", headers: { authorization: { file: "fra1-token" } } } },
 *   watch: [{ arena: "edge" }],
 *   sinks: [{ name: "logs", type: "elasticsearch", url: "https://logs.example.net", index: "marks" }],
 * };
 * ```
 */
export interface ForwarderConfig {
  /** Nodes by the names that records carry, each with the members of {@link NodeOptions}. */
  readonly nodes: Readonly<Record<string, Written<NodeOptions>>>;
  /** Which tables of marks are read. No call lists arenas: at least one is named. */
  readonly watch: readonly Watch[];
  /**
   * Milliseconds from the end of one list of a table to the start of the next; at least 3 000. Where a node's `markPauseMs` is
   * larger, that holds. Default: 3 000.
   */
  readonly everyMs?: Duration;
  /** Milliseconds between two lists of profiles and rules. Default: 60 000. */
  readonly structureEveryMs?: Duration;
  /** Records: new, changed and ended marks (`changes`), or all marks of each list (`all`). Default: `changes`. */
  readonly records?: "changes" | "all";
  /** Milliseconds after which, with `changes`, the whole table is recorded as `seen`; 0: never. Default: 0. */
  readonly snapshotEveryMs?: Duration;
  /** The names that members of a record have: our own, those of Elastic Common Schema, or of OpenTelemetry. Default: `plain`. */
  readonly format?: Format;
  /** The folder of spool and baselines, for one forwarder. Default: `./forwarder-state`. */
  readonly state?: Text;
  /** Records that wait for sinks: for each sink by itself, where it has no `spool` of its own. */
  readonly spool?: SpoolConfig;
  /** Records that a sink refused for good: for each sink by itself, where it has no `rejected` of its own. */
  readonly rejected?: RejectedConfig;
  /** Bytes that stay free on the disk of `state`: readings that would use them are not taken over. Default: 67 108 864 (64 MiB). */
  readonly reserveBytes?: Size;
  /** Address and port of `/healthz`, `/readyz` and `/metrics`, alone or with TLS and token. Default: not served. */
  readonly listen?: Text | ListenConfig;
  /** Other forwarders with the same nodes, which share them evenly by leases in NATS. Default: this one has all its nodes. */
  readonly cluster?: ClusterConfig;
  /** Milliseconds that `--once` waits for the sinks. Default: 30 000. */
  readonly onceDeadlineMs?: Duration;
  /** Milliseconds that the sinks get for what is in the spool when the forwarder stops. Default: 10 000. */
  readonly drainMs?: Duration;
  /** Destinations of records, each at its own pace. Default: none. */
  readonly sinks?: readonly SinkConfig[];
}

/** Tables of marks that are read. In patterns `*` stands for any characters. */
interface Watch {
  /** Patterns of names of nodes. Default: all. */
  readonly nodes?: readonly Text[];
  /** The arena. */
  readonly arena: Text;
  /** Patterns of names of profiles. Default: all. */
  readonly profiles?: readonly Text[];
  /** Types of marks. Default: all four; the log names once those that a node refuses. */
  readonly types?: readonly MarkType[];
  /** Value of the header `User-Arena`. Default: that of the node, else the arena. */
  readonly userArena?: Text;
}

/** Limits on records that wait for a sink. */
interface SpoolConfig {
  /** Bytes of the waiting records of one sink. Default: 1 073 741 824 (1 GiB). */
  readonly maxBytes?: Size;
  /** Milliseconds after which a record has waited too long: as at `maxBytes`. 0: never. Default: 0. */
  readonly maxAgeMs?: Duration;
  /**
   * Reaction at `maxBytes`. `pause`: new records are kept for the other sinks only, and this one gets its tables from the
   * start, each with a `reset`, when it has room; tables that it takes alone are not read meanwhile. `drop-oldest`: its oldest
   * records are dropped. Default: `pause`.
   */
  readonly whenFull?: "pause" | "drop-oldest";
}

/** Limits on records that a sink refused for good. */
interface RejectedConfig {
  /** Bytes of the refused records of one sink. Default: 268 435 456 (256 MiB). */
  readonly maxBytes?: Size;
  /** Reaction at `maxBytes`: the oldest are dropped, or nothing more is delivered to the sink. Default: `drop-oldest`. */
  readonly whenFull?: "pause" | "drop-oldest";
}

/** Address of health and metrics, with TLS and token. */
interface ListenConfig {
  /** Address and port, as `127.0.0.1:9464`. */
  readonly address: Text;
  /** Certificate and key in PEM form. Default: no TLS. */
  readonly tls?: {
    /** Certificate. */
    readonly cert: Text;
    /** Its private key. A secret. */
    readonly key: Text;
  };
  /** Token that `/metrics` wants as `Authorization: Bearer …`. A secret. Default: none. */
  readonly token?: Text;
}

/** Connection to NATS. */
interface NatsConfig {
  /** Servers, as `nats://192.0.2.50:4222`. */
  readonly servers: readonly Text[];
  /** User name. Default: none. */
  readonly user?: Text;
  /** Its password. A secret. */
  readonly password?: Text;
  /** Token in place of user and password. A secret. */
  readonly token?: Text;
  /** TLS settings, in PEM form. Default: those that the server asks for. */
  readonly tls?: Written<TlsOptions>;
}

/** Several forwarders, of which one reads a node at a time. */
interface ClusterConfig extends NatsConfig {
  /** Bucket of NATS that holds the leases. Default: `packetfilter`. */
  readonly bucket?: Text;
  /** Milliseconds for which a lease holds without being renewed. Default: 6 000. */
  readonly leaseMs?: Duration;
  /** This forwarder's name among the others. Default: the machine's name and the state folder. */
  readonly member?: Text;
  /** Copies that NATS keeps of the bucket. Default: 1. */
  readonly replicas?: number;
}

/** Members of every sink. */
interface AnySink<Type extends string> {
  /** The kind of sink. */
  readonly type: Type;
  /** Its name in logs, metrics and files: letters, digits and `. _ -`. */
  readonly name: Text;
  /** Records that wait for it. Default: as the configuration's `spool`. */
  readonly spool?: SpoolConfig;
  /** Records that it refused for good. Default: as the configuration's `rejected`. */
  readonly rejected?: RejectedConfig;
  /** The tables that it takes, and which of their records; in patterns `*` stands for any characters. Default: all. */
  readonly only?: Written<TableFilter & RecordFilter>;
  /** Limits of one delivery. */
  readonly batch?: {
    /** Records in one delivery. Default: 10 000. */
    readonly maxRecords?: number;
    /** Bytes of one delivery, before compression. Default: 4 194 304 (4 MiB). */
    readonly maxBytes?: Size;
  };
}

/** Sinks that POST. */
interface HttpMembers<Type extends string> extends AnySink<Type> {
  /**
   * An http or https url: the base, to which the protocol's path is appended, or whole with that path. User name and password in it
   * are basic authentication; every value of a query string is a secret.
   */
  readonly url: Text;
  /** Further request headers. Secrets. Default: none. */
  readonly headers?: Readonly<Record<string, Text>>;
  /** TLS settings, in PEM form; only with https. */
  readonly tls?: Written<TlsOptions>;
  /** Whether bodies are compressed. Default: false. */
  readonly gzip?: boolean;
  /** Whether they are compressed with zstd instead, which needs Node 22.15. Default: false. */
  readonly zstd?: boolean;
  /** Milliseconds until an answer begins, and then without a byte of it. Default: 30 000. */
  readonly timeoutMs?: Duration;
  /** Whether HTTP 307 and 308 to another path of the same server are followed, with the records. Default: false: it is a failure. */
  readonly followRedirects?: boolean;
  /** Milliseconds for one delivery with its whole answer, redirects included. Default: 30 000. */
  readonly deadlineMs?: Duration;
}

/** Lines of JSON on standard output. Nothing acknowledges. */
type StdoutSink = AnySink<"stdout">;

/** A file with a line of JSON a record. */
interface FileSink extends AnySink<"file"> {
  /** Path, from the folder of the configuration. */
  readonly path: Text;
  /** Bytes at which the file becomes `path.1`. Default: 104 857 600 (100 MiB). */
  readonly rotateBytes?: Size;
  /** Number of such files that are kept. Default: 10. */
  readonly keep?: number;
}

/** NDJSON by POST. */
interface HttpSink extends HttpMembers<"http"> {
  /** The acknowledgement. Default: any 2xx that is not `text/html`, which a proxy or a sign-in page answers. */
  readonly expect?: {
    /** Statuses from 200 to 299. Default: all of them. */
    readonly status?: readonly number[];
    /** A text in the body, which then may also be HTML. Default: none. */
    readonly contains?: Text;
  };
}

/** `_bulk` of Elasticsearch, OpenSearch or VictoriaLogs, at the base `url`. */
interface ElasticsearchSink extends HttpMembers<"elasticsearch"> {
  /** Index or data stream. */
  readonly index: Text;
}

/** OpenTelemetry logs as protobuf, to `…/v1/logs`, or over gRPC. Needs `@opentelemetry/otlp-transformer`. */
interface OtlpSink extends HttpMembers<"otlp"> {
  /** Protocol of the server; with `grpc` there is no path in `url`, and no proxy. Default: `http`. */
  readonly protocol?: "http" | "grpc";
}

/** Splunk's HTTP Event Collector, at the base `url`; code 0 acknowledges. */
interface SplunkSink extends HttpMembers<"splunk"> {
  /** The collector's token. A secret. */
  readonly token: Text;
  /** Index of the events. Default: that of the token. */
  readonly index?: Text;
  /** Source type of the events. Default: `packetfilter:mark`. */
  readonly sourcetype?: Text;
  /** Whether only the indexers acknowledge, which are asked for it; the token must have it. Default: false: the collector does. */
  readonly indexerAcknowledgement?: boolean;
}

/** Grafana Loki, or what takes its push as JSON, at the base `url`; 204 acknowledges. */
interface LokiSink extends HttpMembers<"loki"> {
  /** Further labels of all streams. Default: none beside `job`, `node`, `arena`, `profile` and `type`. */
  readonly labels?: Readonly<Record<string, Text>>;
}

/** RFC 5424 with framed lengths. Nothing acknowledges. */
interface SyslogSink extends AnySink<"syslog"> {
  /** Host name or address. */
  readonly host: Text;
  /** Port. Default: 6514. */
  readonly port?: number;
  /** Whether there is TLS, or its settings in PEM form. Default: false. */
  readonly tls?: boolean | Written<TlsOptions>;
  /** Form of a message: JSON, or CEF. Default: `json`. */
  readonly message?: "json" | "cef";
  /** Milliseconds without a byte taken. Default: 30 000. */
  readonly timeoutMs?: Duration;
}

/** A stream of NATS JetStream. Needs `@nats-io/transport-node`, `@nats-io/jetstream` and `@nats-io/kv`. */
interface NatsSink extends AnySink<"nats">, NatsConfig {
  /** The stream. */
  readonly stream: Text;
  /** Subject; `{node}`, `{arena}`, `{profile}`, `{type}` and `{event}` stand for what a record says. Default: `marks.{node}.{arena}.{profile}.{type}`. */
  readonly subject?: Text;
  /** Whether a stream that is missing is made. Default: true. */
  readonly create?: boolean;
  /** Milliseconds until an acknowledgement. Default: 5 000. */
  readonly timeoutMs?: Duration;
}

/** A topic of Kafka. Needs `@platformatic/kafka` and Node 22.22. */
interface KafkaSink extends AnySink<"kafka"> {
  /** Brokers, as `192.0.2.40:9092`. */
  readonly brokers: readonly Text[];
  /** The topic. */
  readonly topic: Text;
  /** Whether there is TLS, or its settings in PEM form. Default: false. */
  readonly tls?: boolean | Written<TlsOptions>;
  /** Authentication. Default: none. */
  readonly sasl?: {
    /** The mechanism. */
    readonly mechanism: "PLAIN" | "SCRAM-SHA-256" | "SCRAM-SHA-512";
    /** User name. */
    readonly username: Text;
    /** Its password. A secret. */
    readonly password: Text;
  };
  /** Milliseconds until the brokers acknowledge. Default: 30 000. */
  readonly timeoutMs?: Duration;
}

/** A sink, with the members of its `type` (docs/forwarder.md#configuration). */
export type SinkConfig =
  | StdoutSink
  | FileSink
  | HttpSink
  | ElasticsearchSink
  | OtlpSink
  | SplunkSink
  | LokiSink
  | SyslogSink
  | NatsSink
  | KafkaSink;
