import { failedStatus, type Reading, readList } from "../../client/answer-readers";
import type { MarkType } from "../../model/mark";
import type { ResourceUrl } from "../../model/resource-url";
import type { Answers, ListKind, NodeHabits } from "../../wire/answers";
import { readMarkList } from "../../wire/mark-list";
import { errorText } from "../../wire/node-answer";
import { readPrefixSetList } from "../../wire/prefix-set-list";
import { readProfileList, readRuleList } from "../../wire/record-lists";
import { PROBE } from "../../wire/remedies";
import type { Answer } from "./answer";

/** Kinds of lists by kind of url. */
export const KIND_OF = {
  prefixset: "prefixset",
  arena: "profiles",
  profile: "rules",
  mark: "marks",
} as const satisfies Record<ResourceUrl["kind"], ListKind>;

const READERS = {
  prefixset: readPrefixSetList,
  arena: readProfileList,
  profile: readRuleList,
  mark: (json: unknown, habits: NodeHabits, table: MarkType = "shost") => readMarkList(json, table, habits),
} as const;

/** Elements of the list of a url. */
export type ListedAt<U extends ResourceUrl> = ReturnType<(typeof READERS)[U["kind"]]>;

/** A list to read: its answer, and what was asked for. */
export interface Listing<U extends ResourceUrl = ResourceUrl> {
  readonly answer: Answer;
  readonly url: U;
  readonly table?: MarkType | undefined;
}

/** Reads a list as a client with these settings does. */
export function readListed<U extends ResourceUrl>(
  { answer, url, table }: Listing<U>,
  answers: Answers,
  keyedPlaces?: Set<string>,
): Reading<ListedAt<U>> {
  const habits: NodeHabits = { answers, place: url, ...(keyedPlaces && { keyedPlaces }) };
  const read = (json: unknown, own: NodeHabits) => READERS[url.kind](json, own, table) as ListedAt<U>;
  return failedStatus(answer.http, errorText, "endpoint") ?? readList(answer.http, KIND_OF[url.kind], read, habits);
}

/** The elements of a list; `undefined` if these settings do not read it. */
export function elementsIn<U extends ResourceUrl>(listing: Listing<U>, answers: Answers): ListedAt<U> | undefined {
  const reading = readListed(listing, answers);
  return reading.kind === "done" ? reading.value : undefined;
}

/** True for a refusal that may say that there is no such table, and not that the node is busy, broken or closed to the probe. */
export function mayLackTable({ isRefusal, status }: Answer): boolean {
  return isRefusal && ![401, 403, 408, 425, 429].includes(status) && (status < 500 || status === 501);
}

/** The reason why an answer cannot be read, and the remedy, as sentences. */
export function whyUnread(reading: Exclude<Reading<unknown>, { kind: "done" }>): string {
  const remedy = reading.remedy?.replace(PROBE, "").trim();
  return remedy ? `${reading.message}. ${remedy}` : reading.message;
}
