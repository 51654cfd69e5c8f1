import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { TLSSocket } from "node:tls";
import { ANSWER_BYTES } from "../defaults";

/** An answer before it is sent. */
export interface Reply {
  readonly status: number;
  /** Content type; absent for an empty body. */
  readonly type?: string;
  /** A body in parts is generated while it is sent. */
  readonly body: string | Buffer | Iterable<Buffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

export const JSON_TYPE = "application/json";

export function json(status: number, value: unknown): Reply {
  return { status, type: JSON_TYPE, body: JSON.stringify(value) };
}

export function text(status: number, body: string): Reply {
  return { status, type: "text/plain; charset=utf-8", body };
}

/** A page like that of a proxy in front of a node. */
export function html(status: number, message: string): Reply {
  const title = message.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const body = `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`;
  return { status, type: "text/html; charset=utf-8", body };
}

/** A body: whole, or in parts. */
export function encode(body: Reply["body"]): Buffer | Iterable<Buffer> {
  return typeof body === "string" ? Buffer.from(body) : body;
}

export interface SendOptions {
  /** Ends the connection after the answer, for requests that were not read to their end. */
  readonly close?: boolean;
  /** Called with the length of the body before its end is sent. */
  readonly measured?: (bytes: number) => void;
  /** Called with each part of the body before it is sent. */
  readonly passing?: (part: Buffer) => void;
  /** Waits before so many more bytes are sent, for a limited bandwidth. */
  readonly pace?: (bytes: number) => Promise<void>;
}

/** Sends an answer. A long body is generated and sent in steps, at the reader's pace. */
export async function send(response: ServerResponse, reply: Reply, options: SendOptions = {}): Promise<void> {
  const body = encode(reply.body);
  response.writeHead(reply.status, {
    ...(reply.type && { "content-type": reply.type }),
    ...(Buffer.isBuffer(body) && { "content-length": body.length }),
    ...(options.close && { connection: "close" }),
    ...reply.headers,
  });
  const { pace } = options;
  const isWhole = Buffer.isBuffer(body) && !pace;
  let last: Buffer = Buffer.alloc(0);
  let bytes = 0;
  let generated = 0;
  for (const chunk of Buffer.isBuffer(body) ? [body] : body) {
    const size = pace ? ANSWER_BYTES.paced : chunk.length;
    for (let from = 0; from < chunk.length; from += size) {
      const part = chunk.subarray(from, from + size);
      await pace?.(part.length);
      if (response.destroyed && !isWhole) return;
      if (last.length > 0 && !response.write(last)) await drained(response);
      last = part;
      bytes += part.length;
      options.passing?.(part);
    }
    generated += chunk.length;
    if (isWhole || generated < ANSWER_BYTES.atOnce) continue;
    generated = 0;
    await setImmediate();
  }
  options.measured?.(bytes);
  if (options.close) response.end(last, () => response.socket?.destroySoon());
  else response.end(last);
}

/** Waits until more can be written, or the reader has disconnected. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
  });
}

/** Sends an answer and breaks the connection in the middle of its body. */
export function sendTruncated(response: ServerResponse, reply: Reply): void {
  const body = encode(reply.body);
  const whole = Buffer.isBuffer(body) ? body : Buffer.concat([...body]);
  // An answer without a body announces one, so that there is something to break off.
  const announced = Math.max(whole.length, 2);
  response.writeHead(reply.status, { ...(reply.type && { "content-type": reply.type }), "content-length": announced });
  response.flushHeaders();
  response.write(whole.subarray(0, Math.floor(whole.length / 2)), () => response.destroy());
}

/** Breaks a connection with a TCP reset; under TLS, which has no reset, by closing it. */
export function reset(socket: Socket | null): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else if (socket?.destroyed === false) socket.resetAndDestroy();
}
