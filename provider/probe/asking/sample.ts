import type { Prefix } from "../../model/prefix";
import type { Answers } from "../../wire/answers";
import { isRecord, sketch } from "../../wire/json";
import { placesIn } from "../../wire/places";
import { readPrefixSetList } from "../../wire/prefix-set-list";
import { settingsFor } from "../shapes/answers";
import { type EntryShape, entryShape, type KnownEntry } from "../shapes/entry-shape";
import { type ListPlace, placeOfList } from "../shapes/list-place";
import { pauseAfter } from "../timing";
import type { Answer } from "./answer";
import type { Learned } from "./learned";
import { Unclear } from "./outcome";
import type { WorkSet } from "./work-set";

/** Entries that tell everything apart: no length is a value, and neither is the same in all of them. */
const SAMPLE: readonly KnownEntry[] = [
  { address: "192.0.2.0", length: 24, value: 1 },
  { address: "198.51.100.64", length: 26, value: 7 },
  { address: "203.0.113.9", length: 32, value: 9 },
  // Some nodes write entries of the value 1 in another form than all others.
  { address: "203.0.113.77", length: 32, value: 1 },
];

/** What happened when three known entries were put into the set. */
export interface Sample {
  readonly insert: Answer;
  /** The list before the commit. */
  readonly before: Answer;
  readonly commit: Answer;
  /** The list that shows them. */
  readonly list: Answer;
  readonly listShows: "applied" | "staged";
  /** Milliseconds from the answer of the commit to that list. */
  readonly delayMs: number;
  readonly place: ListPlace;
  readonly entry: EntryShape;
  /** Settings with which the list is read, where it needs any. */
  readonly answers: Answers | undefined;
  /** How the single address is written. */
  readonly single: "cidr" | "bare" | undefined;
}

/**
 * Puts known entries into the set and reads off the list, by what is known to be in it, where it stands and what its
 * members mean. Later points rest on what this one learns.
 *
 * @throws {Unclear} when the entries never show, or no setting reads them.
 */
export async function takeSample(set: WorkSet, learned: Learned): Promise<Sample> {
  const insert = await set.insert(SAMPLE.map(({ address, length, value }) => [`${address}/${length}`, value]));
  if (insert.isRefusal) throw new Unclear("a plain insert is refused", [insert.evidence]);
  const before = await set.list("list before the commit");
  const listShows = showsAll(before) ? "staged" : "applied";
  const { commit, list, shown, ms } = await set.committed(showsAll, { pause: pauseAfter });
  if (!shown) throw new Unclear("what was inserted and committed is never listed", [commit.evidence, list.evidence]);
  const place = placeOfSample(list.json) ?? placeOfList(list.json, "prefixset");
  if (!place) throw new Unclear(`its shape ${sketch(list.json)} is not understood`, [list.evidence]);
  const entry = entryShape(place, SAMPLE);
  const { prefix, value, length } = entry;
  const names = {
    ...(prefix !== undefined && { prefix }),
    ...(length !== undefined && { prefixLength: length }),
    ...(value !== undefined && { value }),
  };
  const read = (answers: Answers) => isSample(readPrefixSetList(list.json, { answers }));
  const answers = settingsFor(list.json, "prefixset", read, learned.answers, names);
  if (!answers) throw new Unclear(`its shape ${sketch(list.json)} is read by no setting`, [list.evidence]);
  const isNew = answers !== learned.answers;
  Object.assign(learned, { answers, filled: { place, entry }, commitDelay: ms });
  // Where lists show what waits, it cannot be seen when it is applied.
  const delayMs = listShows === "staged" ? 0 : ms;
  return {
    insert,
    before,
    commit,
    list,
    listShows,
    delayMs,
    place,
    entry,
    answers: isNew ? answers : undefined,
    single: singleIn(list.body, entry),
  };
}

function showsAll(answer: Answer): boolean {
  return !answer.isRefusal && SAMPLE.every(({ address }) => answer.body.includes(address));
}

/** The innermost place in which all of the sample stands. */
function placeOfSample(json: unknown): ListPlace | undefined {
  const paths = isRecord(json) ? placesIn(json).map(({ path }) => path) : [];
  const places = ["", ...paths].map((path) => placeOfList(json, "prefixset", path === "" ? {} : { path }));
  const holding = places.filter((place): place is ListPlace => place !== undefined && holdsSample(place));
  return holding.toSorted((a, b) => b.path.length - a.path.length)[0];
}

function holdsSample({ elements, members }: ListPlace): boolean {
  const text = JSON.stringify([elements, members]);
  return SAMPLE.every(({ address }) => text.includes(address));
}

function isSample(entries: readonly { readonly prefix: Prefix; readonly value: unknown }[]): boolean {
  const read = new Map(entries.map(({ prefix, value }) => [prefix.toString(), value]));
  return (
    entries.length === SAMPLE.length &&
    SAMPLE.every(({ address, length, value }) =>
      [...read].some(([p, v]) => p === `${address}/${length}` && v === value),
    )
  );
}

/** `undefined` where no text holds a single address together with its length. */
function singleIn(body: string, { form, length }: EntryShape): "cidr" | "bare" | undefined {
  if (form === "object" && length !== undefined) return undefined;
  const address = form === "string" ? "203.0.113.77" : "203.0.113.9";
  return body.includes(`${address}/32`) || body.includes(`${address}\\/32`) ? "cidr" : "bare";
}
