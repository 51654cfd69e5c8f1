import { expect, it } from "vitest";
import { run } from "../commands/support";
import { TYPES_ARE_CHECKED } from "./support/stack";
import { BLOCKED, since, world } from "./support/world";

it("what an import protects stays protected by the program that it wrote", async () => {
  await using w = await world({ program: "", language: "typescript", env: TYPES_ARE_CHECKED });
  const { emulator, stack } = w;
  emulator.change(BLOCKED, { insert: { "192.0.2.0/24": 1 } });
  emulator.change("prefixset://edge/partners", { insert: { "203.0.113.7/32": 2 } });
  const surroundings = { folder: stack.folder, env: { PACKETFILTER_ENDPOINT: emulator.endpoint } };
  const made = await run(["import", BLOCKED, "--out", "sets"], surroundings);
  expect(made.code, made.err).toBe(0);
  const single = await run(["import", "prefixset://edge/partners", "--as", "entries", "--out", "one"], surroundings);
  expect(single.code, single.err).toBe(0);
  await stack.write("index.ts", 'import "./sets";\nimport "./one";\n');
  for (const folder of ["sets", "one"])
    await stack.must("import", "--file", `${stack.folder}/${folder}/import.json`, "--yes", "--generate-code=false");

  const sent = since(emulator);
  await stack.must("up", "--yes", "--skip-preview");
  const destroyed = await stack.destroy();
  expect(destroyed.code).not.toBe(0);
  expect(destroyed.text).toMatch(/cannot be deleted|protected/);
  expect(sent()).toEqual([]);
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 1 });
});
