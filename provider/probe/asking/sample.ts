import { Prefix } from "../../model/prefix";
import type { Answers } from "../../wire/answers";
import { readPrefixSetList } from "../../wire/prefix-set-list";
import { isDocumentation, tracesDocumentation } from "../documentation";
import { type EntryShape, entryShape, type KnownEntry } from "../shapes/entry-shape";
import { listsIn, placeOfList, unreadRows } from "../shapes/list-place";
import { solve } from "../shapes/search";
import { pauseAfter } from "../timing";
import type { Answer } from "./answer";
import type { Asker } from "./asker";
import { elementsIn, readListed, whyUnread } from "./listing";
import { OWN_READER, UNREADABLE, Unusable } from "./outcome";
import type { WorkSet } from "./work-set";

/** Entries that tell everything apart: no length is a value, and neither is the same in all of them. */
const SAMPLE: readonly KnownEntry[] = [
  { address: "192.0.2.0", length: 24, value: 1 },
  { address: "198.51.100.64", length: 26, value: 7 },
  { address: "203.0.113.9", length: 32, value: 9 },
  // Some nodes write entries of the value 1 in another form than all others.
  { address: "203.0.113.77", length: 32, value: 1 },
];

/**
 * Puts known entries into the set and reads off the list, by what is known to be in it, where it stands and what its
 * members mean. Of several lists in one answer the set is the one that shows them after the commit and not before. Later
 * points rest on what this one learns.
 *
 * @returns the answers on the way, and of the list that shows them all: `place` and `entry`, where it stands and how entries
 *   are written, absent where a reader of the user's own finds it; `isFlat` where the node lists no values; `answers` and
 *   `verdict`, what must be set to read it and to tell changes to be successes; `guesses`, which of several lists it is, where
 *   all of them showed the entries before the commit; `single`, how the single address is written.
 * @throws {Unusable} when the entries never show, or no setting reads them.
 */
export async function takeSample(set: WorkSet, { learned, verdicts }: Asker) {
  const insert = await set.insert(SAMPLE.map(({ address, length, value }) => [`${address}/${length}`, value]));
  if (insert.isRefusal && insert.doubt === undefined)
    throw new Unusable("it takes no entries", `a plain insert is refused: ${insert.quote}`, undefined, [insert]);
  const before = await set.list("list before the commit");
  const early = showing(before);
  const { url } = set;
  const readBy = (answer: Answer, answers: Answers, listedValue?: ListedAs) => {
    const entries = elementsIn(answer, url, readPrefixSetList, answers);
    return entries && isSample(entries, listedValue) ? entries : undefined;
  };
  // A reader of the user's own may know addresses that no setting describes.
  const hasReader = learned.answers.read !== undefined;
  const shows = (answer: Answer) =>
    showsApplied(answer, early) || (hasReader && readBy(answer, learned.answers) !== undefined);
  const { commit, list, shown, ms } = await set.committed(shows, { pause: pauseAfter });
  const evidence = [commit, list];
  const rows = shown ? undefined : (unreadRows(list.json) ?? unreadTexts(list));
  if (rows !== undefined) throw new Unusable(UNREADABLE, rows, OWN_READER, [list]);
  if (!shown)
    throw new Unusable(
      "nothing written is ever listed",
      "what was inserted and committed is never listed",
      undefined,
      evidence,
    );
  const puzzle = { body: list.body, url, kind: "prefixset", before: learned.known, entries: SAMPLE } as const;
  const readAs = (listedValue?: ListedAs) => {
    const read = (answers: Answers) => readBy(list, answers, listedValue);
    // What shows before the commit what is in it afterwards is no list of what is applied.
    const unchanged = (answers: Answers) => (readBy(before, answers, listedValue) ? undefined : read(answers));
    const readBefore = (answers: Answers) => elementsIn(before, url, readPrefixSetList, answers) && unchanged(answers);
    return solve(puzzle, readBefore) ?? solve(puzzle, unchanged) ?? solve(puzzle, read);
  };
  const whole = readAs();
  // A node may keep no values: then all are 1.
  const found = whole ?? readAs(() => 1);
  if (!found) {
    const reading = readListed(list, url, readPrefixSetList, learned.answers);
    const why = reading.kind === "done" ? "it is read as something else than what was written" : whyUnread(reading);
    throw new Unusable(UNREADABLE, why, OWN_READER, [list]);
  }
  learned.prove(found.known);
  learned.learn({ guessed: found.guessed });
  const listShows = readBy(before, learned.answers, whole ? undefined : () => 1) ? "staged" : "applied";
  for (const [command, answer] of [
    ["list", list],
    ["insert", insert],
    ["commit", commit],
  ] as const) {
    verdicts.succeeded(command, answer);
  }
  const place = hasReader ? undefined : placeOfList(list.json, "prefixset", learned.answers, url);
  const entry = place && entryShape(place, SAMPLE);
  if (place && entry) learned.filled = { place, entry, body: list.body };
  learned.measuredDelay = ms;
  // Where lists show what waits, it cannot be seen when it is applied.
  const delayMs = listShows === "staged" ? 0 : ms;
  const single = entry && singleIn(list.body, entry);
  const { known: answers, guessed: guesses } = found;
  const verdict = verdicts.learn();
  const isFlat = whole === undefined;
  return { insert, before, commit, list, listShows, delayMs, place, entry, isFlat, answers, guesses, verdict, single };
}

/** What to say of a list that holds what was written in a spelling that no reader knows; `undefined` of any other. */
function unreadTexts({ body, quote }: Answer): string | undefined {
  return tracesDocumentation(body)
    ? `what was written is listed in a spelling that I do not read: ${quote}`
    : undefined;
}

type ListedAs = (value: number) => number;

/** The lists of an answer that show each entry of the sample, in whatever form, by their paths; `""` is the whole answer. */
function showing({ status, body, json }: Answer): string[] {
  if (status >= 300) return [];
  const lists = listsIn(json).map(({ path, value }) => ({ path, text: JSON.stringify(value) }));
  return (lists.length > 1 ? lists : [{ path: "", text: body }])
    .filter(({ text }) => showsAll(text))
    .map(({ path }) => path);
}

/** True where a list shows the sample that did not before the commit, or where no other one could be waited for. */
function showsApplied(answer: Answer, early: readonly string[]): boolean {
  const shown = showing(answer);
  const isOneOfSeveral = early.length === 1 && listsIn(answer.json).length > 1;
  return isOneOfSeveral ? shown.some((path) => !early.includes(path)) : shown.length > 0;
}

function showsAll(text: string): boolean {
  const plain = text
    .split(",")
    .map((part) => part.trim())
    .join(",")
    .toLowerCase();
  return SAMPLE.every((entry) => formsOf(entry).some((form) => plain.includes(form)));
}

function formsOf({ address }: KnownEntry): string[] {
  const number = Number(Prefix.parse(address).bits);
  return [address, String(number), `0x${number.toString(16)}`, address.replaceAll(".", ",")];
}

function isSample(
  entries: readonly { readonly prefix: Prefix; readonly value: unknown }[],
  listedValue: ListedAs = (value) => value,
): boolean {
  const own = entries.filter(({ prefix }) => isDocumentation(prefix));
  const read = new Map(own.map(({ prefix, value }) => [prefix.toString(), value]));
  return (
    own.length === SAMPLE.length &&
    SAMPLE.every(({ address, length, value }) =>
      [...read].some(([p, v]) => p === `${address}/${length}` && v === listedValue(value)),
    )
  );
}

/** `undefined` where no text holds a single address together with its length. */
function singleIn(body: string, { form, names, addressForm }: EntryShape): "cidr" | "bare" | undefined {
  if (form === "object" && (names.prefixLength !== undefined || addressForm !== undefined)) return undefined;
  const address = form === "string" ? "203.0.113.77" : "203.0.113.9";
  return body.includes(`${address}/32`) || body.includes(`${address}\\/32`) ? "cidr" : "bare";
}
