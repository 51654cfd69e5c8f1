import { formatUrl, type ResourceUrl } from "../../model/resource-url";
import type { Answers } from "../../wire/answers";
import { isRecord, sketch } from "../../wire/json";
import type { NodeSettings } from "../finding";
import type { Judgement } from "../point";
import { settingsFor } from "../shapes/answers";
import { placeOfList } from "../shapes/list-place";
import type { Answer } from "./answer";
import type { Bench } from "./bench";
import type { RecordKind } from "./learned";
import { Skipped, Unclear } from "./outcome";

/** A list of records that was read. */
export interface Records<T> {
  readonly answer: Answer;
  readonly records: readonly T[];
  /** Where it stands, in words. */
  readonly where: string;
  /** The first of them, as it came; absent where it is no object. */
  readonly first?: Readonly<Record<string, unknown>>;
  /** What must be set so that it is read. */
  readonly settings: Pick<NodeSettings, "answers">;
}

/** Lists records of one kind, and finds out how they are read. @throws {Skipped | Unclear} */
export async function askRecords<T>(
  bench: Bench,
  kind: RecordKind,
  url: ResourceUrl | undefined,
  read: (json: unknown, answers: Answers) => T[],
): Promise<Records<T>> {
  if (!url) throw new Skipped(`no url with ${kind} is named`);
  const answer = await bench.list(url, { asked: `list ${formatUrl(url)}` });
  if (answer.isRefusal) {
    if (!bench.targets.isNamed(url)) throw new Skipped(`${formatUrl(url)} is refused: ${answer.quote}`);
    throw new Unclear(`${formatUrl(url)} is refused`, [answer.evidence]);
  }
  return { answer, ...understand(bench, kind, answer, read) };
}

/** Finds the settings with which an answer is read, and keeps them. @throws {Unclear} where none does. */
export function understand<T>(
  bench: Bench,
  kind: RecordKind,
  answer: Answer,
  read: (json: unknown, answers: Answers) => T[],
): Omit<Records<T>, "answer"> {
  const { learned } = bench;
  const { json } = answer;
  if (answer.isEmpty) {
    learned.empty.records = "nothing";
    learned.answers = { ...learned.answers, empty: "" };
    return { records: [], where: "an empty body", settings: { answers: { empty: "" } } };
  }
  const place = placeOfList(json, kind, learned.answers);
  if (place?.kind === "hollow" || place?.kind === "null") {
    learned.empty.records ??= place;
    if (place.kind === "hollow") learned.answers = { ...learned.answers, empty: "{}" };
  }
  let records: T[] = [];
  const before = learned.answers;
  const found = settingsFor(
    json,
    kind,
    (answers) => {
      records = read(json, answers);
      return true;
    },
    before,
  );
  if (!found) throw new Unclear(`its shape ${sketch(json)} is not understood`, [answer.evidence]);
  learned.answers = found;
  const at = placeOfList(json, kind, found);
  if (at && (records.length > 0 || learned.places[kind] === undefined)) learned.places[kind] = at;
  if (at && records.length === 0) learned.empty.records ??= at;
  const first = at?.elements.find(isRecord);
  return {
    records,
    ...(first && { first }),
    where: at ? whereOf(at.path) : "",
    settings: found === before ? {} : { answers: found },
  };
}

/** A place for people. */
export function whereOf(path: string): string {
  return path === "" ? "the whole answer" : `under ${path}`;
}

/** What to say of a list that was read. */
export function describeRecords({ answer, where }: Records<unknown>, what: string): Judgement {
  return {
    node: `${what}, ${where}`,
    evidence: [answer.evidence],
  };
}

/** The name under which a record holds what was read of it. */
export function nameOf(record: Readonly<Record<string, unknown>> | undefined, read: unknown): string | undefined {
  return read === undefined
    ? undefined
    : Object.keys(record ?? {}).find((name) => String(record?.[name]) === String(read));
}
