import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

import { folderOfManifest, packageVersion } from "../../provider/files/package-version";

test("the version is that of the nearest manifest, and a bundled program without any is not searched for ever", () => {
  expect(packageVersion()).toBe(JSON.parse(readFileSync("package.json", "utf8")).version);
  const folder = mkdtempSync(join(tmpdir(), "bundled-"));
  expect(folderOfManifest(folder)).toBeUndefined();
  writeFileSync(join(folder, "package.json"), "{}");
  expect(folderOfManifest(join(folder, "deep", "down"))).toBe(folder);
});
