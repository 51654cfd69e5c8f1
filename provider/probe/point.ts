import { given } from "../client/options";
import type { ListKind, Member } from "../wire/answers";
import type { Answer } from "./asking/answer";
import type { Bench } from "./asking/bench";
import { Moot, Skipped, Unclear, Unusable } from "./asking/outcome";
import type { Certainty, Finding, NodeSettings, ReceiverSettings } from "./finding";

/** What a point says of what it saw. */
export interface Judgement {
  /** Default: `observed`. */
  readonly found?: Extract<Certainty, "observed" | "assumed">;
  /** See {@link Finding.unseen}. */
  readonly unseen?: true;
  /** What the node does, in a sentence without a full stop. */
  readonly node: string;
  readonly evidence?: readonly (Answer | undefined)[];
  readonly advice?: string;
  /** What to set for this node. */
  readonly settings?: Partial<NodeSettings>;
  /** What only seems likely. */
  readonly guesses?: Partial<NodeSettings>;
  /** What to set for this receiver. */
  readonly receiver?: ReceiverSettings;
  readonly dialect?: Readonly<Record<string, string | number | undefined>>;
}

/**
 * One open point. A new one stands in `points/` among those of its theme, in the order in which they are asked. `ask` sends;
 * what it leaves in the set is cleared by the bench after it.
 *
 * @example
 * ```ts
 * const point = pointNeeding("set");
 * point({
 *   name: "ipv6",
 *   title: "IPv6 in a set",
 *   assumes: "accepted",
 *   finds: ["ipv6"],
 *   ask: async ({ set }) => {
 *     const answer = await set.insert([["2001:db8::/48", 1]]);
 *     return () => ({
 *       node: answer.isRefusal ? "refused" : "accepted",
 *       evidence: [answer],
 *       dialect: { ipv6: answer.isRefusal ? "error" : "accepted" },
 *     });
 *   },
 * });
 * ```
 */
interface PointDefinition {
  readonly name: string;
  /** The question, as a table shows it. */
  readonly title: string;
  /** What this package assumes, or does whatever the answer is. */
  readonly assumes: string;
  /** Switches of the emulator that it may find; default: none. */
  readonly finds?: readonly string[];
  /** Settings that it decides about, with dots: `answers.path.rules`; default: none. */
  readonly settles?: readonly string[];
  /**
   * Asks. What it returns is called at the end, by all that is known then: later points may tell what an answer meant.
   *
   * @throws {Skipped} where it cannot be asked. @throws {Unclear} where the answers make no sense.
   */
  ask(bench: Bench): Promise<() => Judgement>;
}

/** What must be there so that a point can be asked: lists alone, an empty set to write to, or a receiver. */
type Needs = "lists" | "set" | "receiver";

/** An open point. */
export interface Point extends Required<Pick<PointDefinition, "name" | "title" | "finds" | "settles">> {
  readonly needs: Needs;
  /** The point without which its answers would say nothing. */
  readonly restsOn: string | undefined;
  /** Asks. @throws what ends the whole probe, such as a node that does not answer. */
  run(bench: Bench): Promise<Asked>;
  /** The finding of a point that was not asked, or failed. */
  without(found: "skipped" | "error", why: string): Finding;
}

/** A point that was asked. */
export interface Asked {
  /** True where the question does not come up. */
  readonly isMoot?: boolean;
  /** What came of it, by all that is known when this is called. */
  judge(): Finding;
  /** Why what rests on it cannot be asked; absent where it can. */
  readonly failed?: Unclear;
}

/** The settings that lists of a kind decide about, with the members that only these have. */
export function settlesFor(kind: ListKind, ...members: readonly Member[]): string[] {
  return [
    ...["format", "columns", "path"].map((name) => `answers.${name}.${kind}`),
    ...members.map((member) => `answers.names.${member}`),
  ];
}

/** Makes points that need the same, see {@link PointDefinition}, and whose answers say nothing without those of another one. */
export function pointNeeding(needs: Needs, restsOn?: string) {
  return ({ name, title, assumes, finds = [], settles = [], ask }: PointDefinition): Point => {
    const blank = { point: name, title, assumes, evidence: [], settings: {}, guesses: {}, receiver: {}, dialect: {} };
    const without: Point["without"] = (found, why) => ({ ...blank, found, node: why });
    const judged = ({ found = "observed", evidence = [], dialect = {}, ...judgement }: Judgement): Finding => ({
      ...blank,
      ...judgement,
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
        const finding = { ...without("error", error.message), evidence: textsOf(error.evidence), ...wayOut };
        return { judge: () => finding, failed: error };
      }
    };
    return { needs, restsOn, name, title, finds, settles, run, without };
  };
}

function textsOf(answers: readonly (Answer | undefined)[]): string[] {
  return answers.flatMap((answer) => answer?.evidence ?? []);
}
