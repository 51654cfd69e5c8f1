import { z } from "zod";
import { messageOf } from "../../model/errors";
import { MARK_TYPES } from "../../model/mark";
import { SINK_DEFAULTS } from "../defaults";
import { duration, members, patterns, size, text, whole } from "../fields";
import type { Format } from "../record/formats";
import type { Outgoing } from "../record/outgoing";
import type { ForwardRecord } from "../record/record";
import { joined } from "../record/sheet";
import type { Log } from "../telling/troubles";
import { Unavailable } from "../unavailable";
import type { Environment, ForwarderWorld } from "../world";

/** Destination of records. Each kind has a file in this folder and a line in `kinds.ts`. */
export interface Sink<Payload = unknown> {
  /** Writes records as they are sent, while a delivery may be under way. */
  write(records: Outgoing): Promise<Omit<Parcel<Payload>, "records">>;
  /**
   * Delivers what was written, in its order. A return means: acknowledged, except for the records that the answer names.
   *
   * @throws {SinkFailure} when nothing is known to be delivered: all of it is sent again after a pause.
   */
  deliver(parcels: readonly Parcel<Payload>[], signal: AbortSignal): Promise<Delivered>;
  close(): Promise<void>;
}

/** Some of a delivery: records, and as the sink sends them. */
export interface Parcel<Payload = unknown> {
  readonly records: Outgoing;
  readonly payload: Payload;
  readonly bytes: number;
}

export interface BatchLimits {
  readonly maxRecords: number;
  /** As they are sent, before compression. A single record is always allowed, whatever its size. */
  readonly maxBytes: number;
}

/** Writes records so that a delivery can be made of them. */
export async function parcelOf<Payload>(
  sink: Pick<Sink<Payload>, "write">,
  records: Outgoing,
): Promise<Parcel<Payload>> {
  return { ...(await sink.write(records)), records };
}

/** The same in as many parcels as the limits ask for. */
export async function parcelsOf(
  sink: Pick<Sink, "write">,
  records: Outgoing,
  { maxRecords, maxBytes }: BatchLimits,
): Promise<Parcel[]> {
  let parts = Math.ceil(records.count / maxRecords);
  if (parts === 1) {
    const parcel = await parcelOf(sink, records);
    if (parcel.bytes <= maxBytes || records.count === 1) return [parcel];
    parts = Math.min(records.count, Math.ceil(parcel.bytes / maxBytes) + 1);
  }
  const parcels: Parcel[] = [];
  for (const part of records.split(parts)) {
    parcels.push(...(await parcelsOf(sink, part, { maxRecords, maxBytes })));
  }
  return parcels;
}

/** A sink of bytes: those of a delivery are sent as one piece. */
export function byteSink(
  write: (records: Outgoing) => Promise<Buffer>,
  send: (bytes: Buffer, signal: AbortSignal) => Promise<void>,
  close: () => Promise<void>,
): Sink<Buffer> {
  return {
    async write(records) {
      const payload = await write(records);
      return { payload, bytes: payload.length };
    },
    async deliver(parcels, signal) {
      await send(joined(parcels.map(({ payload }) => payload)), signal);
      return {};
    },
    close,
  };
}

/** Connection of a sink that sends each record as a message of its own. */
interface Bus<Message> {
  publish(messages: readonly Message[], signal: AbortSignal): Promise<Delivered>;
  close(): Promise<void>;
}

/** A sink of messages, one a record. */
export function messageSink<Message>(
  bus: Bus<Message>,
  messageOf: (record: ForwardRecord) => Message,
  bytesOf: (message: Message) => number,
): Sink<readonly Message[]> {
  return {
    async write(records) {
      const payload = await records.map(messageOf);
      return { payload, bytes: payload.reduce((sum, message) => sum + bytesOf(message), 0) };
    },
    deliver: (parcels, signal) =>
      bus.publish(
        parcels.flatMap(({ payload }) => payload),
        signal,
      ),
    close: () => bus.close(),
  };
}

/** Outcome of records; those that are named nowhere are delivered. */
export interface Delivered {
  /** Refused for good. */
  readonly rejected?: readonly Rejected[];
  /** To be sent again, in this order. */
  readonly again?: readonly ForwardRecord[];
  /** Why, where there is something to send again. */
  readonly reason?: string;
  /** Milliseconds that the other side asks to wait first. */
  readonly afterMs?: number;
}

/** A record that a sink refused for good, with the other side's reason. */
export interface Rejected {
  readonly record: ForwardRecord;
  readonly reason: string;
}

/** All of it is refused for good, for one reason. */
export function allRejected(records: readonly ForwardRecord[], reason: string): Delivered {
  return { rejected: records.map((record) => ({ record, reason })) };
}

/** Nothing of a delivery is known to have arrived. The message is a sentence without secrets. */
export class SinkFailure extends Error {
  override readonly name = "SinkFailure";

  constructor(
    message: string,
    /** Milliseconds that the other side asks to wait. */
    readonly afterMs?: number,
    /** The credentials were refused (HTTP 401): those from files are read again. */
    readonly unauthorized = false,
    /** The deadline of a request, in milliseconds, if that was over: the sink is stuck. */
    readonly lateMs?: number,
  ) {
    super(message);
  }
}

/** Thrown when the destination of a sink is gone for good: the forwarder ends, and keeps undelivered records. */
export class SinkGone extends Error {
  override readonly name = "SinkGone";
}

export interface SinkContext {
  readonly name: string;
  readonly format: Format;
  /** Relative paths of the configuration start here. */
  readonly folder: string;
  readonly world: ForwarderWorld;
  /** Variables of the environment, which name proxies. */
  readonly env: Environment;
  /** Log for what a sink repairs by itself. Default: none. */
  readonly log?: Pick<Log, "info">;
  /** Standard output; resolves when the text is written, rejects with `EPIPE` once it has no reader any more. */
  stdout(text: string): Promise<void>;
  /** Texts of its `url` that variables and files gave, as they are now. */
  secretsInUrl(): readonly string[];
  /** The sink's own options as they are now: secrets from files can change. */
  options<Options>(schema: z.ZodType<Options>): Options;
}

export interface SinkKind {
  /** The members of its configuration beside those that all sinks have. */
  readonly schema: z.ZodType;
  /** Makes a sink; connections are made when the first record is delivered. @throws {Error} when a package is missing. */
  open(context: SinkContext): Promise<Sink>;
  /** Loads what it needs beside this package. @throws {Unavailable} when that is missing. */
  load?(user: string): Promise<unknown>;
  /** The address that it POSTs to, by its own members. Default: it has none. */
  target?(own: unknown): URL;
  /** Milliseconds that a delivery may wait in addition to its requests, by its own members. Default: 0. */
  waitMs?(own: unknown): number;
}

/** Makes a kind of sink from its schema and from what opens one with its options. */
export function sinkKind<Options>(
  schema: z.ZodType<Options>,
  open: (context: SinkContext, options: Options) => Promise<Sink>,
  { load, target, waitMs }: Pick<SinkKind, "load"> & OfOptions<Options> = {},
): SinkKind {
  return {
    schema,
    open: (context) => open(context, context.options(schema)),
    ...(load && { load }),
    ...(target && { target: (own) => target(schema.parse(own)) }),
    ...(waitMs && { waitMs: (own) => waitMs(schema.parse(own)) }),
  };
}

/** Facts about a sink that follow from its options alone. */
interface OfOptions<Options> {
  readonly target?: (options: Options) => URL;
  readonly waitMs?: (options: Options) => number;
}

/** Who needs something, as messages begin. */
export function sinkNamed(name: string): string {
  return `Sink "${name}"`;
}

/**
 * Loads packages that only some configurations need, and that are therefore installed beside this one.
 *
 * @param user What needs them: `Sink "bus"`.
 * @throws {Unavailable} with the command that installs what is missing.
 */
export async function loadOptional<T>(user: string, packages: readonly string[], load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const [reason] = messageOf(error).split("\n");
    throw new Unavailable(`${user} needs missing packages: npm install ${packages.join(" ")} (${reason}).`);
  }
}

const whenFull = z.enum(["pause", "drop-oldest"], { error: 'must be "pause" or "drop-oldest"' });

/** Limits on a sink's unread part of the spool. */
export const spoolFields = {
  maxBytes: size(65_536, Number.MAX_SAFE_INTEGER).optional(),
  maxAgeMs: duration(0, Number.MAX_SAFE_INTEGER).optional(),
  whenFull: whenFull.optional(),
};

/** Limits on records that a sink refuses for good. */
export const rejectedFields = {
  maxBytes: size(65_536, Number.MAX_SAFE_INTEGER).optional(),
  whenFull: whenFull.optional(),
};

const batchFields = {
  maxRecords: whole(1, 100_000).default(SINK_DEFAULTS.batch.maxRecords),
  maxBytes: size(1_024, 67_108_864).default(SINK_DEFAULTS.batch.maxBytes),
};

/** Integers; beyond 2⁵³ as text, or they would be others. */
const INTEGER = { error: "must be an integer, beyond 2⁵³ as a text" };
const integers = z
  .array(z.union([z.int(), z.string().regex(/^-?\d+$/, INTEGER)], INTEGER), { error: "must be a list of integers" })
  .min(1, { error: "must not be empty" });

export const commonFields = {
  name: text.regex(/^\w[\w.-]{0,63}$/, {
    error: "begins with a letter, digit or _, and may have these and . -, at most 64",
  }),
  batch: members(batchFields).default(SINK_DEFAULTS.batch),
  spool: members(spoolFields).optional(),
  rejected: members(rejectedFields).optional(),
  only: members({
    nodes: patterns.optional(),
    arenas: patterns.optional(),
    profiles: patterns.optional(),
    types: z.array(z.enum(MARK_TYPES)).min(1).optional(),
    ids: integers.optional(),
    values: integers.optional(),
    minLifetime: whole(1, Number.MAX_SAFE_INTEGER).optional(),
  }).optional(),
};
