import { delimiterOf, splitRecord } from "../model/delimited";
import { Prefix, PrefixError } from "../model/prefix";
import { type Columns, columnsSetting, type ListFormat, type ListKind, type NodeHabits } from "./answers";
import { couldBeLength, naturalRole } from "./entry-members";
import { refusePartial } from "./envelope";
import { errorIn, isErrorRecord, isErrorText, isVerdictRecord } from "./error-marker";
import { parseJson, ShapeError, short } from "./json";
import { markNames } from "./mark-names";
import { type NodeAnswer, readAnswer } from "./node-answer";
import { forKind, isAddressLike } from "./places";
import { namesOfFields } from "./rows";

/** Lines that hold no element. */
const COMMENT = /^(#|;|\/\/|!)/;
/** A first or last line that tells how the request went: `OK`, `+OK 3 entries`. */
const VERDICT = /^\+?ok(?:[:, ]{1,2}(\d{1,10}))?(?: [a-z ]*)?$/i;

/**
 * Reads a list that is written in lines (`answers.format`) into the elements of a JSON list: records, pairs and texts, which
 * the readers of lists understand.
 *
 * @returns `error` where a line tells of one, whatever stands before it: such a list is not whole.
 * @throws {ShapeError} naming the line.
 */
export function readTextList(body: string, format: ListFormat, kind: ListKind, habits: NodeHabits): NodeAnswer {
  const text = body.replace(/^\uFEFF/, "");
  const whole = /^\s*[<[{]/.test(text) ? readAnswer(text, habits.answers) : undefined;
  if (text.trim() === "") return { kind: "empty" };
  if (whole?.kind === "html" || whole?.kind === "error") return whole;
  if (whole?.kind === "json" && format !== "ndjson") {
    throw new ShapeError(`the answer is JSON, and answers.format is "${format}"`);
  }
  const lines: Line[] = [];
  let number = 0;
  for (const line of text.split("\n")) {
    number++;
    const content = line.trim();
    if (content === "") continue;
    if (format !== "ndjson" && isErrorText(content)) return { kind: "error", message: content };
    if (!COMMENT.test(content)) lines.push({ number, content });
  }
  return format === "ndjson" ? records(lines, habits) : rows(lines, format, kind, habits);
}

interface Line {
  /** From 1. */
  readonly number: number;
  readonly content: string;
}

function records(lines: readonly Line[], habits: NodeHabits): NodeAnswer {
  const json: unknown[] = [];
  for (const { number, content } of lines) {
    let element: unknown;
    try {
      element = parseJson(content);
    } catch (error) {
      if (error instanceof ShapeError) throw error;
      if (isErrorText(content)) return { kind: "error", message: content };
      throw new ShapeError(`line ${number} is no JSON: ${short(content)}`);
    }
    if (isErrorRecord(element)) return { kind: "error", message: errorIn(element) ?? content };
    json.push(element);
  }
  const last = json.at(-1);
  // A last line that tells of the list is none of its elements.
  if (isVerdictRecord(last) || isCount(last)) {
    json.pop();
    refusePartial([last], json.length, habits);
  }
  return { kind: "json", json };
}

function isCount(element: unknown): element is Readonly<Record<string, unknown>> {
  if (typeof element !== "object" || element === null) return false;
  return Object.keys(element).every((name) => /^(total|count|records|more|next)$/i.test(name));
}

function rows(given: readonly Line[], format: ListFormat, kind: ListKind, habits: NodeHabits): NodeAnswer {
  const { lines, announced } = withoutVerdict(given, kind);
  const columns = forKind<Columns>(habits.answers?.columns, kind);
  const split = format === "csv" ? byDelimiter(delimiterOf(lines[0]?.content ?? "")) : byBlanks;
  const [first] = lines;
  const hasHead = first !== undefined && isHead(split(first), kind, columns, format);
  const names =
    first && (columns || hasHead) ? namesOfFields(columns ?? {}, hasHead ? split(first) : undefined) : undefined;
  const elements = lines.slice(hasHead ? 1 : 0).map((line) => {
    if (names) return record(split(line), names);
    return kind === "rules" ? line.content : element(split(line), line, kind);
  });
  if (announced !== undefined && announced > elements.length) {
    throw new ShapeError(`the answer speaks of ${announced} and lists ${elements.length}`);
  }
  return { kind: "json", json: elements };
}

/** Leaves out a first and a last line that tell how the request went, and keeps the number that they tell. */
function withoutVerdict(lines: readonly Line[], kind: ListKind) {
  let announced: number | undefined;
  const isVerdict = (line: Line | undefined) => {
    const [found, count] = VERDICT.exec(line?.content ?? "") ?? [];
    // A profile or a rule may be called so.
    if (found === undefined || (count === undefined && (kind === "profiles" || kind === "rules"))) return false;
    if (count !== undefined) announced = Number(count);
    return true;
  };
  const from = isVerdict(lines[0]) ? 1 : 0;
  const to = lines.length > from && isVerdict(lines.at(-1)) ? -1 : undefined;
  return { lines: lines.slice(from, to), announced };
}

function byBlanks({ content }: Line): string[] {
  return content.split(/\s+/);
}

function byDelimiter(delimiter: string) {
  return ({ number, content }: Line): string[] => {
    const fields = splitRecord(content, delimiter);
    if (fields === "open") throw new ShapeError(`line ${number} begins a quoted field that does not end`);
    if ("message" in fields) throw new ShapeError(`line ${number}, column ${fields.offset + 1}: ${fields.message}`);
    return fields.map(({ text }) => text);
  };
}

/** A first line is a head where names are asked for, or where it has a name that elements of the kind have, and no address. */
function isHead(fields: readonly string[], kind: ListKind, columns: Columns | undefined, format: ListFormat): boolean {
  if (columns && Object.values(columns).some((column) => typeof column === "string")) return true;
  if (fields.some(isAddressLike)) return false;
  if (columns)
    return format === "csv" && fields.length > 1 && fields.every((field) => /^[a-z][\w -]{0,40}$/i.test(field));
  switch (kind) {
    case "prefixset":
      return fields.some((field) => naturalRole(field) === "prefix");
    case "marks":
      return fields.some((field) => markNames("shost", undefined).meet(field)?.kind === "address");
    case "profiles":
      return format === "csv" && fields.some((field) => /^(name|profile)$/i.test(field));
    case "rules":
      return format === "csv" && fields.some((field) => /^(id|name|rule)$/i.test(field));
  }
}

function record(fields: readonly string[], names: readonly (string | undefined)[]): Readonly<Record<string, string>> {
  const members: Record<string, string> = {};
  for (const [index, field] of fields.entries()) {
    const name = names[index];
    if (name !== undefined && field !== "") members[name] = field;
  }
  return members;
}

/** A row whose columns have no names: what cannot be told from the row itself is asked for. */
function element(fields: readonly string[], { number }: Line, kind: ListKind): unknown {
  const [first = "", second] = fields;
  const at = fields.findIndex(isAddressLike);
  if (kind === "marks") {
    if (fields.length === 1 && at === 0) return { address: first };
    throw unknownColumns(number, fields, { address: Math.max(at, 0) });
  }
  if (fields.length === 1) return first;
  if (kind === "profiles") throw unknownColumns(number, fields, { name: 0 });
  if (fields.length > 2 || at !== 0) throw unknownColumns(number, fields, { prefix: Math.max(at, 0) });
  // "192.0.2.0 24" and "192.0.2.0 255.255.255.0" may be an address and its length; a value is as likely.
  if (!first.includes("/") && mayBeLength(first, second ?? "")) {
    throw unknownColumns(number, fields, { prefix: 0, prefixLength: 1 });
  }
  return fields;
}

/** True where the second field is a netmask or the end of a range, or a length that leaves no host bits. */
function mayBeLength(address: string, second: string): boolean {
  if (isAddressLike(second)) return true;
  if (!couldBeLength(second)) return false;
  try {
    return Prefix.parse(`${address}/${second}`).size > 1n;
  } catch (error) {
    if (error instanceof PrefixError) return false;
    throw error;
  }
}

function unknownColumns(line: number, fields: readonly string[], guess: Columns): ShapeError {
  return new ShapeError(
    `line ${line} has ${fields.length} fields, and nothing says what they are`,
    `Say what they are, for example ${columnsSetting(guess)}.`,
  );
}

/** A sentence: the format that a text seems to have; `undefined` where it looks like none. */
export function formatHint(text: string): string | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !COMMENT.test(line.trim()));
  const line = lines[1] ?? lines[0] ?? "";
  const format = /^\s*[[{]/.test(line)
    ? "ndjson"
    : line.split(/[,;\t]/).some((field) => isAddressLike(field.trim()))
      ? "csv"
      : "lines";
  if (format !== "ndjson" && !line.split(/[\s,;]+/).some(isAddressLike)) return undefined;
  return `If this is a list, set answers.format: "${/[,;\t]/.test(line) || format === "ndjson" ? format : "lines"}".`;
}
