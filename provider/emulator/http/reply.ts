import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { PACED_BYTES } from "../defaults";

/** An answer before it is sent. */
export interface Reply {
  readonly status: number;
  /** Content type; absent for an empty body. */
  readonly type?: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** True for a refusal, whatever its status. */
  readonly refused?: true;
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

/** Statuses of answers that have no body (RFC 9110, 15.3.5, 15.3.6 and 15.4.5). */
export const BODILESS: readonly number[] = [204, 205, 304];

/** The bytes of a body, as they are sent. */
export function encode({ status, body }: Pick<Reply, "status" | "body">): Buffer {
  const sent = BODILESS.includes(status) ? "" : body;
  return typeof sent === "string" ? Buffer.from(sent) : sent;
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

/** Sends an answer. */
export async function send(response: ServerResponse, reply: Reply, options: SendOptions = {}): Promise<void> {
  const body = encode(reply);
  response.writeHead(reply.status, {
    ...(reply.type && { "content-type": reply.type }),
    ...(reply.status !== 204 && reply.status !== 304 && { "content-length": body.length }),
    ...(options.close && { connection: "close" }),
    ...reply.headers,
  });
  const { pace } = options;
  const size = pace ? PACED_BYTES : Math.max(body.length, 1);
  let last: Buffer = Buffer.alloc(0);
  for (let from = 0; from < body.length; from += size) {
    if (last.length > 0) response.write(last);
    last = body.subarray(from, from + size);
    await pace?.(last.length);
    if (pace && response.destroyed) return;
    options.passing?.(last);
  }
  options.measured?.(body.length);
  if (options.close) response.end(last, () => response.socket?.destroySoon());
  else response.end(last);
}

/** Sends an answer and breaks the connection in the middle of its body. */
export function sendTruncated(response: ServerResponse, reply: Reply): void {
  const whole = encode(reply);
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
