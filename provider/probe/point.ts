import type { ListKind, Member } from "../wire/answers";
import type { Bench } from "./asking/bench";
import { Skipped, Unclear, Unusable } from "./asking/outcome";
import type { Certainty, DialectSettings, Finding, NodeSettings, ReceiverSettings } from "./finding";

/** What a point says of what it saw. */
export interface Judgement {
  /** Default: `observed`. */
  readonly found?: Extract<Certainty, "observed" | "assumed">;
  /** What the node does, in a sentence without a full stop. */
  readonly node: string;
  readonly evidence?: readonly string[];
  readonly advice?: string;
}

/**
 * One open point. A new one stands in `points/` among those of its theme, in the order in which they are asked. `ask` is the only member that
 * sends anything; what it leaves in the set is cleared by the bench after it.
 *
 * @example
 * ```ts
 * const point = pointNeeding("set");
 * point({
 *   name: "ipv6",
 *   title: "IPv6 in a set",
 *   assumes: "accepted",
 *   finds: ["ipv6"],
 *   ask: ({ set }) => set.insert([[set.fresh6(), 1]]),
 *   judge: (answer) => ({ node: answer.isRefusal ? "refused" : "accepted", evidence: [answer.evidence] }),
 *   dialect: (answer) => ({ ipv6: answer.isRefusal ? "error" : "accepted" }),
 * });
 * ```
 */
interface PointDefinition<Seen> {
  readonly name: string;
  /** The question, as a table shows it. */
  readonly title: string;
  /** What this package assumes, or does whatever the answer is. */
  readonly assumes: string;
  /** Switches of the emulator that it may find; default: none. */
  readonly finds?: readonly string[];
  /** Settings that it decides about, with dots: `answers.path.rules`; default: none. */
  readonly settles?: readonly string[];
  /** @throws {Skipped} where it cannot be asked. @throws {Unclear} where the answers make no sense. */
  ask(bench: Bench): Promise<Seen>;
  judge(seen: Seen): Judgement;
  /** What to set for this node. */
  settings?(seen: Seen): Partial<NodeSettings>;
  /** What to set for this receiver. */
  receiver?(seen: Seen): ReceiverSettings;
  /** What only seems likely. */
  guesses?(seen: Seen): Partial<NodeSettings>;
  dialect?(seen: Seen): Readonly<Record<string, string | number | undefined>>;
}

/** What must be there so that a point can be asked: lists alone, an empty set to write to, or a receiver. */
type Needs = "lists" | "set" | "receiver";

/** An open point, whatever it sees. */
export interface Point {
  readonly name: string;
  readonly title: string;
  readonly needs: Needs;
  readonly finds: readonly string[];
  readonly settles: readonly string[];
  /** The point without which its answers would say nothing. */
  readonly restsOn: string | undefined;
  /** Asks. @throws what ends the whole probe, such as a node that does not answer. */
  run(bench: Bench): Promise<Asked>;
  /** The finding of a point that was not asked, or failed. */
  without(found: "skipped" | "error", why: string): Finding;
}

/** A point that was asked. */
export interface Asked {
  /** What came of it, by all that is known when this is called: later points may tell what an answer meant. */
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
  return <Seen>(definition: PointDefinition<Seen>): Point => pointOf({ needs, restsOn }, definition);
}

function pointOf<Seen>(all: Pick<Point, "needs" | "restsOn">, definition: PointDefinition<Seen>): Point {
  const { name, title, assumes, finds = [], settles = [] } = definition;
  const blank = { point: name, title, assumes, evidence: [], settings: {}, guesses: {}, receiver: {}, dialect: {} };
  const without: Point["without"] = (found, why) => ({ ...blank, found, node: why });
  const judge = (seen: Seen): Finding => {
    const { found = "observed", ...judgement } = definition.judge(seen);
    const settings = definition.settings?.(seen) ?? {};
    const guesses = definition.guesses?.(seen) ?? {};
    const receiver = definition.receiver?.(seen) ?? {};
    return {
      ...blank,
      ...judgement,
      found,
      settings,
      guesses,
      receiver,
      dialect: defined(definition.dialect?.(seen) ?? {}),
    };
  };
  const run: Point["run"] = async (bench) => {
    try {
      const seen = await definition.ask(bench);
      return { judge: () => judge(seen) };
    } catch (error) {
      if (error instanceof Skipped) return { judge: () => without("skipped", error.message) };
      if (!(error instanceof Unclear)) throw error;
      const wayOut = error instanceof Unusable && error.wayOut !== undefined ? { advice: error.wayOut } : {};
      return {
        judge: () => ({ ...without("error", error.message), evidence: error.evidence, ...wayOut }),
        failed: error,
      };
    }
  };
  return { ...all, name, title, finds, settles, run, without };
}

function defined(switches: Readonly<Record<string, string | number | undefined>>): DialectSettings {
  return Object.fromEntries(
    Object.entries(switches).flatMap(([name, setting]) => (setting === undefined ? [] : [[name, setting]])),
  );
}
