/** Objects and arrays within each other: no file, body or preview that is meant has more. */
const MOST_LEVELS = 200;

/** Number of values that a text of any length may hold. */
const FEWEST_VALUES = 100_000;

/**
 * Fault in the size of data that was read from a text, so that no later reader walks for ever or runs out of
 * stack: too deep, or more values than the text has room for. YAML lets a value stand in several places (aliases), in each of
 * which every reader meets it anew: a text of a thousand characters can hold more than a machine can count. Data may also
 * hold itself.
 *
 * @param characters Of the text: a value takes one at least.
 * @returns a clause such as `is nested deeper than 200 levels`; `undefined` where all is well
 */
export function excess(value: unknown, characters: number, levels: number = MOST_LEVELS): string | undefined {
  const most = Math.max(FEWEST_VALUES, 2 * characters);
  // Members that are still to be looked at, with the level on which they stand.
  const left: [member: object, level: number][] = typeof value === "object" && value !== null ? [[value, 1]] : [];
  let count = 0;
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [member, level] = next;
    if (level > levels) return `is nested deeper than ${levels} levels, or holds itself`;
    // `Object.values` would make an array for each of many thousand.
    for (const name in member) {
      count += 1;
      if (count > most)
        return `holds more than ${most} values, where one that stands in several places (YAML's aliases) counts in each`;
      const inner: unknown = member[name as keyof typeof member];
      if (typeof inner === "object" && inner !== null) left.push([inner, level + 1]);
    }
  }
  return undefined;
}

/** True for what V8 throws, and for what a parser that caught it throws in its place. */
export function ranOutOfStack(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("Maximum call stack");
}

/** Data of a text is too large or too deep; the message says how, without a full stop. */
export class ExcessError extends Error {
  override readonly name = "ExcessError";
}

/**
 * Reads a text that another may have written. A parser that runs out of stack says that it is nested too deeply, too.
 *
 * @throws {ExcessError} by {@link excess}, and what the parser throws
 */
export function plainData(text: string, read: (text: string) => unknown = JSON.parse, levels?: number): unknown {
  let value: unknown;
  try {
    value = read(text);
  } catch (error) {
    throw ranOutOfStack(error) ? new ExcessError("is nested too deeply") : error;
  }
  const problem = excess(value, text.length, levels);
  if (problem !== undefined) throw new ExcessError(problem);
  return value;
}
