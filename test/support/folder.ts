import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** A folder for the tests of a file, which is removed after them. */
export function useFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "packetfilter-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  return folder;
}
