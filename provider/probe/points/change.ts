import type { ListedEntry } from "../../wire/prefix-set-list";
import { type Answer, type RefusalKind, refusalSwitches } from "../asking/answer";
import type { Bench } from "../asking/bench";
import type { NodeSettings } from "../finding";
import type { Conclusion, Point, Switches } from "../point";
import { settingsOf } from "./records";

/** Settings by which a client recognises answers to changes as successes or failures. */
export const VERDICTS = ["answers.success", "answers.failure"] as const;

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
  /** Settings by which answers to changes are read now. */
  readonly settings: Pick<NodeSettings, "answers">;
  readonly bench: Bench;
}

/** A point that a change of the set shows: the answer, and above all what is listed once it is committed. */
interface Change extends Pick<Point, "name" | "title" | "assumes" | "settles"> {
  /** Entries that the set holds before. */
  readonly holds?: Entries;
  /** Entries of one insert, or prefixes that are deleted one after the other. */
  readonly inserts?: Entries;
  readonly deletes?: readonly string[];
  /** Name of the request in the evidence: `insert with host bits`. */
  readonly asked?: string;
  judge(came: Came): Conclusion;
}

export function change({ holds = [], inserts, deletes = [], asked, judge, ...point }: Change) {
  const ask = async (bench: Bench): Promise<Conclusion> => {
    const { set, verdicts } = bench;
    const before = textsOf(holds.length > 0 ? await set.hold(holds) : []);
    const command = inserts ? "insert" : "delete";
    let answer = await (inserts ? set.insert(inserts, asked) : set.delete(deletes.slice(0, 1), asked));
    for (const prefix of deletes.slice(1)) answer = await set.delete([prefix], asked);
    // A list may hold an entry that no setting reads.
    const differs = (one: Answer) => (before === "" ? !set.isClear(one) : textsOf(set.read(one)) !== before);
    const { list, shown } = await set.committed(differs, bench.briefly);
    const isFine = verdicts.judge(command, answer) === "success";
    if (!isFine) await bench.confirmRefusal();
    // Only an answer to a request of which more than one bad entry was not carried out is known to be a failure.
    const isFailed = inserts && (!shown || (inserts.length > 2 && set.read(list).length < inserts.length - 1));
    if (isFailed && !isFine) verdicts.failed(command, answer);
    const settings = settingsOf(verdicts.recordSigns());
    const came = { list: () => set.read(list), shown, isFine, answer, settings, bench };
    return { ...judge(came), evidence: [answer, list] };
  };
  return { ...point, ask };
}

/** The listed prefixes in order. */
export function prefixesOf(entries: readonly ListedEntry[]): string[] {
  return entries.map(({ prefix }) => String(prefix)).toSorted();
}

function textsOf(entries: readonly ListedEntry[]): string {
  return entries.map(({ prefix, value }) => `${prefix} ${value}`).join();
}

/** An entry is refused, with the settings that read the refusal where it needs some. */
export function refused({ answer, settings }: Came, dialect: Switches, node = "refused", advice?: string): Conclusion {
  const refusal = answer.isRefusal && refusalSwitches("refusedEntry", answer);
  return { is: "refused", as: "setting", node, advice, settings, dialect: { ...dialect, ...refusal } };
}

/** A change without an effect, whose answer alone shows something: by its difference from the known successes. */
export function errorOrSuccess(
  name: string,
  kind: RefusalKind,
  answer: Answer,
  is: "success" | "refused" | "unknown",
): Conclusion {
  const common = { is, evidence: [answer] };
  if (is === "success") return { ...common, as: "contract", node: "success", dialect: { [name]: "success" } };
  if (is === "unknown")
    return { ...common, as: is, node: "neither a known error nor an answer to a change that took effect" };
  const dialect = { [name]: "error", ...refusalSwitches(kind, answer) };
  return { ...common, as: "dialect", node: "an error", dialect };
}
