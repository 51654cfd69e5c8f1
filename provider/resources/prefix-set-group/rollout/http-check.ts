import { senderHeaders } from "../../../client/endpoint";
import { Http, HttpFailure } from "../../../client/http";
import { formatDuration } from "../../../client/pauses";
import { Redactor } from "../../../client/redact";
import { Slots } from "../../../client/requester";
import { codeOf, messageOf } from "../../../model/errors";
import { sanitize } from "../../../model/foreign-text";
import { addTo } from "../../../model/group";
import { some } from "../../../model/text";
import { type Check, OK, urlFor } from "./arguments";
import type { CheckWorld, Unpassed } from "./wave-check";

/** Milliseconds for one request and its answer. */
export const REQUEST_MS = 10_000;
/** Connections to one server. */
const AT_ONCE = 16;
/** Limit on an answer, of which only the status counts. */
const MAX_ANSWER_BYTES = 1_048_576;

/** Requests a url for each node of a wave. A url that has passed is not requested again. */
export class HttpCheck {
  private readonly http: Http;
  private readonly redactor: Redactor;
  /** Urls that have not passed, with their nodes. */
  private readonly open = new Map<string, string[]>();
  private readonly slots: ReadonlyMap<string, Slots>;

  constructor(
    private readonly check: Check,
    nodes: readonly string[],
    private readonly world: Pick<CheckWorld, "world" | "signal">,
  ) {
    const url = check.url ?? "";
    this.redactor = new Redactor(Object.values(check.headers ?? {}));
    this.http = new Http(
      { timeoutMs: REQUEST_MS, connections: AT_ONCE, maxAnswerBytes: MAX_ANSWER_BYTES },
      world.world,
    );
    for (const node of nodes) addTo(this.open, urlFor(url, node), node);
    this.slots = new Map([...this.open.keys()].map((text) => [new URL(text).origin, new Slots(AT_ONCE)]));
  }

  async attempt(left: number): Promise<Unpassed | undefined> {
    const reasons: string[] = [];
    const { world } = this.world;
    const end = world.monotonic() + left;
    await Promise.all(
      [...this.open.keys()].map(async (text) => {
        const url = new URL(text);
        // The time of a request begins with its connection, of which each server gets so many.
        const release = await this.slots.get(url.origin)?.acquire();
        const reason = await this.ask(url, Math.min(end - world.monotonic(), REQUEST_MS)).finally(release);
        if (reason === undefined) this.open.delete(text);
        else reasons.push(reason);
      }),
    );
    if (reasons.length === 0) return undefined;
    return { nodes: [...this.open.values()].flat(), reason: some(reasons.sort()) };
  }

  close(): Promise<void> {
    return this.http.close();
  }

  private async ask(url: URL, timeoutMs: number): Promise<string | undefined> {
    const { status: desired = OK, headers = {} } = this.check;
    const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    url.hash = "";
    const request = {
      method: "GET",
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      headers: { ...senderHeaders(), ...given },
    } as const;
    const label = sanitize(`GET ${url.href}`, this.redactor.text);
    if (timeoutMs <= 0) return `${label}: not asked: the time of this try was over`;
    try {
      const { status } = await this.http.send(request, { timeoutMs, signal: this.world.signal });
      return status === desired ? undefined : `${label}: HTTP ${status}`;
    } catch (error) {
      return `${label}: ${this.redactor.sanitize(this.wordsOf(error, timeoutMs))}`;
    }
  }

  private wordsOf(error: unknown, timeoutMs: number): string {
    if (!(error instanceof HttpFailure)) return messageOf(error);
    switch (error.kind) {
      case "timeout":
        return `no answer within ${formatDuration(timeoutMs)}`;
      case "cancelled":
        return "the run was cancelled";
      case "too-large":
        return `an answer of more than ${MAX_ANSWER_BYTES} bytes`;
      case "connection":
        return messageOf(error.cause) || (codeOf(error.cause) ?? "no connection");
    }
  }
}
