import { PacketFilterError } from "../model/errors";

/** A place in a text; both count from 1, columns in UTF-16 code units as editors do. */
export interface Place {
  /** Line of the text. */
  readonly line: number;
  /** Column of the line. */
  readonly column: number;
}

/** One thing that is wrong in a file. */
export interface PrefixFileProblem extends Place {
  /** The file, as it was named. */
  readonly file: string;
  /** The mistake and its remedy, without the place. */
  readonly message: string;
}

/** More than these are not looked for: after twenty lines are mended the file is read again anyway. */
const MOST = 20;

/**
 * A file of prefixes cannot be read, or what it holds is wrong or incomplete. `message` has a line
 * `file:line:column: what, and what to write` for each problem; `file`, `line` and `column` are those of the first.
 *
 * @example
 * ```ts
 * try {
 *   readPrefixFile("blocked.txt");
 * } catch (error) {
 *   if (error instanceof PrefixFileError) for (const { line, message } of error.problems) console.log(line, message);
 * }
 * ```
 */
export class PrefixFileError extends PacketFilterError {
  override readonly name = "PrefixFileError";
  /** File of the first problem. */
  readonly file: string;
  /** Its line, from 1. */
  readonly line: number;
  /** Its column, from 1. */
  readonly column: number;

  /** By this the SDK of Pulumi shows the sentence alone, without a stack. */
  get __pulumiRunError(): boolean {
    return true;
  }

  constructor(
    /** In the order in which they were found, at most twenty. */
    readonly problems: readonly [PrefixFileProblem, ...PrefixFileProblem[]],
    options?: ErrorOptions,
  ) {
    const lines = problems.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`);
    const more = problems.length === MOST ? [`Only the first ${MOST} problems are shown.`] : [];
    super([...lines, ...more].join("\n"), "invalid-prefix-file", options);
    const [{ file, line, column }] = problems;
    this.file = file;
    this.line = line;
    this.column = column;
  }
}

/** Gathers the problems of one file. */
export class Problems {
  private readonly found: PrefixFileProblem[] = [];

  constructor(private readonly file: string) {}

  /** @throws {PrefixFileError} when there are enough of them. */
  add({ line, column }: Place, message: string): void {
    this.found.push({ file: this.file, line, column, message });
    if (this.found.length === MOST) this.throwIfAny();
  }

  /** Nothing more can be read: throws this problem together with those found before. */
  fail(place: Place, message: string): never {
    this.add(place, message);
    throw this.error();
  }

  /** @throws {PrefixFileError} with all problems found so far. */
  throwIfAny(): void {
    if (this.found.length > 0) throw this.error();
  }

  private error(): PrefixFileError {
    return new PrefixFileError(this.found as [PrefixFileProblem, ...PrefixFileProblem[]]);
  }
}

/** A value as messages quote it, never longer than a line. */
export function shown(value: unknown): string {
  const text =
    typeof value === "object" && value !== null
      ? Array.isArray(value)
        ? "an array"
        : "an object"
      : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** The parts of an entry, as a format finds them; each may be anything. */
export interface RawEntry {
  readonly prefix: unknown;
  readonly value?: unknown;
  readonly reason?: unknown;
  readonly ticket?: unknown;
  readonly expires?: unknown;
  readonly sent?: unknown;
}

export type Part = keyof RawEntry;

/** Tells where a part stands; asked only when something is wrong with it. */
export type Where = (part: Part) => Place;
