import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { membersOfZod } from "../../tools/lib/zod-members.mjs";

test("of zod are taken the members that sources name, and no types", () => {
  const folder = mkdtempSync(join(tmpdir(), "packetfilter-zod-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "a.ts"), "const a: z.infer<typeof b> = zod()\n  .strictObject({ c: z.enum([]) });");
  writeFileSync(join(folder, "b.ts"), "z.toJSONSchema(z\n  .string()); fuzz.number(); z.core.$ZodIssue; d.z.boolean");
  expect(membersOfZod([folder], "/zod.js")).toBe(
    'import * as all from "/zod.js";\nexport const z = { boolean: all.boolean, enum: all.enum, strictObject: all.strictObject, string: all.string, toJSONSchema: all.toJSONSchema };\n',
  );
});

test("no source takes a member of zod in a way that this does not see", () => {
  const root = join(import.meta.dirname, "../..");
  const files = ["provider", "policies"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => join(root, folder, name)),
  );
  const unseen = /\}\s*=\s*(z|zod\(\))\s*[;,]|\b(z|zod\(\))\s*(\[|\?\.)|import \* as \w+ from "zod"/;
  expect(files.filter((name) => unseen.test(readFileSync(name, "utf8")))).toEqual([]);
});
