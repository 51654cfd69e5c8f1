import type { JetStreamClient } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { z } from "zod";
import { SINK_DEFAULTS, SIZES } from "../defaults";
import { duration, flag, members, text } from "../fields";
import { formatter } from "../record/formats";
import type { ForwardRecord } from "../record/record";
import { connectNats, loadNats, type Nats, natsFields, natsWords, splitServer } from "./nats-connection";
import { type Delivered, messageSink, type Rejected, SinkFailure, sinkKind, sinkNamed } from "./sink";

const schema = members({
  ...natsFields,
  stream: text.regex(/^[^\s.*>/\\]+$/, { error: "may have no spaces, and no . * > / \\" }),
  subject: text.default(SINK_DEFAULTS.subject),
  create: flag.default(true),
  timeoutMs: duration(1, 600_000).default(SINK_DEFAULTS.natsTimeoutMs),
});

type Options = z.infer<typeof schema>;

/** JSStreamMessageExceedsMaximumErr: larger than the stream takes. */
const TOO_LARGE = 10_054;
/** JSStreamNotFoundErr. */
const NOT_FOUND = 10_059;

/**
 * NATS JetStream. A message is acknowledged when the stream has stored it; the record's id is its `Nats-Msg-Id`, so that a
 * repeat within the stream's duplicate window is stored once.
 */
export const nats = sinkKind(
  schema,
  async (context, { subject }) => {
    const library = await loadNats(sinkNamed(context.name));
    const format = formatter(context.format);
    const link = new Link(library, () => context.options(schema), context.name);
    const messageOf = (record: ForwardRecord): Message => {
      return { record, subject: subjectOf(subject, record), payload: Buffer.from(JSON.stringify(format(record))) };
    };
    return messageSink(link, messageOf, ({ payload }) => payload.length);
  },
  { load: loadNats },
);

/** A record as JetStream gets it. */
interface Message {
  readonly record: ForwardRecord;
  readonly subject: string;
  readonly payload: Buffer;
}

function subjectOf(pattern: string, { node, arena, profile, type, event }: ForwardRecord): string {
  const values: Readonly<Record<string, string>> = { node, arena, profile, type, event };
  // Dots, wildcards and spaces mean something in a subject, or are not allowed there.
  return pattern.replace(/\{(\w+)\}/g, (_, name: string) => (values[name] ?? "").replace(/[\s.*>\u007f]/g, "_") || "_");
}

/** The connection and the stream, made when the first record comes. */
class Link {
  private connection: NatsConnection | undefined;
  private client: JetStreamClient | undefined;

  constructor(
    private readonly library: Nats,
    private readonly options: () => Options,
    private readonly name: string,
  ) {}

  async publish(messages: readonly Message[], signal: AbortSignal): Promise<Delivered> {
    const client = await this.opened();
    const options = this.options();
    const rejected: Rejected[] = [];
    const left = new Set(messages);
    let reason: string | undefined;
    const room = this.connection?.info?.max_payload ?? Number.POSITIVE_INFINITY;
    const send = async (message: Message) => {
      const { record, subject, payload } = message;
      try {
        if (payload.length > room) throw new TooLarge(`the server takes ${room} bytes`);
        await client.publish(subject, payload, { msgID: record.recordId, timeout: options.timeoutMs });
      } catch (error) {
        const words = natsWords(error, options);
        if (!this.isRefusal(error)) {
          reason ??= `JetStream did not acknowledge: ${words}`;
          return;
        }
        rejected.push({ record, reason: words });
      }
      left.delete(message);
    };
    for (let start = 0; start < messages.length; start += SIZES.natsInFlight) {
      if (signal.aborted || reason !== undefined) break;
      await Promise.all(messages.slice(start, start + SIZES.natsInFlight).map(send));
    }
    return { rejected, again: [...left].map(({ record }) => record), ...(reason !== undefined && { reason }) };
  }

  async close(): Promise<void> {
    await this.connection?.close();
  }

  private isRefusal(error: unknown): boolean {
    if (error instanceof TooLarge) return true;
    return error instanceof this.library.jetstream.JetStreamApiError && error.code === TOO_LARGE;
  }

  private async opened(): Promise<JetStreamClient> {
    if (this.client && this.connection && !this.connection.isClosed()) return this.client;
    const options = this.options();
    try {
      this.connection = await connectNats(this.library, options, this.name);
      if (options.create) await this.ensureStream(this.connection, options);
      this.client = this.library.jetstream.jetstream(this.connection);
      return this.client;
    } catch (error) {
      await this.connection?.close().catch(() => {});
      this.connection = undefined;
      throw new SinkFailure(
        `NATS at ${options.servers.map((server) => splitServer(server).shown).join(", ")}: ${natsWords(error, options)}`,
      );
    }
  }

  /** Makes the stream when there is none; one that is there is left as it is. */
  private async ensureStream(connection: NatsConnection, options: Options): Promise<void> {
    const { jetstream } = this.library;
    const manager = await jetstream.jetstreamManager(connection);
    try {
      await manager.streams.info(options.stream);
    } catch (error) {
      if (!(error instanceof jetstream.JetStreamApiError && error.code === NOT_FOUND)) throw error;
      await manager.streams.add({
        name: options.stream,
        subjects: [options.subject.replace(/\{\w+\}/g, "*")],
      });
    }
  }
}

class TooLarge extends Error {
  override readonly name = "TooLarge";
}
