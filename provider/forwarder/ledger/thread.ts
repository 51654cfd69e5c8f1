import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { messageOf } from "../../model/errors";
import { UnreadList } from "../reading/read-marks";
import type { SharedTurns } from "../slices";
import { SpoolFull } from "./errors";
import type { ArrivedList, Ledger, LedgerOptions, LedgerStatus, Opened, Portion, TakenOver } from "./protocol";
import { StoreError } from "./sqlite";

/** A method of the ledger, or `open`, with its arguments. */
export type Call =
  | { readonly name: "open"; readonly options: LedgerOptions }
  | { readonly name: "take"; readonly list: ArrivedList }
  | { readonly name: "next"; readonly sink: string; readonly maxRecords: number }
  | { readonly name: "acknowledge"; readonly sink: string; readonly position: number }
  | { readonly name: "status" }
  | { readonly name: "close"; readonly listed: number | undefined };

/** What each call is answered with. */
export interface Results {
  open: Opened;
  take: TakenOver;
  next: Portion | undefined;
  acknowledge: undefined;
  status: LedgerStatus;
  close: undefined;
}

/** A call on its way to the thread. */
export type Question = Call & { readonly number: number };

/** What comes back. */
export interface Reply {
  readonly number: number;
  readonly result?: unknown;
  readonly failure?: Failure;
}

/** An error on its way between threads: classes do not survive it. */
export interface Failure {
  readonly kind: "spool-full" | "unread" | "store" | "other";
  readonly message: string;
  readonly sinks?: readonly string[];
  readonly refused?: boolean;
  readonly remedy?: string;
  /** SQLite's result code. */
  readonly errcode?: number;
}

/** The compiled file of the thread, also where this file runs as it was written, as in tests. */
const FOLDER = __filename.endsWith(".ts") ? join(__dirname, "../../../dist/provider/forwarder/ledger") : __dirname;

/**
 * A ledger in a thread of its own. Reading lists, comparing them and waiting for the disk stop that thread only: the
 * program's event loop goes on, whatever a node answers.
 */
export class LedgerThread implements Ledger {
  private readonly waiting = new Map<number, { resolve(result: never): void; reject(error: Error): void }>();
  private last = 0;
  private ended: Error | undefined;

  private constructor(
    private readonly worker: Worker,
    turns: SharedTurns,
  ) {
    // Answers that are there together are handed over by the loop together, with all that their callers do next.
    worker.on("message", (reply: Reply) => void turns.next().then(() => this.answered(reply)));
    worker.on("error", (error) => this.ending(error));
    worker.on("exit", () => this.ending(new Error("The thread of the forwarder's state has ended.")));
  }

  /**
   * As `StoredLedger.open`.
   *
   * @param turns In which callers go on with what the thread has answered.
   */
  static async open(options: LedgerOptions, turns: SharedTurns): Promise<{ ledger: LedgerThread; opened: Opened }> {
    const thread = new LedgerThread(new Worker(join(FOLDER, "worker.js")), turns);
    try {
      return { ledger: thread, opened: await thread.ask({ name: "open", options }) };
    } catch (error) {
      await thread.worker.terminate();
      throw error;
    }
  }

  take(list: ArrivedList): Promise<TakenOver> {
    return this.ask(
      { name: "take", list },
      // A body may be as large as a node likes: it is handed over, not copied.
      list.body.map(({ buffer }) => buffer as ArrayBuffer),
    );
  }

  next(sink: string, maxRecords: number): Promise<Portion | undefined> {
    return this.ask({ name: "next", sink, maxRecords });
  }

  acknowledge(sink: string, position: number): Promise<void> {
    return this.ask({ name: "acknowledge", sink, position });
  }

  status(): Promise<LedgerStatus> {
    return this.ask({ name: "status" });
  }

  async close(listed: number | undefined): Promise<void> {
    try {
      await this.ask({ name: "close", listed });
    } finally {
      await this.worker.terminate();
    }
  }

  private ask<Name extends Call["name"]>(
    call: Extract<Call, { name: Name }>,
    transfer: ArrayBuffer[] = [],
  ): Promise<Results[Name]> {
    if (this.ended) return Promise.reject(this.ended);
    const number = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(number, { resolve, reject });
      this.worker.postMessage({ ...call, number }, transfer);
    });
  }

  private answered({ number, result, failure }: Reply): void {
    const caller = this.waiting.get(number);
    this.waiting.delete(number);
    if (failure) caller?.reject(revived(failure));
    else caller?.resolve(result as never);
  }

  private ending(error: Error): void {
    this.ended ??= error;
    for (const { reject } of this.waiting.values()) reject(this.ended);
    this.waiting.clear();
  }
}

/** What of an error goes through to the other thread. */
export function failureOf(error: unknown): Failure {
  const message = messageOf(error);
  if (error instanceof SpoolFull) return { kind: "spool-full", message, sinks: error.sinks };
  if (error instanceof UnreadList) {
    return { kind: "unread", message, refused: error.refused, ...(error.remedy && { remedy: error.remedy }) };
  }
  if (error instanceof StoreError) return { kind: "store", message };
  const errcode = error instanceof Error && "errcode" in error ? Number(error.errcode) : undefined;
  return { kind: "other", message, ...(errcode !== undefined && { errcode }) };
}

function revived({ kind, message, sinks, refused, remedy, errcode }: Failure): Error {
  switch (kind) {
    case "spool-full":
      return new SpoolFull(sinks ?? []);
    case "unread":
      return new UnreadList(message, refused === true, remedy);
    case "store":
      return new StoreError(message);
    default:
      return errcode === undefined ? new Error(message) : Object.assign(new Error(message), { errcode });
  }
}
