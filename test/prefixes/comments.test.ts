import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import * as prefixes from "../../provider/prefixes";

const room = resolve(__dirname, "../../provider/prefixes");

/** Calls in doc comments that say what they give: `call(…);    // result`, the result behind it or in the next line. */
const examples = readdirSync(room, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .flatMap((name) => [
    ...readFileSync(join(room, name), "utf8").matchAll(/^ \* (?:const \w+ = )?(\w+\(.*\));\s+(?:\* )?\/\/ (\{.*\})$/gm),
  ])
  .map(([, call = "", result = ""]) => ({ call, result }));

test("there are examples to try", () => {
  expect(examples.length).toBeGreaterThan(4);
});

test.each(examples)("$call gives $result", ({ call, result }) => {
  const evaluate = (expression: string) =>
    new Function(...Object.keys(prefixes), `return (${expression});`)(...Object.values(prefixes));
  expect(evaluate(call)).toEqual(evaluate(result));
});
