import { type IncomingMessage, request as overHttp } from "node:http";
import { request as overHttps } from "node:https";
import { posix } from "node:path";
import { attempt } from "../../model/errors";
import { wholeBody } from "../../model/limited-body";
import { UPSTREAM_BYTES, UPSTREAM_DEADLINE_MS } from "../defaults";
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
    private readonly limits = { maxBytes: UPSTREAM_BYTES, deadlineMs: UPSTREAM_DEADLINE_MS },
  ) {}

  /**
   * True for a path that stays below the base, also for a server that decodes it once: then `..%2F` is a way up, and `%2F` in a
   * secret key is none.
   */
  reaches(target: string): boolean {
    const [path = ""] = target.split(/[?#]/);
    const decoded = attempt(() => decodeURIComponent(path))?.replaceAll("\\", "/");
    if (decoded === undefined || !decoded.startsWith(this.path)) return false;
    return posix.normalize(decoded).startsWith(this.path) && !decoded.includes("\0");
  }

  /**
   * Passes a request on, credentials included, and returns the answer.
   *
   * @throws the system's error without an answer, and an error that names the limit for an answer that is larger or takes longer.
   */
  async send({ method, target, headers, body }: Incoming): Promise<Reply> {
    const url = new URL(this.base);
    url.pathname = `${url.pathname.replace(/\/$/, "")}${target.slice(this.path.length)}`;
    const passed = Object.entries(headers).filter(([name]) => !OWN.has(name));
    const send = url.protocol === "https:" ? overHttps : overHttp;
    const { maxBytes, deadlineMs } = this.limits;
    const late = AbortSignal.timeout(deadlineMs);
    const signal = AbortSignal.any([this.signal, late]);
    const options = { method, headers: Object.fromEntries(passed), signal };
    let response: IncomingMessage;
    let answer: Buffer;
    try {
      response = await new Promise<IncomingMessage>((resolve, reject) => {
        send(url, options, resolve).on("error", reject).end(body);
      });
      answer = await wholeBody(response, maxBytes);
    } catch (error) {
      throw late.aborted ? new Error(`no whole answer within ${deadlineMs / 1000} s`) : error;
    }
    const type = response.headers["content-type"];
    const kept = PASSED.flatMap((name) => {
      const value = response.headers[name];
      return value === undefined ? [] : [[name, String(value)] as const];
    });
    return {
      status: response.statusCode ?? 502,
      ...(type !== undefined && { type }),
      body: answer,
      headers: Object.fromEntries(kept),
    };
  }
}
