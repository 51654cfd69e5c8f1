import type { Answers } from "../../wire/answers";
import type { Command } from "../../wire/node-command";
import { sharedVerdict, successAt, verdictOf } from "../shapes/verdicts";
import type { Answer } from "./answer";
import type { Learned } from "./learned";

/** Answers to requests that are known to have been carried out or not. */
export class Verdicts {
  private readonly successes: { readonly command: Command; readonly answer: Answer }[] = [];
  private readonly failures: Answer[] = [];

  constructor(private readonly learned: Learned) {}

  succeeded(command: Command, answer: Answer): void {
    this.successes.push({ command, answer });
  }

  failed(answer: Answer): void {
    this.failures.push(answer);
  }

  /** Learns the setting with which a client recognises each answer as success or failure; empty if it needs none. */
  learn(): Pick<Answers, "success" | "failure"> {
    const found = this.unseenSuccess() ?? this.unseenFailure() ?? {};
    this.learned.learn({ known: found });
    return found;
  }

  /** The setting by which an answer is an empty list, if filled lists carry the same verdict and no failure does. */
  ofEmptyList({ errorBody }: Answer): Pick<Answers, "success"> | undefined {
    const lists = this.successes.filter(({ command }) => command === "list").map(({ answer }) => answer.errorBody);
    const failures = [...this.failures, ...(this.learned.unknown ? [this.learned.unknown] : [])];
    const verdict = sharedVerdict(
      [errorBody, ...lists],
      failures.map((answer) => answer.errorBody),
    );
    return verdict && lists.length > 0 ? { success: { list: verdict } } : undefined;
  }

  private unseenSuccess(): Pick<Answers, "success"> | undefined {
    const doubted = this.successes.flatMap(({ command, answer }) =>
      answer.doubt ? [{ command, doubt: answer.doubt }] : [],
    );
    if (doubted.length === 0) return undefined;
    const members = new Set(doubted.map(({ doubt }) => doubt.member));
    const all = this.successes.map(({ answer }) => answer.errorBody);
    const [first] = doubted;
    if (members.size === 1 && first) return { success: successAt(first.doubt, all) };
    return {
      success: Object.fromEntries(
        doubted.flatMap(({ command, doubt }) => {
          const own = this.successes.filter((one) => one.command === command).map(({ answer }) => answer.errorBody);
          const verdict = successAt(doubt, own);
          return verdict ? [[command, verdict]] : [];
        }),
      ),
    };
  }

  private unseenFailure(): Pick<Answers, "success" | "failure"> | undefined {
    const unseen = this.failures.filter((answer) => !answer.isRefusal).map(({ errorBody }) => errorBody);
    if (unseen.length === 0) return undefined;
    const changes = this.successes.filter(({ command }) => command !== "list");
    return verdictOf(
      changes.map(({ answer }) => answer.errorBody),
      unseen,
    );
  }
}
