import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(__dirname, "..");

it("SECURITY.md names a test for each promise and each attacker, and each is there", () => {
  const rows = readFileSync(join(root, "SECURITY.md"), "utf8").match(/^\| .* \|$/gm) ?? [];
  const promises = rows
    .filter((row) => !/^\| (Promise|Attacker) \|/.test(row))
    .map((row) => [...row.matchAll(/\]\((test\/[^)]+)\)/g)].map(([, file]) => String(file)));
  expect(promises.length).toBeGreaterThan(5);
  expect(promises.filter((files) => files.length === 0)).toEqual([]);
  expect(promises.flat().filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
