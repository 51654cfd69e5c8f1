import type { IncomingMessage, ServerResponse } from "node:http";
import type { Delivery } from "../behaviour/fault-kind";
import { type Reply, reset, type SendOptions, send, sendTruncated } from "../http/reply";
import { readBody } from "../http/request";
import type { Passage } from "../time/link";
import type { Head } from "./api";

/** An outcome without a whole answer. */
type Cut = Extract<Delivery, { cut: string }>;

/** A request in progress, and the way of its answer. */
export interface Exchange {
  readonly head: Head;
  /** True once no answer can reach the caller. */
  readonly isBroken: boolean;
  /** The body, at most so many bytes of it. */
  body(limit: number): Promise<Buffer | "too-large" | "aborted">;
  answer(reply: Reply, options: Omit<SendOptions, "pace">): Promise<void>;
  /** Breaks the connection, now or in the middle of an answer, or keeps it open without one. */
  cut(outcome: Cut): void;
  /** Ends a request whose body never arrived. */
  abandon(): void;
  /** Calls back once no caller waits for the answer any more. */
  whenClosed(run: () => void): void;
}

/** A request over a socket. */
export class SocketExchange implements Exchange {
  constructor(
    readonly head: IncomingMessage,
    private readonly response: ServerResponse,
    /** Wait before each part of the answer. */
    private readonly pace: Passage | undefined,
  ) {}

  get isBroken(): boolean {
    return this.response.destroyed;
  }

  body(limit: number): Promise<Buffer | "too-large" | "aborted"> {
    return readBody(this.head, limit);
  }

  answer(reply: Reply, options: Omit<SendOptions, "pace">): Promise<void> {
    return send(this.response, reply, { ...options, ...(this.pace && { pace: this.pace }) });
  }

  cut(outcome: Cut): void {
    if (outcome.cut === "truncate") sendTruncated(this.response, outcome.reply);
    else if (outcome.cut === "reset") reset(this.response.socket);
  }

  abandon(): void {
    this.response.destroy();
  }

  whenClosed(run: () => void): void {
    this.response.once("close", run);
  }
}
