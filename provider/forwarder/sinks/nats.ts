import type { JetStreamClient } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { z } from "zod";
import { SINK_DEFAULTS, SIZES } from "../defaults";
import { duration, flag, members, text, whole } from "../fields";
import { formatter } from "../record/formats";
import type { ForwardRecord } from "../record/record";
import { inSlicesOf } from "../slices";
import { connectNats, loadNats, type Nats, natsFields, natsWords } from "./nats-connection";
import { type Delivered, type Rejected, type Sink, SinkFailure, sinkKind, sinkNamed } from "./sink";

const schema = members({
  ...natsFields,
  stream: text.regex(/^[^\s.*>/\\]+$/, { error: "may have no spaces, and no . * > / \\" }),
  subject: text.default(SINK_DEFAULTS.subject),
  create: flag.default(true),
  recordsPerMessage: whole(1, 1_000).default(SINK_DEFAULTS.recordsPerMessage),
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
  async (context): Promise<Sink<readonly Payload[]>> => {
    const library = await loadNats(sinkNamed(context.name));
    const format = formatter(context.format);
    const link = new Link(library, () => context.options(schema), context.name);
    return {
      async write(records) {
        const options = context.options(schema);
        const messages = await inSlicesOf(await records.records(), (slice) =>
          messagesOf(slice, options.subject, options.recordsPerMessage).map((one) => ({
            ...one,
            payload: Buffer.from(one.records.map((record) => JSON.stringify(format(record))).join("\n")),
          })),
        );
        const payload = messages.flat();
        return { payload, bytes: payload.reduce((sum, one) => sum + one.payload.length, 0) };
      },
      deliver(parcels, signal) {
        return link.publish(
          parcels.flatMap(({ payload }) => payload),
          context.options(schema),
          signal,
        );
      },
      close: () => link.close(),
    };
  },
  loadNats,
);

interface Message {
  readonly subject: string;
  readonly id: string;
  readonly records: readonly ForwardRecord[];
}

/** A message with what it says. */
interface Payload extends Message {
  readonly payload: Buffer;
}

/** Neighbouring records of one subject, so many a message. */
function messagesOf(records: readonly ForwardRecord[], pattern: string, perMessage: number): Message[] {
  const messages: { subject: string; id: string; records: ForwardRecord[] }[] = [];
  for (const record of records) {
    const subject = subjectOf(pattern, record);
    const last = messages.at(-1);
    if (last && last.subject === subject && last.records.length < perMessage) last.records.push(record);
    else messages.push({ subject, id: record.recordId, records: [record] });
  }
  // A message of several is another one when it holds more or less.
  return messages.map((one) =>
    one.records.length === 1 ? one : { ...one, id: `${one.id}+${one.records.length - 1}` },
  );
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

  async publish(messages: readonly Payload[], { timeoutMs }: Options, signal: AbortSignal): Promise<Delivered> {
    const client = await this.opened();
    const rejected: Rejected[] = [];
    const again: ForwardRecord[] = [];
    let reason: string | undefined;
    const room = this.connection?.info?.max_payload ?? Number.POSITIVE_INFINITY;
    for (let start = 0; start < messages.length; start += SIZES.natsInFlight) {
      const group = messages.slice(start, start + SIZES.natsInFlight);
      if (signal.aborted || reason !== undefined) {
        again.push(...group.flatMap(({ records }) => records));
        continue;
      }
      const results = await Promise.allSettled(
        group.map(async ({ subject, id, payload }) => {
          if (payload.length > room) throw new TooLarge(`the server takes ${room} bytes`);
          return client.publish(subject, payload, { msgID: id, timeout: timeoutMs });
        }),
      );
      for (const [index, result] of results.entries()) {
        if (result.status === "fulfilled") continue;
        const records = group[index]?.records ?? [];
        const words = natsWords(result.reason, this.options());
        if (this.isRefusal(result.reason)) rejected.push(...records.map((record) => ({ record, reason: words })));
        else {
          again.push(...records);
          reason ??= `JetStream did not acknowledge: ${words}`;
        }
      }
    }
    return { rejected, again, ...(reason !== undefined && { reason }) };
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
      throw new SinkFailure(`NATS at ${options.servers.map(withoutSecrets).join(", ")}: ${natsWords(error, options)}`);
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

function withoutSecrets(server: string): string {
  return server.replace(/^([a-z]+:\/\/)?[^@/]*@/, "$1");
}
