/** Deepest nesting of objects and arrays: no genuine file, body or preview has more. */
const MOST_LEVELS = 200;

/** Number of values that a text of any length may hold. */
const FEWEST_VALUES = 100_000;

/**
 * Checks the size of data from a text, so that no later reader loops for ever or runs out of stack: its depth, and more values
 * than the text has room for. YAML's aliases let a value appear in several places, and a reader visits it in each: a text of a
 * thousand characters can hold more values than a machine can count. Data may also contain itself.
 *
 * @param characters Length of the text: a value takes at least one.
 * @returns a clause such as `is nested deeper than 200 levels`; `undefined` for data that is fine
 */
export function excess(value: unknown, characters: number, levels: number = MOST_LEVELS): string | undefined {
  const most = Math.max(FEWEST_VALUES, 2 * characters);
  // Members still to be visited, with their level.
  const left: [member: object, level: number][] = typeof value === "object" && value !== null ? [[value, 1]] : [];
  let count = 0;
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [member, level] = next;
    if (level > levels) return `is nested deeper than ${levels} levels, or contains itself`;
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

/** True for V8's error for a full stack, also as a parser rethrows it. */
export function ranOutOfStack(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("Maximum call stack");
}

/** Data of a text is too large or too deep; the message is a clause without a full stop. */
export class ExcessError extends Error {
  override readonly name = "ExcessError";
}

/**
 * Reads a text from outside. A text for which the parser runs out of stack is nested too deeply.
 *
 * @throws {ExcessError} by {@link excess}; other errors of the parser are rethrown
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
