import { type IncomingMessage, request as overHttp } from "node:http";
import { request as overHttps } from "node:https";
import { UPSTREAM_BYTES, UPSTREAM_TIMEOUT_MS } from "../defaults";
import type { Reply } from "../http/reply";
import type { Incoming } from "../serving/api";

/** Headers of a connection, not of a request (RFC 9110, section 7.6.1), and headers that are replaced. */
const OWN = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "host",
  "content-length",
  // Answers are recorded as text. An answer that is nevertheless compressed is passed on unchanged.
  "accept-encoding",
  "expect",
]);

/** Headers of an answer that affect a caller. */
const PASSED = ["content-encoding", "retry-after", "location", "www-authenticate", "user-arena"] as const;

/** A real node or receiver behind the emulator. */
export class Upstream {
  /** @param base Address that replaces `path`, the beginning of the paths that are passed on. */
  constructor(
    private readonly base: URL,
    private readonly path: string,
    private readonly signal: AbortSignal,
    private readonly maxBytes = UPSTREAM_BYTES,
  ) {}

  /**
   * Passes a request on, credentials included, and returns the answer.
   *
   * @throws the system's error without an answer, and an error that names the limit for a larger answer.
   */
  async send({ method, target, headers, body }: Incoming): Promise<Reply> {
    const url = new URL(this.base);
    url.pathname = `${url.pathname.replace(/\/$/, "")}${target.slice(this.path.length)}`;
    const passed = Object.entries(headers).filter(([name]) => !OWN.has(name));
    const send = url.protocol === "https:" ? overHttps : overHttp;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = {
        method,
        headers: Object.fromEntries(passed),
        signal: this.signal,
        timeout: UPSTREAM_TIMEOUT_MS,
      };
      const request = send(url, options, resolve);
      request.on("error", reject);
      request.on("timeout", () => request.destroy(new Error(`no answer within ${UPSTREAM_TIMEOUT_MS / 1000} s`)));
      request.end(body);
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response) {
      bytes += chunk.length;
      // An error in the loop ends the connection.
      if (bytes > this.maxBytes) throw new Error(`the answer is larger than ${this.maxBytes} bytes`);
      chunks.push(chunk);
    }
    const type = response.headers["content-type"];
    const kept = PASSED.flatMap((name) => {
      const value = response.headers[name];
      return value === undefined ? [] : [[name, String(value)] as const];
    });
    return {
      status: response.statusCode ?? 502,
      ...(type !== undefined && { type }),
      body: Buffer.concat(chunks),
      headers: Object.fromEntries(kept),
    };
  }
}
