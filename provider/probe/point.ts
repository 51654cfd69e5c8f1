import { given } from "../client/options";
import type { Answers, ListKind, Member, ReceiverAnswers } from "../wire/answers";
import type { Answer } from "./asking/answer";
import type { Bench } from "./asking/bench";
import { Moot, Skipped, Unclear, Unusable } from "./asking/outcome";
import type { DialectSettings, Finding, NodeSettings, ReceiverSettings } from "./finding";

/** Member of a node's options, or of a receiver's, with dots. */
type SettingPath =
  | Exclude<keyof NodeSettings, "answers">
  | `answers.${keyof Answers}`
  | `answers.${"format" | "columns" | "path"}.${ListKind}`
  | `answers.names.${Member}`
  | `receiver.answers.${keyof ReceiverAnswers}`;

/** Switches of the emulator; one without a value expresses nothing. */
export type Switches = Readonly<Record<string, string | number | undefined>>;

/** Members of node and receiver to set, and switches with which the emulator does the same. */
interface Values {
  readonly settings?: Partial<NodeSettings>;
  readonly receiver?: ReceiverSettings;
  readonly dialect?: Switches;
}

/**
 * Conclusion of a point, and the place where it is expressed: a setting; a switch of the emulator's dialect, with which a client
 * needs no setting; nothing, since the node does what the contract says; a line "seen, cannot be expressed" and exit code 4; or
 * nothing, since no known good answer shows it. A conclusion has no other place, so none becomes a default silently.
 */
export type Conclusion = {
  /** Stable name, in kebab case. */
  readonly is: string;
  /** Behaviour of the node, without a full stop. */
  readonly node: string;
  /** Answers that show it. */
  readonly evidence?: readonly (Answer | undefined)[];
  readonly advice?: string;
  /** See {@link Finding.unseen}. */
  readonly unseen?: true;
} & (
  | ({ readonly as: "setting" | "beyond" } & Values)
  | { readonly as: "dialect"; readonly dialect: Switches }
  | { readonly as: "contract"; readonly dialect?: Switches }
  | { readonly as: "unknown" }
);

/**
 * One open point, in a file of `points/` by theme, in the order of the requests. Entries that `ask` leaves in the set are
 * removed after it.
 */
export interface Point {
  readonly name: string;
  /** The question, as a table shows it. */
  readonly title: string;
  readonly assumes: string;
  /** Settings that it decides about, with dots: `answers.path.rules`. */
  readonly settles?: readonly SettingPath[];
  /**
   * Sends the requests. A function that it returns is called at the end, since later points may show the meaning of an answer.
   *
   * @throws {Skipped} if it cannot be asked. @throws {Unclear} if the answers make no sense.
   */
  ask(bench: Bench): Promise<Conclusion | (() => Conclusion)>;
  /** Precondition: lists alone, a set to write to, or a receiver. */
  readonly needs: "lists" | "set" | "receiver";
  /** Name of the point whose failure makes this one pointless. */
  readonly restsOn?: string;
}

/** Gives points their precondition. */
export function pointsNeeding(needs: Point["needs"], restsOn?: string) {
  return (...questions: readonly Omit<Point, "needs" | "restsOn">[]): readonly Point[] =>
    questions.map((question) => ({ ...question, needs, restsOn }));
}

/** Settings that lists of a kind decide about, with the members that only these have. */
export function settlesLists(kind: ListKind, ...members: readonly Member[]): SettingPath[] {
  const places = (["format", "columns", "path"] as const).map((name) => `answers.${name}.${kind}` as const);
  return [...places, ...members.map((name) => `answers.names.${name}` as const), "answers.success", "answers.ignore"];
}

export function findingOf({ name: point, title, assumes }: Point, conclusion: Conclusion): Finding {
  const { is: outcome, as, node, evidence = [], advice, unseen } = conclusion;
  const { settings = {}, receiver = {}, dialect = {} }: Values & Pick<Conclusion, "is"> = conclusion;
  const switches = given(dialect) as DialectSettings;
  const isSome = (...all: object[]) => all.some((one) => Object.keys(one).length > 0);
  // A list that is read without a setting is as the contract says, if it held something.
  const unset = isSome(switches) ? "dialect" : unseen ? "unknown" : "contract";
  const isSet = isSome(settings, receiver) || as !== "setting";
  return {
    ...{ point, title, assumes, outcome, node, settings, receiver, dialect: switches, ...given({ advice, unseen }) },
    // An answer that gives its switch no value is expressed nowhere.
    expressed: !isSet ? unset : as === "dialect" && !isSome(switches) ? "beyond" : as,
    found: as === "unknown" || unseen ? "assumed" : "observed",
    evidence: evidence.flatMap((answer) => answer?.evidence ?? []),
  };
}

/** Findings of points that were not asked, or whose answers make no sense, by the error that says so. */
const NOT_OBSERVED = [
  { Error: Moot, outcome: "moot", found: "skipped", expressed: "contract" },
  { Error: Skipped, outcome: "skipped", found: "skipped", expressed: "unknown" },
  { Error: Unusable, outcome: "unusable", found: "error", expressed: "beyond" },
  { Error: Unclear, outcome: "failed", found: "error", expressed: "unknown" },
] as const;

/** Finding of such a point. @throws any other error, such as that of a node that does not answer. */
export function notObserved({ name: point, title, assumes }: Point, error: unknown): Finding {
  const is = NOT_OBSERVED.find((one) => error instanceof one.Error);
  if (!is || !(error instanceof Error)) throw error;
  const { Error: _, ...kind } = is;
  const evidence = error instanceof Unclear ? error.evidence.flatMap((answer) => answer.evidence) : [];
  const advice = error instanceof Unusable ? error.remedy : undefined;
  const nothing = { settings: {}, receiver: {}, dialect: {} };
  return { point, title, assumes, node: error.message, evidence, ...nothing, ...kind, ...given({ advice }) };
}
