import type { HttpAnswer, HttpRequest } from "../../client/http";
import { DEFAULTS, parseOptions, type ReceiverOptions, receiverSchema } from "../../client/options";
import { done } from "../../client/reading";
import { Requester } from "../../client/requester";
import { SignalingRequests } from "../../client/signaling-request";
import { systemWorld, type World } from "../../client/world";
import { Prefix } from "../../model/prefix";
import { quotable } from "../../wire/node-answer";
import { readStatus, type SignalingOperation } from "../../wire/signaling";
import { pauseAfter, TIMING } from "../timing";
import { Answer } from "./answer";
import { Unclear } from "./outcome";

interface Asking {
  /** Another secret than the receiver's own. */
  readonly secret?: string;
  /** Goes on where the user asked to stop. */
  readonly calm?: boolean;
}

/**
 * A receiver of signalings, asked with one prefix of the user's own that is not active. What may have been started is
 * remembered before it is sent, so that {@link clear} can stop it after any failure.
 */
export class Receiver {
  /** Address without client id and secret. */
  readonly endpoint: string;
  readonly world: World;
  private readonly requester: Requester;
  private readonly requests: SignalingRequests;
  private readonly started = new Set<string>();

  /** @throws {OptionsError} naming the wrong option. */
  constructor(
    options: ReceiverOptions,
    readonly prefix: Prefix,
    given: Partial<World>,
    private readonly signal: AbortSignal | undefined,
  ) {
    const checked = parseOptions(receiverSchema(), options, "receiver");
    this.requests = new SignalingRequests(checked);
    const { shown, label } = this.requests.endpoint;
    this.endpoint = shown;
    this.world = { ...systemWorld, ...given };
    this.requester = new Requester(
      {
        endpoint: shown,
        label,
        ...(checked.tls && { tls: checked.tls }),
        timeoutMs: checked.timeoutMs ?? DEFAULTS.timeoutMs,
        deadlineMs: checked.deadlineMs ?? DEFAULTS.deadlineMs,
        maxConcurrency: 1,
        retry: { maxTries: 1, retryPauseMs: 0, maxRetryPauseMs: 0 },
        redactor: this.requests.redactor,
      },
      this.world,
    );
  }

  /** Prefixes whose signaling may be active. */
  get remains(): readonly string[] {
    return [...this.started];
  }

  status({ secret, calm = false }: Asking = {}): Promise<Answer> {
    return this.send("status", this.requests.status(secret), calm);
  }

  start(prefixes: readonly string[]): Promise<Answer> {
    for (const prefix of prefixes) this.started.add(Prefix.parse(prefix).toString());
    return this.send("start", this.requests.change("start", prefixes), false);
  }

  stop(prefixes: readonly string[], { secret, calm = false }: Asking = {}): Promise<Answer> {
    return this.send("stop", this.requests.change("stop", prefixes, secret), calm);
  }

  /** The active prefixes. @throws {Unclear} when the status cannot be read. */
  async active({ calm = false } = {}): Promise<string[]> {
    const answer = await this.status({ calm });
    try {
      return readStatus(answer.errorBody).map(String);
    } catch {
      throw new Unclear("the status is not understood", [answer.evidence]);
    }
  }

  /** Asks for the status until it shows the prefix. */
  async shows(prefix: string): Promise<{ readonly answer: Answer; readonly ms: number; readonly shown: boolean }> {
    const began = this.world.monotonic();
    for (let ms = 0; ; ms = this.world.monotonic() - began) {
      const answer = await this.status();
      const shown = isActive(answer, prefix);
      if (shown || ms >= TIMING.statusPatience) return { answer, ms, shown };
      await this.pause(pauseAfter(ms));
    }
  }

  /** Waits; ends early, with an error, when the user asks to stop. */
  async pause(ms: number, { calm = false } = {}): Promise<void> {
    await this.world.sleep(ms, calm ? undefined : this.signal);
    if (!calm) this.signal?.throwIfAborted();
  }

  /** True for what a client takes for a success. */
  isStarted(answer: Answer): boolean {
    return answer.status < 300 && answer.isDone;
  }

  /**
   * Stops what may have been started, and looks that it is not active any more. A status may show a start late, so each
   * is stopped whether or not it shows.
   *
   * @throws {Error} when one of them stays active.
   */
  async clear({ calm = false } = {}): Promise<void> {
    if (this.started.size === 0) return;
    for (const prefix of this.started) await this.stop([prefix], { calm });
    const began = this.world.monotonic();
    for (let ms = 0; ; ms = this.world.monotonic() - began) {
      const active = await this.active({ calm });
      const left = active.filter((prefix) => this.started.has(prefix));
      if (left.length === 0) break;
      if (ms >= TIMING.statusPatience)
        throw new Error(`Signaling of ${left.join(", ")} is still active after it was stopped.`);
      await this.pause(TIMING.laterPause, { calm });
    }
    this.started.clear();
  }

  close(): Promise<void> {
    return this.requester.close();
  }

  private async send(operation: SignalingOperation, request: HttpRequest, calm: boolean): Promise<Answer> {
    const answer = await this.requester.execute<HttpAnswer>(
      {
        request,
        subject: "Probe of signaling",
        object: this.endpoint,
        operation,
        idempotent: false,
        read: done,
      },
      { ...(!calm && this.signal && { signal: this.signal }) },
    );
    return new Answer(operation, answer, quotable(this.requests.redactor.text(answer.body)));
  }
}

function isActive(answer: Answer, prefix: string): boolean {
  try {
    return readStatus(answer.errorBody).some((active) => active.toString() === prefix);
  } catch {
    return false;
  }
}
