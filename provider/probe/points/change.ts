import type { ListedEntry } from "../../wire/prefix-set-list";
import { type Answer, type RefusalKind, refusalSwitches, switchesOf } from "../asking/answer";
import type { Bench } from "../asking/bench";
import { measured, type Outcome, type Outcomes, type Point, pointNeeding, type Seen } from "../point";
import { settingsOf } from "./records";

/** Settings by which a client recognises answers to changes as successes or failures. */
export const VERDICTS = measured(["answers.success", "answers.failure"]);

type Entries = readonly (readonly [prefix: string, value: number])[];

/** Result of a change of the set. */
interface Came {
  /** The listed entries, read when they are asked for. @throws {Unclear} */
  list(): readonly ListedEntry[];
  /** True if they differ from those before. */
  readonly shown: boolean;
  /** True for the answer of a success, by its difference from those whose effect a list has shown. */
  readonly isFine: boolean;
  readonly answer: Answer;
  readonly bench: Bench;
}

/** A point that a change of the set shows: the answer, and above all what is listed once it is committed. */
interface Change<O extends Outcomes> {
  readonly name: string;
  readonly title: string;
  readonly assumes: string;
  /** Entries that the set holds before. */
  readonly holds?: Entries;
  /** Entries of one insert, or prefixes that are deleted one after the other. */
  readonly inserts?: Entries;
  readonly deletes?: readonly string[];
  /** Name of the request in the evidence: `insert with host bits`. */
  readonly asked?: string;
  readonly refusal?: RefusalKind;
  readonly outcomes: O;
  /** The outcome, with its sentence if it has a more exact one. */
  is(came: Came): (keyof O & string) | readonly [is: keyof O & string, node: string];
}

/** Makes the point of a change. */
export function change<const O extends Outcomes>({ holds = [], inserts, deletes = [], is, ...own }: Change<O>): Point {
  const { asked, refusal = "refusedEntry", ...point } = own;
  const ask = async (bench: Bench): Promise<Seen<keyof O & string>> => {
    const { set, verdicts } = bench;
    const listedIn = (list: Answer) => (set.isClear(list) ? [] : set.read(list));
    const before = textsOf(holds.length > 0 ? await set.hold(holds) : []);
    const command = inserts ? "insert" : "delete";
    let answer = await (inserts ? set.insert(inserts, asked) : set.delete(deletes.slice(0, 1), asked));
    for (const prefix of deletes.slice(1)) answer = await set.delete([prefix], asked);
    // A list may hold an entry that no setting reads.
    const differs = (one: Answer) => (before === "" ? !set.isClear(one) : textsOf(listedIn(one)) !== before);
    const { list, shown } = await set.committed(differs, bench.briefly);
    const isFine = verdicts.judge(command, answer) === "success";
    // Only an answer to a request of which more than one bad entry was not carried out is known to be a failure.
    const isFailed = inserts && (!shown || (inserts.length > 2 && listedIn(list).length < inserts.length - 1));
    if (isFailed && !isFine) verdicts.failed(command, answer);
    const settings = settingsOf(verdicts.learn());
    const told = is({ list: () => listedIn(list), shown, isFine, answer, bench });
    return {
      ...(typeof told === "string" ? { is: told } : { is: told[0], node: told[1] }),
      ...{ evidence: [answer, list], settings },
      ...(inserts && answer.isRefusal && { dialect: refusalSwitches(refusal, answer) }),
    };
  };
  return pointNeeding("set", "entries")({ ...point, ask } as never);
}

/** The listed prefixes in order. */
export function prefixesOf(entries: readonly ListedEntry[]): string[] {
  return entries.map(({ prefix }) => String(prefix)).toSorted();
}

function textsOf(entries: readonly ListedEntry[]): string {
  return entries.map(({ prefix, value }) => `${prefix} ${value}`).join();
}

/** The outcome that an entry is refused, with the settings that read the refusal where it needs some. */
export function refused(dialect: Readonly<Record<string, string>>, node = "refused", advice?: string): Outcome {
  const told = { as: "setting", node, settings: VERDICTS, dialect: { ...dialect, ...REFUSED } } as const;
  return advice === undefined ? told : { ...told, advice };
}

/** Switches of an entry that is refused. */
export const REFUSED = measured(switchesOf("refusedEntry"));

/** Outcomes of a change without an effect, whose answer alone shows something. */
export function errorOrSuccess<Name extends string>(name: Name, kind: RefusalKind) {
  return {
    success: { as: "contract", node: "success", dialect: { [name]: "success" } },
    refused: { as: "dialect", node: "an error", dialect: { [name]: "error", ...measured(switchesOf(kind)) } },
    unknown: { as: "unknown", node: "neither a known error nor an answer to a change that took effect" },
  } as const satisfies Outcomes;
}

/** Judges such an answer by its difference from the known successes. */
export function judged(answer: Answer, kind: RefusalKind, is: "success" | "refused" | "unknown"): Seen<typeof is> {
  return { is, evidence: [answer], ...(is === "refused" && { dialect: refusalSwitches(kind, answer) }) };
}
