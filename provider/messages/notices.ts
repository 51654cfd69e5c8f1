import { AsyncLocalStorage } from "node:async_hooks";
import type { AnyEvent, Reporter } from "./events";
import { linesOf } from "./sentences";

/** Events of work on many nodes, until it has ended. */
interface Fold {
  readonly events: AnyEvent[];
  isOpen: boolean;
}

/** Messages to the user during a deployment, beside errors. */
export class Notices implements Reporter {
  private readonly said = new Set<string>();
  private readonly folds = new AsyncLocalStorage<Fold>();

  /**
   * @param print Takes each line.
   * @param observe Takes each event at once, with all its prefixes, secret ones included.
   */
  constructor(
    private readonly print: (line: string) => void,
    private readonly observe: (event: AnyEvent) => void = () => {},
  ) {}

  /** Shows an event: at once, or at the end of work on many nodes. */
  report(event: AnyEvent): void {
    this.observe(event);
    const fold = this.folds.getStore();
    // Progress at the end of the work would be none.
    if (fold?.isOpen && event.kind !== "progress") fold.events.push(event);
    else this.show([event]);
  }

  /** Carries out work on many nodes: those with equal events share a sentence, once all of it has ended. */
  fold<T>(work: () => T): T {
    if (this.folds.getStore()?.isOpen) return work();
    const fold: Fold = { events: [], isOpen: true };
    const end = () => {
      fold.isOpen = false;
      this.show(fold.events);
    };
    let result: T;
    try {
      result = this.folds.run(fold, work);
    } catch (error) {
      end();
      throw error;
    }
    if (result instanceof Promise) return result.finally(end) as T;
    end();
    return result;
  }

  /** Shows each line once: the engine asks the same question twice for one resource. */
  private show(events: readonly AnyEvent[]): void {
    for (const line of linesOf(events)) {
      if (this.said.has(line)) continue;
      this.said.add(line);
      this.print(line);
    }
  }
}

/** Shows a line as one of the stack: the engine takes what a dynamic provider prints. */
export function toEngine(line: string): void {
  process.stdout.write(`${line}\n`);
}
