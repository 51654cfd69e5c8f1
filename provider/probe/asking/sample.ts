import { Prefix } from "../../model/prefix";
import type { Answers } from "../../wire/answers";
import { readPrefixSetList } from "../../wire/prefix-set-list";
import { type EntryShape, entryShape, type KnownEntry } from "../shapes/entry-shape";
import { type ListPlace, placeOfList } from "../shapes/list-place";
import { solve } from "../shapes/search";
import { pauseAfter } from "../timing";
import type { Answer } from "./answer";
import { isDocumentation } from "./documentation";
import type { Learned } from "./learned";
import { readListed, whyUnread } from "./listing";
import { OWN_READER, Unusable } from "./outcome";
import type { Verdicts } from "./verdicts";
import type { WorkSet } from "./work-set";

/** Entries that tell everything apart: no length is a value, and neither is the same in all of them. */
const SAMPLE: readonly KnownEntry[] = [
  { address: "192.0.2.0", length: 24, value: 1 },
  { address: "198.51.100.64", length: 26, value: 7 },
  { address: "203.0.113.9", length: 32, value: 9 },
  // Some nodes write entries of the value 1 in another form than all others.
  { address: "203.0.113.77", length: 32, value: 1 },
];

/** What happened when known entries were put into the set. */
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
  /** Where the list stands; absent where a reader of the user's own finds it. */
  readonly place: ListPlace | undefined;
  readonly entry: EntryShape | undefined;
  /** True where the node lists no values. */
  readonly isFlat: boolean;
  /** Settings with which the list is read, where it needs any. */
  readonly answers: Answers;
  /** How answers to changes are told to be successes, where that needs a setting. */
  readonly verdict: Answers;
  /** How the single address is written. */
  readonly single: "cidr" | "bare" | undefined;
}

/**
 * Puts known entries into the set and reads off the list, by what is known to be in it, where it stands and what its
 * members mean. Later points rest on what this one learns.
 *
 * @throws {Unusable} when the entries never show, or no setting reads them.
 */
export async function takeSample(set: WorkSet, learned: Learned, verdicts: Verdicts): Promise<Sample> {
  const insert = await set.insert(SAMPLE.map(({ address, length, value }) => [`${address}/${length}`, value]));
  if (insert.isRefusal && insert.doubt === undefined)
    throw new Unusable("it takes no entries", `a plain insert is refused: ${insert.quote}`, undefined, [
      insert.evidence,
    ]);
  const before = await set.list("list before the commit");
  const listShows = showsAll(before) ? "staged" : "applied";
  const { commit, list, shown, ms } = await set.committed(showsAll, { pause: pauseAfter });
  const evidence = [commit.evidence, list.evidence];
  if (!shown)
    throw new Unusable(
      "nothing written is ever listed",
      "what was inserted and committed is never listed",
      undefined,
      evidence,
    );
  const { url } = set;
  const read = (answers: Answers) => {
    const reading = readListed(list, url, readPrefixSetList, answers);
    return reading.kind === "done" && isSample(reading.value) ? reading.value : undefined;
  };
  const puzzle = { body: list.body, url, kind: "prefixset", before: learned.known, entries: SAMPLE } as const;
  // A node may keep no values: then all are 1.
  const flat = (answers: Answers) => {
    const reading = readListed(list, url, readPrefixSetList, answers);
    return reading.kind === "done" && isSample(reading.value, () => 1) ? reading.value : undefined;
  };
  const whole = solve(puzzle, read);
  const found = whole ?? solve(puzzle, flat);
  if (!found) {
    const reading = readListed(list, url, readPrefixSetList, learned.answers);
    const why = reading.kind === "done" ? "it is read as something else than what was written" : whyUnread(reading);
    throw new Unusable("lists of its sets cannot be read", why, OWN_READER, [list.evidence]);
  }
  learned.prove(found.known);
  for (const [command, answer] of [
    ["list", list],
    ["insert", insert],
    ["commit", commit],
  ] as const) {
    verdicts.succeeded(command, answer);
  }
  const place =
    learned.answers.read === undefined ? placeOfList(list.json, "prefixset", learned.answers, url) : undefined;
  const entry = place && entryShape(place, SAMPLE);
  if (place && entry) learned.filled = { place, entry, body: list.body };
  learned.commitDelay = ms;
  // Where lists show what waits, it cannot be seen when it is applied.
  const delayMs = listShows === "staged" ? 0 : ms;
  const single = entry && singleIn(list.body, entry);
  const { known: answers } = found;
  const verdict = verdicts.learn();
  const isFlat = whole === undefined;
  return { insert, before, commit, list, listShows, delayMs, place, entry, isFlat, answers, verdict, single };
}

/** True where each entry of the sample stands in an answer, in whatever form. */
function showsAll(answer: Answer): boolean {
  const body = answer.body
    .split(",")
    .map((part) => part.trim())
    .join(",")
    .toLowerCase();
  return answer.status < 300 && SAMPLE.every((entry) => formsOf(entry).some((form) => body.includes(form)));
}

function formsOf({ address }: KnownEntry): string[] {
  const number = Number(Prefix.parse(address).bits);
  return [address, String(number), `0x${number.toString(16)}`, address.replaceAll(".", ",")];
}

function isSample(
  entries: readonly { readonly prefix: Prefix; readonly value: unknown }[],
  listedValue = (value: number) => value,
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
function singleIn(body: string, { form, length, addressForm }: EntryShape): "cidr" | "bare" | undefined {
  if (form === "object" && (length !== undefined || addressForm !== undefined)) return undefined;
  const address = form === "string" ? "203.0.113.77" : "203.0.113.9";
  return body.includes(`${address}/32`) || body.includes(`${address}\\/32`) ? "cidr" : "bare";
}
