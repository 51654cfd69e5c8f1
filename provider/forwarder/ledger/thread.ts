import { join } from "node:path";
import { parentPort, Worker, workerData } from "node:worker_threads";
import { asError } from "../../model/errors";
import { UnreadList } from "../reading/reading";
import type { SharedTurns } from "../slices";
import { StoredLedger } from "./ledger";
import {
  type ArrivedList,
  type Ledger,
  type LedgerOptions,
  type LedgerStatus,
  type Opened,
  type SpooledBatch,
  SpoolFull,
  type TakenOver,
} from "./protocol";
import { StoreError } from "./sqlite";

/** What the thread can be asked: to open the ledger, and then its methods. */
interface Methods extends Ledger {
  open(options: LedgerOptions): Promise<Opened>;
}

type Name = keyof Methods;

/** A call on its way to the thread. */
type Question = {
  [Each in Name]: { readonly number: number; readonly name: Each; readonly args: Parameters<Methods[Each]> };
}[Name];

/** What comes back. */
interface Reply {
  readonly number: number;
  readonly result?: unknown;
  readonly failure?: Failure;
}

/** An error on its way between threads: classes do not survive it. */
type Failure = Pick<Error, "name" | "message"> &
  Partial<Pick<SpoolFull, "sinks"> & Pick<UnreadList, "refused" | "remedy">> & {
    /** SQLite's result code. */
    readonly errcode?: number;
  };

/** This file as it was compiled, also where it runs as it was written, as in tests. */
const COMPILED = join(
  __filename.endsWith(".ts") ? join(__dirname, "../../../dist/provider/forwarder/ledger") : __dirname,
  "thread.js",
);
/** What the thread is told, which a thread of the program's own is not. */
const ROLE = "pulumi-packetfilter ledger";

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
    const thread = new LedgerThread(new Worker(COMPILED, { workerData: ROLE }), turns);
    try {
      return { ledger: thread, opened: await thread.ask("open", [options]) };
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

  next(...args: Parameters<Ledger["next"]>): Promise<readonly SpooledBatch[]> {
    return this.ask("next", args);
  }

  acknowledge(sink: string, position: number): Promise<void> {
    return this.ask("acknowledge", [sink, position]);
  }

  status(): Promise<LedgerStatus> {
    return this.ask("status", []);
  }

  configure(...args: Parameters<Ledger["configure"]>): Promise<readonly string[]> {
    return this.ask("configure", args);
  }

  async close(listed: number | undefined): Promise<void> {
    try {
      await this.ask("close", [listed]);
    } finally {
      await this.worker.terminate();
    }
  }

  private ask<Each extends Name>(
    name: Each,
    args: Parameters<Methods[Each]>,
    transfer: ArrayBuffer[] = [],
  ): Promise<Awaited<ReturnType<Methods[Each]>>> {
    if (this.ended) return Promise.reject(this.ended);
    const number = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(number, { resolve, reject });
      this.worker.postMessage({ number, name, args }, transfer);
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
function failureOf(error: unknown): Failure {
  const { name, message, sinks, refused, remedy, errcode }: Failure = asError(error);
  return { name, message, sinks, refused, remedy, errcode };
}

function revived({ name, message, sinks, refused, remedy, errcode }: Failure): Error {
  if (name === "SpoolFull") return new SpoolFull(sinks ?? []);
  if (name === "UnreadList") return new UnreadList(message, refused === true, remedy);
  if (name === "StoreError") return new StoreError(message);
  return errcode === undefined ? new Error(message) : Object.assign(new Error(message), { errcode });
}

/** The other end: one ledger, asked by messages. */
let ledger: StoredLedger | undefined;

async function answer({ name, args }: Question): Promise<unknown> {
  if (name === "open") {
    const { ledger: made, opened } = await StoredLedger.open(...args);
    ledger = made;
    return opened;
  }
  if (!ledger) throw new Error("The ledger is not open.");
  return Reflect.apply(ledger[name], ledger, args);
}

/** What goes to the other thread without a copy. */
function bodiesIn(batches: unknown): ArrayBuffer[] {
  return (batches as readonly SpooledBatch[]).map(({ body }) => body.buffer);
}

if (workerData === ROLE) {
  parentPort?.on("message", (question: Question) => {
    const { number } = question;
    const reply = (message: Reply, moved: ArrayBuffer[] = []): void => parentPort?.postMessage(message, moved);
    answer(question).then(
      (result) => reply({ number, result }, question.name === "next" ? bodiesIn(result) : []),
      (error: unknown) => reply({ number, failure: failureOf(error) }),
    );
  });
}
