import { isObject, type JsonObject } from "../../model/json";
import { type ArenaUrl, formatUrl, type MarkUrl, type ProfileUrl } from "../../model/resource-url";
import type { Answers } from "../../wire/answers";
import { readNumber, sketch } from "../../wire/json";
import { fieldsOf } from "../../wire/text-lines";
import type { Answer } from "../asking/answer";
import type { Bench } from "../asking/bench";
import { elementsIn, KIND_OF, type Listing, readListed, whyUnread } from "../asking/listing";
import { Skipped, Unclear } from "../asking/outcome";
import { solve } from "../asking/search";
import type { NodeSettings } from "../finding";
import type { Conclusion, Switches } from "../point";
import { isNoSetting, merged } from "../shapes/answers";
import { entryShape } from "../shapes/entry-shape";
import { arraysIn, placeOfList } from "../shapes/list-place";

/** Lists records of one kind, and finds the settings that read them. @throws {Skipped | Unclear} */
export async function askRecords<U extends ArenaUrl | ProfileUrl>(bench: Bench, url: U | undefined) {
  if (!url) throw new Skipped("no url with such a list is named");
  const answer = await bench.list(url, { asked: `list ${formatUrl(url)}` });
  if (answer.isRefusal && answer.doubt === undefined) {
    if (!bench.targets.isNamed(url)) throw new Skipped(`${formatUrl(url)} is refused: ${answer.quote}`);
    throw new Unclear(`${formatUrl(url)} is refused`, [answer]);
  }
  return { answer, ...understand(bench, { answer, url }) };
}

/**
 * Finds and keeps the settings that read records.
 *
 * @returns as {@link keepRead}, and `first`, the first record as it came, if it is an object. @throws {Unclear} if no setting reads them.
 */
export function understand<U extends ArenaUrl | ProfileUrl | MarkUrl>(bench: Bench, listing: Listing<U>) {
  const { learned, targets } = bench;
  const { answer } = listing;
  const names = targets.profiles.map(({ profile }) => profile);
  const emptyBy = (verdict: Answers | undefined) => {
    const list = verdict && elementsIn(listing, merged(learned.answers, verdict));
    return list && { list, known: verdict };
  };
  const solved = solve({ ...listing, before: learned.answers, names });
  const found = solved ?? emptyBy(bench.verdicts.ofEmptyList(answer));
  if (!found && holdsNothing(answer)) {
    const where = `and no setting is known that reads it: ${answer.quote}`;
    return { list: [], where, known: {}, first: undefined };
  }
  if (!found) {
    const reading = readListed(listing, learned.answers);
    const why = reading.kind === "done" ? `its shape ${sketch(answer.json)} is not understood` : whyUnread(reading);
    throw new Unclear(why, [answer]);
  }
  const kept = keepRead(bench, listing, found);
  if (kept.place && found.list.length === 0) learned.emptyRecords ??= kept.place;
  return { ...kept, first: kept.place?.elements.find(isObject) };
}

/** Keeps a list that is read: its settings, its place, and the answer, which is a success. @returns them, and `where`, the place in words. */
export function keepRead<List extends readonly unknown[]>(
  { learned, verdicts }: Bench,
  { answer, url }: Listing,
  { list, known }: { readonly list: List; readonly known: Answers },
) {
  const kind = KIND_OF[url.kind];
  learned.record(known);
  if (list.length > 0) verdicts.succeeded("list", answer);
  const place = placeOfList(answer.json, kind, learned.answers, url);
  // The form of entries shows in a set that holds some.
  const isShown = list.length > 0 || (kind !== "prefixset" && learned.places[kind] === undefined);
  const entry = place && kind === "prefixset" ? { entry: entryShape(place) } : {};
  if (place && isShown) learned.places[kind] = { ...place, ...entry, body: answer.body };
  return { list, known, place, where: place ? whereOf(place.path) : "" };
}

/** True for an answer without a record: an empty list of a shape that no filled one has shown, or something else. */
function holdsNothing({ isEmpty, json, body }: Answer): boolean {
  if (isEmpty) return true;
  return json === undefined ? fieldsOf(body, "lines").length === 0 : arraysIn(json).every(({ length }) => length === 0);
}

export function settingsOf(answers: Answers): Pick<NodeSettings, "answers"> {
  return isNoSetting(answers) ? {} : { answers };
}

export function whereOf(path: string): string {
  return path === "" ? "the whole answer" : `under ${path}`;
}

/** Judges a list of records that was read. @param isPart True if nothing shows which number of a record is which. */
export function judgedRecords(
  { answer, list, where, known }: ReturnType<typeof understand> & { readonly answer: Answer },
  what: string,
  dialect: Switches = {},
  isPart = false,
): Conclusion {
  const common = { as: "setting", evidence: [answer], settings: settingsOf(known) } as const;
  if (list.length === 0)
    return { is: "none", ...common, node: `none, so that their names were not seen, ${where}`, unseen: true };
  if (!isPart) return { is: "read", ...common, node: `${what}, ${where}`, dialect };
  const node = `${what}, ${where}; nothing shows which number is which`;
  const advice = "set `answers.names.id` and `answers.names.value` by the documentation of the node";
  return { is: "part", ...common, node, advice, unseen: true };
}

/** True if some member that the reader does not know is a number. */
export function hasNumbers({ extra = {} }: { readonly extra?: Readonly<Record<string, unknown>> }): boolean {
  return Object.values(extra).some((value) => readNumber(value) !== undefined);
}

/** The member of a record that holds this value. */
export function nameOf(record: JsonObject | undefined, read: unknown): string | undefined {
  return read === undefined
    ? undefined
    : Object.keys(record ?? {}).find((name) => String(record?.[name]) === String(read));
}
