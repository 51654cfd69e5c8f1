import { isObject, type JsonObject } from "../model/json";
import { prefixIn } from "../model/readable";
import type { Answers, Columns, ListFormat, ListKind, NodeHabits, ReceiverAnswers } from "./answers";
import { couldBeLength, naturalRole } from "./entry-members";
import { refuseState } from "./entry-state";
import { refuseMore } from "./envelope";
import { isErrorRecord, isErrorText, isVerdictRecord, wordsOf } from "./error-marker";
import { parseJson, quoted, refuseRepeated, ShapeError } from "./json";
import { type NodeAnswer, readAnswer } from "./node-answer";
import { refusePartial } from "./partial-list";
import { forKind, isAddressLike, namesFor } from "./places";
import { describedBy, ignoring } from "./remedies";
import { namesOfFields, unnamed } from "./rows";
import {
  isHead,
  type Line,
  linesOf,
  refuseComments,
  refuseDoubtfulHead,
  refuseFewer,
  splitter,
  withoutVerdict,
} from "./text-lines";

/**
 * Reads a list in lines (`answers.format`) into the elements of a JSON list: records, pairs and texts.
 *
 * @returns `error` if any line reports one: the lines before it are not the whole list.
 * @throws {ShapeError} naming the line.
 */
export function readTextList(body: string, format: ListFormat, kind: ListKind, habits: NodeHabits): NodeAnswer {
  const given = linesOf(body, format, habits.answers);
  if (given.kind !== "lines") return given;
  refuseComments(given.comments, habits.answers);
  return format === "ndjson" ? records(given.lines, kind, habits.answers) : rows(given, format, kind, habits);
}

/**
 * The prefixes that a receiver lists in lines; fields that say nothing about them do not matter.
 *
 * @throws {ShapeError} naming a line without a prefix, or with one that may not be active.
 */
export function readTextPrefixes(body: string, format: ListFormat, answers: ReceiverAnswers = {}): NodeAnswer {
  const given = linesOf(body, format, answers, "status");
  if (given.kind !== "lines") return given;
  refuseComments(given.comments, answers);
  if (format === "ndjson") return records(given.lines, "prefixset", answers, "status");
  const { lines, announced } = withoutVerdict(given, "prefixset");
  const split = splitter(format, lines);
  const [first] = lines;
  const head = first && isHead(split(first), "prefixset", undefined, format, lines.length === 1) ? split(first) : [];
  const json = lines.slice(head.length > 0 ? 1 : 0).map((line) => {
    const fields = split(line);
    refuseState(record(fields, head), `line ${line.number}`, answers);
    return prefixOf(fields, head, line, answers);
  });
  refuseFewer(announced, json.length);
  return { kind: "json", json };
}

/** The prefix of a line: in the one column that the head names so, else the one field that can be a prefix. */
function prefixOf(fields: readonly string[], head: readonly string[], line: Line, answers: ReceiverAnswers): string {
  const named = [...head.keys()].filter((at) => naturalRole(head[at] as string) === "prefix");
  const nameOf = (at: number) => head[at] ?? unnamed(at);
  const mayHold = (at: number) => (named.length === 1 ? at === named[0] : !isIgnored(answers, nameOf(at)));
  const [first, second] = [...fields.keys()].filter((at) => isMeantAsPrefix(fields[at] as string) && mayHold(at));
  if (first === undefined) throw new ShapeError(`line ${line.number} holds no prefix: ${quoted(line.content)}`);
  const [prefix, other] = [fields[first] as string, second === undefined ? undefined : fields[second]];
  if (other === undefined || other === prefix) return prefix;
  throw new ShapeError(
    `line ${line.number} holds ${quoted(prefix)} and ${quoted(other)}, and nothing says which one is active`,
    `If ${quoted(prefix)} is the active one, set ${ignoring(answers, nameOf(second as number))}; if ${quoted(other)} is it, ${ignoring(answers, nameOf(first))}.`,
  );
}

/** False for a time or a hardware address, which begin as an IPv6 address does. A prefix with a mistake is meant as one. */
function isMeantAsPrefix(field: string): boolean {
  if (!isAddressLike(field)) return false;
  return /^\d+\.|\//.test(field) || prefixIn(field) !== undefined;
}

function isIgnored({ ignore = [] }: ReceiverAnswers, name: string): boolean {
  return ignore.some((one) => one.toLowerCase() === name.toLowerCase());
}

/** A last line about the list is judged as an answer, and is none of the elements. */
function records(
  lines: readonly Line[],
  kind: ListKind,
  answers: Answers | ReceiverAnswers = {},
  command = "list",
): NodeAnswer {
  const named = "names" in answers ? namesFor(answers, kind) : {};
  const json: unknown[] = [];
  for (const [at, { number, content }] of lines.entries()) {
    let element: unknown;
    try {
      element = parseJson(content);
    } catch (error) {
      if (error instanceof ShapeError) throw error;
      if (isErrorText(content)) return { kind: "error", message: content };
      throw new ShapeError(`line ${number} is not JSON: ${quoted(content)}`);
    }
    refuseRepeated(content, element);
    const about = at === lines.length - 1 && isAboutList(element, kind, named) ? element : undefined;
    const answer = about || isErrorRecord(element) ? readAnswer(content, answers, command) : undefined;
    if (answer?.kind === "error") return answer;
    if (about === undefined) json.push(element);
    else {
      refuseMore(about, [], answers);
      refusePartial({ within: [about], list: undefined, length: json.length }, answers);
    }
  }
  return { kind: "json", json };
}

/** True for a record about a list, without a member by which the settings tell elements apart. */
function isAboutList(element: unknown, kind: ListKind, named: ReturnType<typeof namesFor>): element is JsonObject {
  if (!isObject(element)) return false;
  const names = Object.keys(element).map((name) => name.toLowerCase());
  const isCount = names.every((name) => /^(total|count|records|more|next)$/.test(name));
  const isElement = Object.entries(named).some(
    ([member, name]) => IDENTIFYING[kind].test(member) && names.includes(name.toLowerCase()),
  );
  // The id of a mark may be the code of a verdict.
  const isMark = kind === "marks" && names.includes(named.id?.toLowerCase() ?? "") && wordsOf(element) === undefined;
  return (isCount || isVerdictRecord(element)) && !isElement && !isMark;
}

const IDENTIFYING: Readonly<Record<ListKind, RegExp>> = {
  prefixset: /^(prefix|rangeStart)$/,
  profiles: /^name$/,
  rules: /^(id|name)$/,
  marks: /^(address|source|destination)$/,
};

function rows(
  given: Parameters<typeof withoutVerdict>[0],
  format: ListFormat,
  kind: ListKind,
  habits: NodeHabits,
): NodeAnswer {
  const { lines, announced } = withoutVerdict(given, kind);
  const columns = forKind<Columns>(habits.answers?.columns, kind);
  const split = splitter(format, lines);
  const [first] = lines;
  const hasHead = first !== undefined && isHead(split(first), kind, columns, format, lines.length === 1);
  if (first && !hasHead) refuseDoubtfulHead(split(first), first, kind, columns);
  const names =
    first && (columns || hasHead) ? namesOfFields(columns ?? {}, hasHead ? split(first) : undefined, kind) : undefined;
  const elements = lines.slice(hasHead ? 1 : 0).map((line) => {
    if (names) return record(split(line), names);
    return kind === "rules" ? line.content : element(split(line), line, kind);
  });
  refuseFewer(announced, elements.length);
  return { kind: "json", json: elements };
}

function record(fields: readonly string[], names: readonly (string | undefined)[]): Readonly<Record<string, string>> {
  const members: Record<string, string> = {};
  for (const [index, field] of fields.entries()) {
    if (field !== "") members[names[index] ?? unnamed(index)] = field;
  }
  return members;
}

/** Reads a row without names of columns; an ambiguous row is refused with the setting that it needs. */
function element(fields: readonly string[], { number }: Line, kind: ListKind): unknown {
  const [first = "", second = ""] = fields;
  const isAddress = isAddressLike(first);
  // "192.0.2.0 24" and "192.0.2.0 255.255.255.0" may be an address and its length; a value is as likely.
  const isPair =
    kind === "prefixset" && fields.length === 2 && isAddress && (first.includes("/") || !mayBeLength(first, second));
  if (fields.length === 1 ? kind === "marks" && !isAddress : !isPair) {
    const problem = `line ${number} has ${fields.length} fields, and nothing says what they are`;
    throw new ShapeError(problem, describedBy("columns"));
  }
  if (kind === "marks") return { address: first };
  return isPair ? fields : first;
}

/** True where the second field is a netmask or the end of a range, or a length that leaves no host bits. */
function mayBeLength(address: string, second: string): boolean {
  if (isAddressLike(second)) return true;
  if (!couldBeLength(second)) return false;
  const prefix = prefixIn(`${address}/${second}`);
  return prefix !== undefined && prefix.size > 1n;
}
