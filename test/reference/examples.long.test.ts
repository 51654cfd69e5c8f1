import { expect, test } from "vitest";
import { examplesOf, problemsOf } from "./examples";
import { entryPoints, root } from "./surface";

test("every example of a public name compiles, with what it says and what its readers have at hand", () => {
  const examples = examplesOf(root, entryPoints);
  expect(examples.length).toBeGreaterThan(90);
  expect(problemsOf(root, entryPoints, examples)).toEqual([]);
  const wrong = {
    name: "wrong",
    file: `${root}/example-wrong.ts`,
    text: "export const length: string = 24;",
    given: [],
  };
  expect(problemsOf(root, entryPoints, [wrong])).toEqual(["wrong: Type 'number' is not assignable to type 'string'."]);
}, 240_000);
