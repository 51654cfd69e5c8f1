import { ANSWER_BYTES } from "../defaults";

/** Members of an object by name, in order, without building the object. */
export class Members {
  constructor(readonly pairs: readonly (readonly [name: string, value: unknown])[]) {}

  toJSON(): Record<string, unknown> {
    return Object.fromEntries(this.pairs);
  }
}

/**
 * The JSON of a value with up to hundreds of thousands of members, in parts of limited size, between which other requests
 * are served. The value must not change before the last part is taken.
 */
export function* jsonParts(value: unknown): Generator<Buffer, void> {
  for (const text of texts(value)) yield Buffer.from(text);
}

function* texts(value: unknown): Generator<string, void> {
  if (Array.isArray(value))
    return yield* enclosed(
      "[",
      slices(value, (each) => JSON.stringify(each)),
      "]",
    );
  if (value instanceof Members) {
    return yield* enclosed(
      "{",
      slices(value.pairs, ([name, each]) => `${JSON.stringify(name)}:${JSON.stringify(each)}`),
      "}",
    );
  }
  if (typeof value !== "object" || value === null) return yield JSON.stringify(value);
  yield "{";
  let before = "";
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* texts(member);
    before = ",";
  }
  yield "}";
}

function* enclosed(open: string, parts: Iterable<string>, close: string): Generator<string, void> {
  yield open;
  yield* parts;
  yield close;
}

function* slices<Item>(items: readonly Item[], text: (item: Item) => string): Generator<string, void> {
  for (let from = 0; from < items.length; from += ANSWER_BYTES.members) {
    const part = items
      .slice(from, from + ANSWER_BYTES.members)
      .map(text)
      .join(",");
    yield from === 0 ? part : `,${part}`;
  }
}
