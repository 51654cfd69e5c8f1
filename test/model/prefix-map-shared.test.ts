import { expect, it } from "vitest";
import { madeOnce } from "../../provider/model/prefix-map";

it("what is made of the same objects is made once, and of equal ones anew", () => {
  const made: string[] = [];
  const joined = madeOnce((a: readonly string[], b: readonly string[]) => {
    made.push([...a, ...b].join(""));
    return [...a, ...b];
  });
  const [a, b] = [["a"], ["b"]];
  expect(joined(a, b)).toEqual(["a", "b"]);
  expect(joined(a, b)).toBe(joined(a, b));
  expect(joined(b, a)).toEqual(["b", "a"]);
  expect(joined(["a"], b)).toEqual(["a", "b"]);
  expect(made).toEqual(["ab", "ba", "ab"]);
});

it("what could not be made is tried again", () => {
  let tries = 0;
  const made = madeOnce((_: object) => {
    tries += 1;
    if (tries === 1) throw new Error("not yet");
    return tries;
  });
  const key = {};
  expect(() => made(key)).toThrow("not yet");
  expect([made(key), made(key)]).toEqual([2, 2]);
});
