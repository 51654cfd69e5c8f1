import fc from "fast-check";
import { load } from "js-yaml";
import { expect, test } from "vitest";
import { ExcessError, excess, plainData } from "../../provider/model/plain-data";

/** YAML in which each line names the one before it some times: so many values in few characters. */
function shared(levels: number, times: number): string {
  const lines = Array.from({ length: levels }, (_, level) => {
    const member = level === 0 ? "1" : `*l${level - 1}`;
    return `- &l${level} [${Array.from({ length: times }, () => member).join(", ")}]`;
  });
  return `${lines.join("\n")}\n`;
}

/** Number of values of its tree, counted independently. */
const valuesOf = (levels: number, times: number) => {
  let [whole, last] = [0, 0];
  for (let level = 0; level < levels; level++) {
    last = times + (level === 0 ? 0 : times * last);
    whole += 1 + last;
  }
  return whole;
};

test("values that stand in several places count in each, and the walk ends at the limit", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 20 }), (levels, times) => {
      const text = shared(levels, times);
      const problem = excess(load(text), text.length);
      if (valuesOf(levels, times) > 100_000) expect(problem).toMatch(/^holds more than 100000 values, where one that/);
      else expect(problem).toBe(undefined);
    }),
  );
});

test("data is refused for its depth at the same level, whatever it is made of", () => {
  const wrapped = fc.constantFrom<((inner: unknown) => unknown)[]>(
    (inner) => [inner],
    (inner) => ({ a: inner }),
    (inner) => [1, inner, 2],
  );
  fc.assert(
    fc.property(fc.array(wrapped, { minLength: 150, maxLength: 250 }), (layers) => {
      const value = layers.reduce<unknown>((inner, wrap) => wrap(inner), 1);
      expect(excess(value, 10_000) !== undefined).toBe(layers.length > 200);
    }),
  );
  for (const depth of [5_000, 500_000]) {
    const text = `${"[".repeat(depth)}${"]".repeat(depth)}`;
    expect(() => plainData(text)).toThrow(new ExcessError("is nested deeper than 200 levels, or contains itself"));
  }
});

test("what is wide is read, however long it is, and what holds itself is not", () => {
  const wide = `[${"1,".repeat(400_000)}1]`;
  expect(plainData(wide)).toHaveLength(400_001);
  expect(plainData(`{${Array.from({ length: 200_000 }, (_, n) => `"${n}":{}`).join()}}`)).toBeTypeOf("object");
  expect(() => plainData("&a [*a]", load)).toThrow("is nested deeper than 200 levels, or contains itself");
  expect(() => plainData(`&a [${"*a, ".repeat(20)}1]`, load)).toThrow(ExcessError);
});

test("all JSON of a usual depth is read as it is", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(plainData(text)).toEqual(JSON.parse(text));
    }),
  );
});
