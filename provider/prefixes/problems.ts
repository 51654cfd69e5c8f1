import { PacketFilterError } from "../model/errors";

/** A place in a text; both count from 1, columns in UTF-16 code units as editors do. */
export interface Place {
  /** Line of the text. */
  readonly line: number;
  /** Column of the line. */
  readonly column: number;
}

/** One problem of a file. */
export interface PrefixFileProblem extends Place {
  /** The file, as it was named. */
  readonly file: string;
  /** The mistake and its remedy, without the place. */
  readonly message: string;
}

/** Most problems of one error: users correct some lines, then read the file again. */
const MOST = 20;

/**
 * A file of prefixes cannot be read, or its content is wrong or incomplete. `message` has a line
 * `file:line:column: problem and remedy` for each problem; `file`, `line` and `column` are those of the first.
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
  /** Line of the first problem, from 1. */
  readonly line: number;
  /** Column of the first problem, from 1. */
  readonly column: number;

  /** Makes Pulumi's SDK show the message without a stack. */
  get __pulumiRunError(): boolean {
    return true;
  }

  constructor(
    /** In the order in which they were found, at most twenty. */
    readonly problems: readonly [PrefixFileProblem, ...PrefixFileProblem[]],
    options?: {
      /** The error that led to this one. */
      readonly cause?: unknown;
    },
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

/** Collects the problems of one file. */
export class Problems {
  private readonly found: PrefixFileProblem[] = [];

  constructor(private readonly file: string) {}

  /** @throws {PrefixFileError} when the limit is reached */
  add({ line, column }: Place, message: string): void {
    this.found.push({ file: this.file, line, column, message });
    if (this.found.length === MOST) this.throwIfAny();
  }

  /** Adds a problem after which nothing more can be read. @throws {PrefixFileError} with all problems */
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

/** The parts of an entry as a format finds them, not yet checked. */
export interface RawEntry {
  readonly prefix: unknown;
  readonly value?: unknown;
  readonly reason?: unknown;
  readonly ticket?: unknown;
  readonly expires?: unknown;
  readonly sent?: unknown;
}

export type Part = keyof RawEntry;

/** Returns the place of a part; called only for a problem. */
export type Where = (part: Part) => Place;
