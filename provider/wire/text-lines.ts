import { delimiterOf, splitRecord } from "../model/delimited";
import { attempt } from "../model/errors";
import { announcedIn } from "../model/list-totals";
import { COUNTS } from "../model/member-names";
import { jsonIn, prefixIn } from "../model/readable";
import { LINE_END } from "../model/text";
import type { Columns, ListFormat, ListKind } from "./answers";
import { naturalRole } from "./entry-members";
import { isErrorText } from "./error-marker";
import { jsonOf, parseJson, quoted, ShapeError, textOf } from "./json";
import { judgeText, type NodeAnswer, quotable, readAnswer } from "./node-answer";
import { mayReportPart } from "./partial-list";
import { isAddressLike } from "./places";
import { type Ignoring, ignoreRemedy, type Verdicts } from "./remedies";
import { isUsualName, MARK_FIELDS } from "./rows";

const COMMENT = /^(#|;|\/\/|!)/;
/** A first or last line with the result of the request: `OK`, `+OK 3 entries`. */
const VERDICT = /^\+?ok(?:[:, ]{1,2}(\d{1,10}))?(?: [a-z ]*)?$/i;

/** A line of a list, without blanks around it. */
export interface Line {
  /** From 1. */
  readonly number: number;
  readonly content: string;
}

/** The lines with content, and the number of elements that comments announce. */
interface Lines {
  readonly kind: "lines";
  readonly lines: readonly Line[];
  readonly comments: readonly Line[];
  readonly announced?: number | undefined;
}

/** The lines of a list; for a body that is not a list of lines, its kind. */
export function linesOf(body: string, format: ListFormat, answers?: Verdicts, command = "list"): Lines | NodeAnswer {
  const text = textOf(body);
  if (text === "") return { kind: "empty" };
  if (judgeText(text, answers, command) === "failure") return { kind: "error", message: quotable(text) };
  const whole = /^\s*[<[{]/.test(text) ? readAnswer(text, answers, command) : undefined;
  if (whole?.kind === "html" || whole?.kind === "error") return whole;
  if (whole?.kind === "json" && format !== "ndjson") {
    throw new ShapeError(`the answer is JSON, and answers.format is "${format}"`);
  }
  const source = text.split(LINE_END);
  const all = source.map((line, index): Line => ({ number: index + 1, content: line.trim() }));
  const filled = all.filter(({ content }) => content !== "");
  const error = format === "ndjson" ? undefined : filled.find(({ content }) => isErrorText(content));
  if (error) return { kind: "error", message: error.content };
  // A row of fields with semicolons or tabs between them may begin with an empty one.
  const isRow = ({ content }: Line) => !COMMENT.test(content) && !VERDICT.test(content);
  const delimiter = format === "csv" ? delimiterOf(filled.find(isRow)?.content ?? "") : "";
  const isComment = ({ content }: Line) => COMMENT.test(content) && !(delimiter === ";" && content.startsWith(";"));
  const isTabbed = delimiter === "\t";
  const lines = filled
    .filter((line) => !isComment(line))
    .map((line) => (isTabbed ? { ...line, content: source[line.number - 1]?.trimEnd() ?? "" } : line));
  const holdsPrefixes = lines.some(({ content }) => content.includes("/"));
  const comments = filled.filter(isComment);
  const announced = comments.flatMap(({ content }) => {
    const found = announcedIn(content);
    return found === undefined || (found.isOfAddresses && holdsPrefixes) ? [] : found.count;
  });
  return { kind: "lines", lines, comments, announced: announced.length > 0 ? Math.max(...announced) : undefined };
}

/** The name of all comments in `answers.ignore`. */
const COMMENTS = "comments";

/**
 * Refuses a list with a comment that may report a part of it, or with a prefix behind a sign that may negate it. An entry behind
 * the other signs is commented out. @throws {ShapeError} naming the line and the setting
 */
export function refuseComments(comments: readonly Line[], answers: Ignoring | undefined): void {
  if (answers?.ignore?.some((name) => name.toLowerCase() === COMMENTS)) return;
  for (const { number, content } of comments) {
    // A prefix with a value and other fields that are numbers; prose may begin with an address, too.
    const [, first = ""] = /^(?:!|\/\/)\s*([^\s,;]+)(?:[\s,;]+[^\s,;]+)?(?:[\s,;]+\d+)*$/.exec(content) ?? [];
    const isNegated = isAddressLike(first) && prefixIn(first, { hostBits: "mask" }) !== undefined;
    if (!isNegated && !mayReportPart(content)) continue;
    const problem = isNegated ? "has a prefix, and may negate it" : "may report a part of the list";
    throw new ShapeError(`line ${number}, ${quoted(content)}, ${problem}`, ignoreRemedy(answers, COMMENTS));
  }
}

/** Removes a first and a last line with the result of the request, and returns the number of elements in it. */
export function withoutVerdict({ lines, announced: received }: Pick<Lines, "lines" | "announced">, kind: ListKind) {
  let announced = received;
  const isVerdict = (line: Line | undefined) => {
    const [found, count] = VERDICT.exec(line?.content ?? "") ?? [];
    // A profile or a rule may have such a name.
    if (found === undefined || (count === undefined && (kind === "profiles" || kind === "rules"))) return false;
    if (count !== undefined) announced = Number(count);
    return true;
  };
  const from = isVerdict(lines[0]) ? 1 : 0;
  const to = lines.length > from && isVerdict(lines.at(-1)) ? -1 : undefined;
  return { lines: lines.slice(from, to), announced };
}

/** @throws {ShapeError} if an answer announces more elements than it lists. */
export function refuseFewer(announced: number | undefined, listed: number): void {
  if (announced === undefined || announced <= listed) return;
  throw new ShapeError(`the answer announces ${announced} and lists ${listed}`);
}

export function splitter(format: ListFormat, [first]: readonly Line[]): (line: Line) => string[] {
  if (format !== "csv") return ({ content }) => content.split(/\s+/);
  const delimiter = delimiterOf(first?.content ?? "");
  return ({ number, content }) => {
    const fields = splitRecord(content, delimiter);
    if (fields === "open") throw new ShapeError(`line ${number} begins a quoted field that does not end`);
    if ("message" in fields) throw new ShapeError(`line ${number}, column ${fields.offset + 1}: ${fields.message}`);
    return fields.map(({ text }) => text);
  };
}

/**
 * True for a first line if columns have names, or if it has a usual name of the kind's members and no address. Where no line
 * follows in `lines`, each of its words is a usual name: a sentence may have some. In CSV with numbers of columns, a row of
 * words before another line is a head, too.
 */
export function isHead(
  fields: readonly string[],
  kind: ListKind,
  columns: Columns | undefined,
  format: ListFormat,
  isAlone: boolean,
): boolean {
  if (columns && Object.values(columns).some((column) => typeof column === "string")) return true;
  const isUsual = (field: string) => isUsualName(field) || (COUNTS.test(field) && !IN_SENTENCES.test(field));
  // A sentence may have usual names, too.
  const mayBeSentence = format === "lines" && (isAlone || mayReportPart(fields.join(" ")));
  if (fields.some(isAddressLike) || (mayBeSentence && !fields.every(isUsual))) return false;
  const isWords =
    format === "csv" && columns && !isAlone && fields.length > 1 && fields.every((field) => WORD.test(field));
  switch (kind) {
    case "prefixset":
      return isWords || fields.some((field) => naturalRole(field) === "prefix");
    case "marks":
      return isWords || fields.some((field) => MARK_FIELDS.meet(field)?.kind === "address");
    case "profiles":
      return format === "csv" && fields.some((field) => /^(name|profile)$/i.test(field));
    case "rules":
      return format === "csv" && fields.some((field) => /^(id|name|rule)$/i.test(field));
  }
}

/** Usual names of counters that sentences have, as in "no network". */
const IN_SENTENCES = /^(no|timeout)$/i;
/** One word. */
const WORD = /^[\p{L}_-]+$/u;

/**
 * Refuses a possible head line: a profile or a rule may have such a name. With numbers of columns, a row without digits is one
 * if a field ends with the name of a member, as "Profile Name".
 */
export function refuseDoubtfulHead(
  fields: readonly string[],
  line: Line,
  kind: ListKind,
  columns: Columns | undefined,
) {
  if (kind !== "profiles" && kind !== "rules") return;
  const isHead = columns
    ? fields.length > 1 && !/\d/.test(line.content) && fields.some((field) => /[ _](id|name)$/i.test(field))
    : fields.every((field) => /^(id|name|profile|rule)$/i.test(field));
  if (!isHead) return;
  throw new ShapeError(
    `line ${line.number}, ${quoted(line.content)}, may be a head`,
    `If it is, set answers.columns with its names; if not, ${columns ? "read the answer with answers.read" : "with numbers"}.`,
  );
}

/** The lines that may hold elements, whatever the format. */
function elementLines(body: string): readonly Line[] {
  const lines = linesOf(body, "ndjson");
  return lines.kind === "lines" ? withoutVerdict(lines, "prefixset").lines : [];
}

/** The fields of each line of a text; empty for other formats. */
export function fieldsOf(body: string, format: ListFormat): string[][] {
  if (format !== "lines" && format !== "csv") return [];
  const lines = elementLines(body);
  const split = splitter(format, lines);
  return lines.map((line) => attempt(() => split(line), ShapeError) ?? []);
}

/** The JSON of each line; `undefined` if a line has none. */
export function recordsOf(body: string): unknown[] | undefined {
  const records = elementLines(body).map(({ content }) => jsonIn(content, parseJson));
  return records.includes(undefined) ? undefined : records;
}

/** The possible formats of a body, the likeliest first; none for JSON and HTML. */
export function formatsOf(body: string): ListFormat[] {
  const lines = elementLines(body).map(({ content }) => content);
  if (body.trim() === "" || /^\s*</.test(body) || typeof (jsonOf(body) ?? "") === "object") return [];
  // Only a result line or comments.
  if (lines.length === 0) return ["lines"];
  if (lines.every((line) => /^[[{]/.test(line))) return ["ndjson"];
  const isCsv = lines.some((line) => /[,;\t]/.test(line)) || /^"?(name|profile)"?$/i.test(lines[0] ?? "");
  return isCsv ? ["csv", "lines"] : ["lines"];
}
