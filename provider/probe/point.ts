import { given } from "../client/options";
import type { ListKind, Member } from "../wire/answers";
import type { Answer } from "./asking/answer";
import type { Bench } from "./asking/bench";
import { Moot, Skipped, Unclear, Unusable } from "./asking/outcome";
import type { Certainty, Finding, NodeSettings, ReceiverSettings } from "./finding";

/** Conclusion of a point. */
export interface Judgement {
  /** Default: `observed`. */
  readonly found?: Extract<Certainty, "observed" | "assumed">;
  /** See {@link Finding.unseen}. */
  readonly unseen?: true;
  /** A sentence without a full stop. */
  readonly node: string;
  readonly evidence?: readonly (Answer | undefined)[];
  readonly advice?: string;
  /** See {@link Finding.beyond}. */
  readonly beyond?: true | false;
  readonly settings?: Partial<NodeSettings>;
  readonly guesses?: Partial<NodeSettings>;
  readonly receiver?: ReceiverSettings;
  readonly dialect?: Readonly<Record<string, string | number | undefined>>;
}

/**
 * One open point, in a file of `points/` by theme, in the order of the requests. Entries that `ask` leaves in the set are
 * removed after it.
 */
interface PointDefinition {
  readonly name: string;
  /** The question, as a table shows it. */
  readonly title: string;
  readonly assumes: string;
  /** Switches of the emulator that it may find. */
  readonly finds?: readonly string[];
  /** Settings that it decides about, with dots: `answers.path.rules`. */
  readonly settles?: readonly string[];
  /**
   * Sends the requests. The function that it returns is called at the end, since later points may show the meaning of an answer.
   *
   * @throws {Skipped} if it cannot be asked. @throws {Unclear} if the answers make no sense.
   */
  ask(bench: Bench): Promise<() => Judgement>;
}

/** Precondition of a point: lists alone, a set to write to, or a receiver. */
type Needs = "lists" | "set" | "receiver";

/** An open point. */
export interface Point extends Required<Pick<PointDefinition, "name" | "title" | "finds" | "settles">> {
  readonly needs: Needs;
  /** Name of the point whose failure makes this one pointless. */
  readonly restsOn: string | undefined;
  /** @throws errors that end the whole probe, such as a node that does not answer. */
  run(bench: Bench): Promise<Asked>;
  /** Finding of a point that was not asked, or failed. */
  without(found: "skipped" | "error", why: string): Finding;
}

/** A point that was asked. */
export interface Asked {
  /** True if the question does not arise at this node. */
  readonly isMoot?: boolean;
  /** Finding, by all that is known at the time of the call. */
  judge(): Finding;
  readonly failed?: Unclear;
}

/** Settings that lists of a kind decide about, with the members that only these have. */
export function settlesFor(kind: ListKind, ...members: readonly Member[]): string[] {
  return [
    ...["format", "columns", "path"].map((name) => `answers.${name}.${kind}`),
    ...members.map((member) => `answers.names.${member}`),
  ];
}

/** Returns a function that makes points with the same precondition. */
export function pointNeeding(needs: Needs, restsOn?: string) {
  return ({ name, title, assumes, finds = [], settles = [], ask }: PointDefinition): Point => {
    const blank = { point: name, title, assumes, evidence: [], settings: {}, guesses: {}, receiver: {}, dialect: {} };
    const without: Point["without"] = (found, why) => ({ ...blank, found, node: why });
    const judged = ({ found = "observed", evidence = [], dialect = {}, beyond, ...judgement }: Judgement): Finding => ({
      ...blank,
      ...judgement,
      ...(beyond === true && { beyond }),
      evidence: textsOf(evidence),
      found,
      dialect: given(dialect) as Finding["dialect"],
    });
    const run: Point["run"] = async (bench) => {
      try {
        const judge = await ask(bench);
        return { judge: () => judged(judge()) };
      } catch (error) {
        if (error instanceof Skipped)
          return { judge: () => without("skipped", error.message), isMoot: error instanceof Moot };
        if (!(error instanceof Unclear)) throw error;
        const wayOut = error instanceof Unusable && error.wayOut !== undefined ? { advice: error.wayOut } : {};
        const beyond = error instanceof Unusable && { beyond: true as const };
        const finding = { ...without("error", error.message), evidence: textsOf(error.evidence), ...wayOut, ...beyond };
        return { judge: () => finding, failed: error };
      }
    };
    return { needs, restsOn, name, title, finds, settles, run, without };
  };
}

function textsOf(answers: readonly (Answer | undefined)[]): string[] {
  return answers.flatMap((answer) => answer?.evidence ?? []);
}
