import { given } from "../client/options";
import type { Answers, ListKind, Member, ReceiverAnswers } from "../wire/answers";
import type { Answer } from "./asking/answer";
import type { Bench } from "./asking/bench";
import { Moot, Skipped, Unclear, Unusable } from "./asking/outcome";
import type { DialectSettings, Finding, NodeSettings, ReceiverSettings } from "./finding";

/** Stands for a value of a setting or switch that the answers show. */
export const MEASURED = Symbol("measured");

type Measured = typeof MEASURED;

/** Member of a node's options, or of a receiver's, with dots. */
type SettingPath =
  | Exclude<keyof NodeSettings, "answers">
  | `answers.${keyof Answers}`
  | `answers.${"format" | "columns" | "path"}.${ListKind}`
  | `answers.names.${Member}`
  | `receiver.answers.${keyof ReceiverAnswers}`;

type Settings = {
  readonly [P in SettingPath]?: P extends keyof NodeSettings ? NodeSettings[P] | Measured : Measured;
};
type Switches = Readonly<Record<string, string | number | Measured>>;

/**
 * One outcome of a point, and the place where it is expressed: a setting; a switch of the emulator's dialect, with which a
 * client needs no setting; nothing, since the node does what the contract says; a line "seen, cannot be expressed" and exit code
 * 4; or nothing, since no known good answer shows it. An outcome has no other place, so none becomes a default silently.
 */
export type Outcome = {
  /** Behaviour of the node, without a full stop. A finding may have a more exact sentence. */
  readonly node: string;
  readonly advice?: string;
  /** See {@link Finding.unseen}. */
  readonly unseen?: true;
} & (
  | { readonly as: "setting"; readonly settings: Settings; readonly dialect?: Switches }
  | { readonly as: "dialect"; readonly dialect: Switches }
  | { readonly as: "contract"; readonly dialect?: Switches }
  | { readonly as: "beyond"; readonly settings?: Settings; readonly dialect?: Switches }
  | { readonly as: "unknown" }
);

/** All outcomes of a point, by name. */
export type Outcomes = Readonly<Record<string, Outcome>>;

/** Outcomes that every point has. */
const ALWAYS = {
  skipped: { as: "unknown", node: "it was not asked" },
  moot: { as: "contract", node: "the question does not arise" },
  failed: { as: "unknown", node: "the answers make no sense" },
  unusable: { as: "beyond", node: "no setting makes the node usable" },
} as const satisfies Outcomes;

/** Conclusion of a point: one of its outcomes, with the answers that show it and the measured values. */
export interface Seen<Name extends string = string> {
  readonly is: Name;
  /** A sentence without a full stop, if it says more than that of the outcome. */
  readonly node?: string;
  readonly evidence?: readonly (Answer | undefined)[];
  readonly advice?: string;
  readonly settings?: Partial<NodeSettings>;
  readonly receiver?: ReceiverSettings;
  readonly dialect?: Readonly<Record<string, string | number | undefined>>;
}

/**
 * One open point, in a file of `points/` by theme, in the order of the requests. Entries that `ask` leaves in the set are
 * removed after it.
 */
interface PointDefinition<O extends Outcomes> {
  readonly name: string;
  /** The question, as a table shows it. */
  readonly title: string;
  readonly assumes: string;
  readonly outcomes: O;
  /**
   * Sends the requests. A function that it returns is called at the end, since later points may show the meaning of an answer.
   *
   * @throws {Skipped} if it cannot be asked. @throws {Unclear} if the answers make no sense.
   */
  ask(bench: Bench): Promise<Seen<keyof O & string> | (() => Seen<keyof O & string>)>;
}

/** Precondition of a point: lists alone, a set to write to, or a receiver. */
type Needs = "lists" | "set" | "receiver";

/** An open point. */
export interface Point extends Pick<PointDefinition<Outcomes>, "name" | "title" | "outcomes"> {
  readonly needs: Needs;
  /** Name of the point whose failure makes this one pointless. */
  readonly restsOn: string | undefined;
  /** Settings that it decides about, with dots: `answers.path.rules`. */
  readonly settles: readonly string[];
  /** Switches of the emulator that it may find. */
  readonly finds: readonly string[];
  /** @throws errors that end the whole probe, such as a node that does not answer. */
  run(bench: Bench): Promise<Asked>;
  /** Finding of an outcome. */
  finding(seen: Seen): Finding;
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
export function measuredFor(kind: ListKind, ...members: readonly Member[]): Settings {
  const places = (["format", "columns", "path"] as const).map((name) => `answers.${name}.${kind}` as const);
  const names = members.map((member) => `answers.names.${member}` as const);
  return measured([...places, ...names, "answers.success", "answers.ignore"] as const);
}

/** Settings or switches whose values the answers show. */
export function measured<Name extends string>(names: readonly Name[]): Record<Name, typeof MEASURED> {
  return Object.fromEntries(names.map((name) => [name, MEASURED])) as Record<Name, typeof MEASURED>;
}

/** Returns a function that makes points with the same precondition. */
export function pointNeeding(needs: Needs, restsOn?: string) {
  return <const O extends Outcomes>({ name, title, assumes, ask, ...own }: PointDefinition<O>): Point => {
    const outcomes: Outcomes = { ...own.outcomes, ...ALWAYS };
    const namesOf = (part: "settings" | "dialect") => [
      ...new Set(Object.values(outcomes).flatMap((one) => Object.keys((part in one && Reflect.get(one, part)) || {}))),
    ];
    const finding: Point["finding"] = ({ is, node, evidence = [], advice, ...seen }) => {
      const outcome: Outcome = outcomes[is] ?? ALWAYS.failed;
      const { as } = outcome;
      const settings = "settings" in outcome ? { ...constantsOf(outcome.settings), ...seen.settings } : {};
      const receiver = ("settings" in outcome && seen.receiver) || {};
      const dialect = "dialect" in outcome ? given({ ...constantsOf(outcome.dialect), ...seen.dialect }) : {};
      const isSome = (...all: object[]) => all.some((one) => Object.keys(one).length > 0);
      // A list that is read without a setting is as the contract says, if it held something.
      const unset = isSome(dialect) ? "dialect" : outcome.unseen ? "unknown" : "contract";
      const isSet = isSome(settings, receiver) || as !== "setting";
      return {
        ...{ point: name, title, assumes, outcome: is, node: node ?? outcome.node, settings, receiver },
        // An answer that gives its switch no value is expressed nowhere.
        expressed: !isSet ? unset : as === "dialect" && !isSome(dialect) ? "beyond" : as,
        found: FOUND[is] ?? (as === "unknown" || outcome.unseen ? "assumed" : "observed"),
        evidence: evidence.flatMap((answer) => answer?.evidence ?? []),
        dialect: dialect as DialectSettings,
        ...given({ advice: advice ?? outcome.advice, unseen: outcome.unseen }),
      };
    };
    const run: Point["run"] = async (bench) => {
      try {
        const seen = await ask(bench);
        return { judge: () => finding(typeof seen === "function" ? seen() : seen) };
      } catch (error) {
        if (error instanceof Skipped) {
          const isMoot = error instanceof Moot;
          return { judge: () => finding({ is: isMoot ? "moot" : "skipped", node: error.message }), isMoot };
        }
        if (!(error instanceof Unclear)) throw error;
        const { message: text, evidence } = error;
        const advice = error instanceof Unusable ? error.wayOut : undefined;
        const failed = { is: error instanceof Unusable ? "unusable" : "failed", node: text, evidence };
        return { judge: () => finding({ ...failed, ...(advice !== undefined && { advice }) }), failed: error };
      }
    };
    return {
      needs,
      restsOn,
      name,
      title,
      outcomes,
      settles: namesOf("settings"),
      finds: namesOf("dialect"),
      run,
      finding,
    };
  };
}

const FOUND: Readonly<Record<string, Finding["found"]>> = {
  skipped: "skipped",
  moot: "skipped",
  failed: "error",
  unusable: "error",
} satisfies Record<keyof typeof ALWAYS, Finding["found"]>;

/** The values that an outcome has whatever the answers are. */
function constantsOf(values: Settings | Switches = {}): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== MEASURED));
}
