import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { z } from "zod";
import { messageOf } from "../../model/errors";
import { visibleJson } from "../../model/foreign-text";
import { SINK_DEFAULTS, SIZES, TIMES } from "../defaults";
import { duration, members, text, tlsOrNot, whole } from "../fields";
import { cef, formatter } from "../record/formats";
import type { ForwardRecord } from "../record/record";
import { written } from "../slices";
import type { ForwarderWorld } from "../world";
import { byteSink, SinkFailure, sinkKind } from "./sink";

const schema = members({
  host: text,
  port: whole(1, 65_535).default(SINK_DEFAULTS.syslogPort),
  tls: tlsOrNot,
  message: z.enum(["json", "cef"], { error: 'must be "json" or "cef"' }).default("json"),
  timeoutMs: duration(1, 600_000).default(SINK_DEFAULTS.timeoutMs),
});

/** Facility local0, severity informational (RFC 5424, section 6.2.1). */
const PRIORITY = 16 * 8 + 6;

/**
 * Syslog (RFC 5424) over TCP or TLS, frames by octet counting (RFC 6587, section 3.4.1; RFC 5425). The protocol has no
 * acknowledgement: a record counts as delivered once the machine's network stack has it, and may be lost when a connection
 * breaks.
 */
export const syslog = sinkKind(schema, async (context, options) => {
  const format = formatter(context.format);
  const text = options.message === "cef" ? cef : (record: ForwardRecord) => visibleJson(JSON.stringify(format(record)));
  const connection = new SyslogConnection(() => context.options(schema), context.world);
  return byteSink(
    async (records) => Buffer.from(await written(await records.records(), (record) => frame(record, text(record)))),
    (frames, signal) => connection.write(frames, signal),
    () => connection.close(),
  );
});

/** One message with its length before it. */
function frame(record: ForwardRecord, message: string): string {
  // Names are printable ASCII without spaces there.
  const host = record.node.replace(/[^\x21-\x7e]/g, "_").slice(0, 255) || "-";
  const body = `<${PRIORITY}>1 ${record.timestamp} ${host} packetfilter - mark-${record.event} - ${message}`;
  return `${Buffer.byteLength(body)} ${body}`;
}

/** A connection that is made when needed, and made again after it broke. */
class SyslogConnection {
  private socket: Socket | undefined;

  constructor(
    private readonly options: () => z.infer<typeof schema>,
    private readonly world: ForwarderWorld,
  ) {}

  /** @throws {SinkFailure} when the bytes were not taken. */
  async write(bytes: Buffer, signal: AbortSignal): Promise<void> {
    const { host, port, timeoutMs } = this.options();
    const fail = (error: unknown) => new SinkFailure(`${host}:${port}: ${messageOf(error)}`);
    const socket = await this.connected(signal).catch((error: unknown) => {
      throw fail(error);
    });
    for (let at = 0; at < bytes.length; at += SIZES.syslogBytes) {
      const piece = bytes.subarray(at, at + SIZES.syslogBytes);
      await this.writePiece(socket, piece, timeoutMs, signal).catch((error: unknown) => {
        throw fail(error);
      });
    }
  }

  /** Resolves when the machine's network stack has it. */
  private async writePiece(socket: Socket, piece: Buffer, timeoutMs: number, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const end = (error?: Error | null): void => {
        cancel();
        signal.removeEventListener("abort", aborted);
        socket.off("close", closed);
        if (error) {
          socket.destroy();
          reject(error);
        } else resolve();
      };
      const aborted = (): void => end(new Error("cancelled"));
      const closed = (): void => end(new Error("the connection was closed"));
      const cancel = this.world.after(timeoutMs, () => end(new Error(`no data was taken within ${timeoutMs} ms`)));
      signal.addEventListener("abort", aborted, { once: true });
      socket.once("close", closed);
      socket.write(piece, end);
    });
  }

  /** Ends the connection once what was written has left, or after a bounded time. */
  async close(): Promise<void> {
    const { socket } = this;
    this.socket = undefined;
    if (!socket || socket.destroyed) return;
    const cancel = this.world.after(TIMES.syslogCloseMs, () => void socket.destroy());
    await new Promise<void>((resolve) => socket.once("close", resolve).end());
    cancel();
  }

  private async connected(signal: AbortSignal): Promise<Socket> {
    if (this.socket && !this.socket.destroyed && this.socket.writable) return this.socket;
    const { host, port, tls, timeoutMs } = this.options();
    const { serverName: servername = host, ...files } = tls ?? {};
    // Loaded with its first connection, since that reads all roots of trust.
    const connectTls = tls && (await import("node:tls")).connect;
    const socket = connectTls ? connectTls({ host, port, servername, ...files }) : connectTcp({ host, port });
    // Later errors come with a close, which the next write sees.
    socket.on("error", () => {}).once("end", () => socket.destroy());
    const aborted = (): void => void socket.destroy(new Error("cancelled"));
    const cancel = this.world.after(timeoutMs, () => {
      socket.destroy(new Error(`no connection within ${timeoutMs} ms`));
    });
    signal.addEventListener("abort", aborted, { once: true });
    try {
      await once(socket, tls ? "secureConnect" : "connect");
    } finally {
      cancel();
      signal.removeEventListener("abort", aborted);
    }
    this.socket = socket;
    // The server sends nothing; reading notices the end of the connection.
    return socket.resume();
  }
}
