import { join } from "node:path";
import { type MessagePort, parentPort, Worker, workerData } from "node:worker_threads";
import { packageRoot } from "../../files/package-version";
import { asError } from "../../model/errors";
import type { Loss } from "../loss";
import type { ArrivedList } from "../reading/arrived-list";
import { UnreadList } from "../reading/comparison";
import { nextTurn } from "../slices";
import { Unavailable } from "../unavailable";
import { StoredLedger } from "./ledger";
import { type Ledger, type LedgerOptions, type Opened, type SpooledBatch, SpoolFull, type TakenOver } from "./protocol";
import { StoreError } from "./sqlite";

/** A call on its way to the thread. */
interface Question {
  readonly number: number;
  readonly name: keyof Ledger;
  readonly args: readonly unknown[];
}

interface Reply {
  readonly number: number;
  readonly result?: unknown;
  readonly failure?: ReturnType<typeof failureOf>;
}

/** The built form of this file, which the thread runs even if this process runs the source. */
const BUILT = join(packageRoot, "dist", "provider", "forwarder", "ledger", "thread.js");
/** Mark of our thread, which a thread of the program does not have. */
const ROLE = "pulumi-packetfilter ledger";

/**
 * A ledger in a thread of its own. Reading lists, comparing them and waiting for the disk stop that thread only: the program's
 * event loop continues, whatever a node answers.
 */
export class LedgerThread implements Ledger {
  private readonly waiting = new Map<number, { resolve(result: never): void; reject(error: Error): void }>();
  /** Of the last call; 0 is what opening found. */
  private last = 0;
  private ended: Error | undefined;
  private readonly over = new AbortController();
  private isClosing = false;

  private constructor(private readonly worker: Worker) {
    // The loop hands over answers that arrive together in one turn, with all that their callers do next.
    worker.on("message", (reply: Reply) => void nextTurn().then(() => this.answered(reply)));
    worker.on("error", (error) => this.ending(error));
    worker.on("exit", () => this.ending(new Error("The thread of the forwarder's state has ended.")));
  }

  /** As `StoredLedger.open`. */
  static async open(options: LedgerOptions): Promise<{ ledger: LedgerThread; opened: Opened }> {
    const thread = new LedgerThread(new Worker(BUILT, { workerData: { role: ROLE, options } }));
    try {
      return { ledger: thread, opened: await thread.answerTo(0) };
    } catch (error) {
      await thread.worker.terminate();
      throw error;
    }
  }

  take(list: ArrivedList): Promise<TakenOver> {
    // A body may be as large as a node likes: it is handed over, not copied.
    const bodies = list.body.map(({ buffer }) => buffer as ArrayBuffer);
    return this.ask("take", [list], bodies);
  }

  readonly next = this.asking("next");
  readonly acknowledge = this.asking("acknowledge");
  readonly status = this.asking("status");
  readonly configure = this.asking("configure");

  /** Aborts with an error when the thread has ended by itself. */
  get lost(): AbortSignal {
    return this.over.signal;
  }

  async close(listed: number | undefined): Promise<readonly Loss[]> {
    this.isClosing = true;
    try {
      return await this.ask("close", [listed]);
    } finally {
      await this.worker.terminate();
    }
  }

  private asking<Name extends keyof Ledger>(name: Name) {
    return (...args: Parameters<Ledger[Name]>) => this.ask(name, args);
  }

  private ask<Name extends keyof Ledger>(name: Name, args: Parameters<Ledger[Name]>, transfer: ArrayBuffer[] = []) {
    const answer = this.answerTo<Awaited<ReturnType<Ledger[Name]>>>(++this.last);
    if (!this.ended) this.worker.postMessage({ number: this.last, name, args } satisfies Question, transfer);
    return answer;
  }

  private answerTo<T>(number: number): Promise<T> {
    if (this.ended) return Promise.reject(this.ended);
    return new Promise((resolve, reject) => this.waiting.set(number, { resolve, reject }));
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
    if (!this.isClosing) this.over.abort(this.ended);
  }
}

/** Parts of an error that reach the other thread: classes do not. */
function failureOf(error: unknown) {
  type ErrorMembers = Partial<Pick<SpoolFull, "sinks"> & Pick<UnreadList, "refused" | "remedy"> & { errcode: number }>;
  const { name, message, sinks, refused, remedy, errcode }: Error & ErrorMembers = asError(error);
  return { name, message, sinks, refused, remedy, errcode };
}

function revived({ name, message, sinks, refused, remedy, errcode }: ReturnType<typeof failureOf>): Error {
  if (name === "SpoolFull") return new SpoolFull(sinks ?? []);
  if (name === "UnreadList") return new UnreadList(message, refused === true, remedy);
  if (name === "StoreError") return new StoreError(message);
  if (name === "OptionsError") return new Unavailable(message);
  return errcode === undefined ? new Error(message) : Object.assign(new Error(message), { errcode });
}

/** The other end: one ledger, asked by messages. */
function serve(port: MessagePort, options: LedgerOptions): void {
  const reply = (number: number, work: Promise<unknown>): void => {
    work.then(
      (result) => port.postMessage({ number, result } satisfies Reply, bodiesIn(result)),
      (error: unknown) => port.postMessage({ number, failure: failureOf(error) } satisfies Reply),
    );
  };
  // Ends the thread.
  const lost = (error: Error): void =>
    void setImmediate(() => {
      throw error;
    });
  const opening = StoredLedger.open({ ...options, lost });
  reply(
    0,
    opening.then(({ opened }) => opened),
  );
  port.on("message", ({ number, name, args }: Question) => {
    const result = opening.then(({ ledger }) => Reflect.apply(ledger[name], ledger, args));
    reply(number, result);
  });
}

/** Buffers of batches: they move to the other thread without a copy. */
function bodiesIn(result: unknown): ArrayBuffer[] {
  const batches: Partial<SpooledBatch>[] = Array.isArray(result) ? result : [];
  return batches.flatMap(({ body }) => body?.buffer ?? []);
}

if (parentPort && workerData?.role === ROLE) serve(parentPort, workerData.options);
