import type { Dispatcher } from "../../../provider/client/http";
import type { Random } from "./random";
import type { VirtualTime } from "./time";

/** A request as it travels. */
export interface Sent {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Outcome of a request at its host. */
export type Answer =
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: Buffer }
  /** The connection breaks, after half of this body if there is one. */
  | { readonly cut: "reset" | "truncate"; readonly status?: number; readonly body?: Buffer }
  /** Nothing is ever answered. */
  | { readonly cut: "silence" };

/** A machine at an address. */
export interface Host {
  /** `refusing`: no connection is taken; `silent`: none is answered. */
  readonly reach: "up" | "refusing" | "silent";
  answer(request: Sent): Promise<Answer>;
}

/** Who sends: a process that can be killed at a request. */
export interface Caller {
  /** Label of its requests in the journals. */
  readonly label: string;
  readonly isDead: boolean;
  /** Before a request is sent. False: it is not sent. */
  sending(host: string, request: Sent): boolean;
  /** Once an answer has arrived, before the caller has it. */
  answered(host: string, request: Sent): void;
}

const DELAY_MS = { least: 1, most: 12 } as const;

/** Requests between processes and hosts, each with delays of its own; without sockets. */
export class Network {
  private readonly hosts = new Map<string, Host>();

  constructor(
    private readonly time: VirtualTime,
    private readonly random: Random,
  ) {}

  /** @param origin For example `http://n1.example`. */
  add(origin: string, host: Host): void {
    this.hosts.set(origin, host);
  }

  /** The connections of a process. */
  connections(caller: Caller): Dispatcher {
    const dispatch = (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean => {
      this.carry(caller, options, handler);
      return true;
    };
    const nothing = () => Promise.resolve();
    return { dispatch, close: nothing, destroy: nothing } as unknown as Dispatcher;
  }

  private carry(caller: Caller, options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    const { origin, path, method, headers = {}, body } = options;
    const name = new URL(String(origin)).origin;
    const request: Sent = {
      method,
      target: path,
      headers: { ...(headers as Record<string, string>), "packetfilter-run": caller.label },
      body: Buffer.from(typeof body === "string" ? body : ""),
    };
    const host = this.hosts.get(name);
    const connection = new Connection(handler, () => caller.isDead);
    const [there, back] = [this.delay(), this.delay()];
    if (caller.isDead || !caller.sending(name, request)) return;
    this.time.after(there, () => {
      if (!host || host.reach === "refusing") return connection.failed("ECONNREFUSED");
      if (host.reach === "silent") return;
      connection.started();
      void host.answer(request).then((answer) => {
        this.time.moved();
        if ("cut" in answer && answer.cut === "silence") return;
        this.time.after(back, () => {
          if (caller.isDead) return;
          caller.answered(name, request);
          connection.ended(answer);
        });
      });
    });
  }

  private delay(): number {
    return this.random.int(DELAY_MS.least, DELAY_MS.most);
  }
}

/** One request as the client sees it: in the order of calls that undici keeps. */
class Connection {
  private isOver = false;
  private readonly controller = {
    abort: () => {
      this.isOver = true;
    },
    aborted: false,
    paused: false,
    reason: null,
    pause() {},
    resume() {},
  } as unknown as Dispatcher.DispatchController;

  constructor(
    private readonly handler: Dispatcher.DispatchHandler,
    private readonly isDead: () => boolean,
  ) {}

  started(): void {
    this.call(() => this.handler.onRequestStart?.(this.controller, {}));
  }

  failed(code: string): void {
    this.call(() =>
      this.handler.onResponseError?.(this.controller, Object.assign(new Error(`connect ${code}`), { code })),
    );
    this.isOver = true;
  }

  ended(answer: Answer): void {
    const { handler, controller } = this;
    const status = "status" in answer ? answer.status : undefined;
    const headers = "headers" in answer ? answer.headers : {};
    const body = "body" in answer ? answer.body : undefined;
    if (status !== undefined) this.call(() => handler.onResponseStart?.(controller, status, headers, ""));
    const part = "cut" in answer ? body?.subarray(0, body.length >> 1) : body;
    if (part && part.length > 0) this.call(() => handler.onResponseData?.(controller, part));
    if ("cut" in answer) this.failed("ECONNRESET");
    else this.call(() => handler.onResponseEnd?.(controller, {}));
  }

  private call(run: () => void): void {
    if (!this.isOver && !this.isDead()) run();
  }
}
