import fc from "fast-check";
import { CORE_SCHEMA, dump, load } from "js-yaml";
import { expect, test } from "vitest";
import { ExcessError } from "../../provider/model/plain-data";
import { readYaml } from "../../provider/model/yaml";

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    word,
    fc.integer(),
    fc.boolean(),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(word, tie("value"), { maxKeys: 4 }),
  ),
}));

test("what another parser writes and reads is read in the same way", () => {
  fc.assert(
    fc.property(value, (given) => {
      const text = dump(given, { schema: CORE_SCHEMA });
      expect(readYaml(text)).toEqual(load(text, { schema: CORE_SCHEMA }));
    }),
  );
});

test("a key that appears twice is named with its place, wherever its map stands", () => {
  const keys = fc.uniqueArray(word, { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(keys, fc.nat(), fc.boolean(), (names, at, isFlow) => {
      const twice = names[at % names.length] ?? "";
      const members = [...names, twice].map((name) => `${JSON.stringify(name)}: 1`);
      const text = isFlow ? `- {${members.join(", ")}}` : `- ${members.join("\n  ")}`;
      expect(() => readYaml(text)).toThrow(`the key "${twice}" appears twice, at line ${isFlow ? 1 : members.length},`);
    }),
  );
});

test("references are read up to as many searches as the limit says, and beyond it refused", () => {
  const text = (anchors: number) => Array.from({ length: anchors }, (_, n) => `- &a${n} x\n- *a${n}`).join("\n");
  expect(readYaml(text(1_000))).toHaveLength(2_000);
  expect(() => readYaml(text(5_000))).toThrow(ExcessError);
  expect(() => readYaml("&a [*a]")).toThrow(ExcessError);
});
