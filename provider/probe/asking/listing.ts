import { failedStatus, type Reading, readList } from "../../client/reading";
import type { ResourceUrl } from "../../model/resource-url";
import type { Answers, ListKind, NodeHabits } from "../../wire/answers";
import { errorText } from "../../wire/node-answer";
import { PROBE } from "../../wire/remedies";
import type { Answer } from "./answer";

/** Reads JSON of one kind of list. */
export type ReadsList<T> = (json: unknown, habits: NodeHabits) => T[];

/** Kinds of lists by kind of url. */
export const KIND_OF = {
  prefixset: "prefixset",
  arena: "profiles",
  profile: "rules",
  mark: "marks",
} as const satisfies Record<ResourceUrl["kind"], ListKind>;

/** Reads a list as a client with these settings does. */
export function readListed<T>(
  answer: Answer,
  url: ResourceUrl,
  read: ReadsList<T>,
  answers: Answers,
  keyedPlaces?: Set<string>,
): Reading<T[]> {
  const habits: NodeHabits = { answers, place: url, ...(keyedPlaces && { keyedPlaces }) };
  return failedStatus(answer.http, errorText, "endpoint") ?? readList(answer.http, KIND_OF[url.kind], read, habits);
}

/** The elements of a list; `undefined` if these settings do not read it. */
export function elementsIn<T>(answer: Answer, url: ResourceUrl, read: ReadsList<T>, answers: Answers): T[] | undefined {
  const reading = readListed(answer, url, read, answers);
  return reading.kind === "done" ? reading.value : undefined;
}

/** The reason why an answer cannot be read, and the remedy, as sentences. */
export function whyUnread(reading: Exclude<Reading<unknown>, { kind: "done" }>): string {
  const remedy = reading.remedy?.replace(PROBE, "").trim();
  return remedy ? `${reading.message}. ${remedy}` : reading.message;
}
