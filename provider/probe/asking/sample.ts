import { Prefix } from "../../model/prefix";
import type { Answers } from "../../wire/answers";
import { isDocumentation, tracesDocumentation } from "../documentation";
import { type EntryShape, entryShape, type KnownEntry } from "../shapes/entry-shape";
import { listsIn, placeOfList, unreadRows } from "../shapes/list-place";
import { prefixesIn } from "../shapes/status-search";
import { pauseAfter } from "../timing";
import type { Answer } from "./answer";
import type { Asker } from "./asker";
import { elementsIn, readListed, whyUnread } from "./listing";
import { OWN_READER, UNREADABLE, Unusable } from "./outcome";
import { solve } from "./search";
import type { WorkSet } from "./work-set";

/** Entries whose lengths and values all differ, so that the meaning of each member can be recognised. */
const SAMPLE: readonly KnownEntry[] = [
  { address: "192.0.2.0", length: 24, value: 1 },
  { address: "198.51.100.64", length: 26, value: 7 },
  { address: "203.0.113.9", length: 32, value: 9 },
  // Some nodes write entries with the value 1 in another form.
  { address: "203.0.113.77", length: 32, value: 1 },
];

/**
 * Writes known entries into the set, and derives from its list the place of the entries and the meaning of their members. Of
 * several lists in one answer, the set is the one that shows them after the commit and not before.
 *
 * @returns the answers; `isEarly` if the list before the commit shows the entries, too, `isApplied` if it is read and shows
 *   none of them; `answers` and `verdict`, the settings that
 *   read the list and that recognise successes; `single`, the form of a single address.
 * @throws {Unusable} if the entries never show, or no setting reads them.
 */
export async function takeSample(set: WorkSet, { learned, verdicts }: Asker) {
  const insert = await set.insert(SAMPLE.map(({ address, length, value }) => [`${address}/${length}`, value]));
  if (insert.isRefusal && insert.doubt === undefined && !insert.isPage)
    throw new Unusable("it takes no entries", `a plain insert is refused: ${insert.quote}`, undefined, [insert]);
  const before = await set.list("list before the commit");
  const early = showing(before);
  const { url } = set;
  const readBy = (answer: Answer, answers: Answers, listedValue?: ListedAs) => {
    const entries = elementsIn({ answer, url }, answers);
    return entries && isSample(entries, listedValue) ? entries : undefined;
  };
  // A reader of the user's own may know forms that no setting describes.
  const hasReader = learned.answers.read !== undefined;
  const shows = (answer: Answer) =>
    showsApplied(answer, early) || (hasReader && readBy(answer, learned.answers) !== undefined);
  const { commit, list, shown, ms, earlierMs } = await set.committed(shows, { pause: pauseAfter });
  const rows = unreadRows(list);
  set.isHeld = shown;
  if (shown || rows !== undefined || tracesDocumentation(list.body)) set.isProved = true;
  else set.isBlind = !commit.isRefusal;
  const why = "what was inserted and committed is never listed";
  if (!set.isProved) throw new Unusable("nothing written is ever listed", why, undefined, [commit, list]);
  const puzzle = { answer: list, url, before: learned.answers, entries: SAMPLE };
  const readAs = (listedValue?: ListedAs) => {
    const fits: Fits = (answers) => readBy(list, answers, listedValue) !== undefined;
    // A list that shows the entries before the commit holds more than the applied ones.
    const unchanged: Fits = (answers) => fits(answers) && !readBy(before, answers, listedValue);
    const readBefore: Fits = (answers) =>
      unchanged(answers) && elementsIn({ answer: before, url }, answers) !== undefined;
    return solve(puzzle, readBefore) ?? solve(puzzle, unchanged) ?? solve(puzzle, fits);
  };
  const whole = readAs();
  // If the node keeps no values, all are 1.
  const found = whole ?? readAs(() => 1);
  if (!found) {
    const reading = readListed({ answer: list, url }, learned.answers);
    const other = reading.kind === "done" ? "it is read as something else than what was written" : whyUnread(reading);
    const unread = `what was written is listed in a spelling that the probe cannot read: ${list.quote}`;
    throw new Unusable(UNREADABLE, rows ?? (prefixesIn(list.body).length > 0 ? other : unread), OWN_READER, [list]);
  }
  learned.record(found.known);
  const isEarly = readBy(before, learned.answers, whole ? undefined : () => 1) !== undefined;
  const isApplied = !isEarly && (set.isClear(before) || learned.isLikeUnknown(before, url.set));
  verdicts.succeeded("list", list);
  verdicts.succeeded("insert", insert, SAMPLE.length);
  verdicts.succeeded("commit", commit, SAMPLE.length);
  const place = hasReader ? undefined : placeOfList(list.json, "prefixset", learned.answers, url);
  const entry = place && entryShape(place, SAMPLE);
  if (place && entry) learned.places.prefixset = { ...place, entry, body: list.body };
  learned.measuredDelay = ms;
  // If lists show staged entries, the time of the commit cannot be seen.
  const delayMs = isEarly ? 0 : ms;
  learned.isFlat = whole === undefined;
  return {
    ...{ insert, before, commit, list, isEarly, isApplied, delayMs, earlierMs },
    ...{ answers: found.known, verdict: verdicts.recordSigns(), single: entry && singleIn(list.body, entry) },
  };
}

type Fits = (answers: Answers) => boolean;
type ListedAs = (value: number) => number;

/** Paths of the lists in an answer that show the whole sample in any form; `""` is the whole answer. A commit may show entry by entry. */
function showing({ status, body, json }: Answer): string[] {
  if (status >= 300) return [];
  const lists = listsIn(json).map(({ path, value }) => ({ path, text: JSON.stringify(value) }));
  return (lists.length > 1 ? lists : [{ path: "", text: body }])
    .filter(({ text }) => showsAll(text))
    .map(({ path }) => path);
}

/** True if a list shows the sample that did not before the commit, or if there is only one list. */
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

/** The form of a single address; `undefined` if no text holds it together with its length. */
function singleIn(body: string, { form, names, addressForm }: EntryShape): "cidr" | "bare" | undefined {
  if (form === "object" && (names.prefixLength !== undefined || addressForm !== undefined)) return undefined;
  const address = form === "string" ? "203.0.113.77" : "203.0.113.9";
  return body.includes(`${address}/32`) || body.includes(`${address}\\/32`) ? "cidr" : "bare";
}
