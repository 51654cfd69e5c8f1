import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach } from "vitest";

/** A folder for the tests of a file, which is removed after them. */
export function useFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "packetfilter-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** The same, empty at the beginning of each test. */
export function useEmptyFolder(): string {
  const folder = useFolder();
  beforeEach(() => {
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  });
  return folder;
}
