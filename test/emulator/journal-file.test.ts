import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { JournalFile } from "../../provider/commands/emulating/journal-file";
import { temporaryFolder } from "../forwarder/support/forward";

test("the file of a journal is bounded: it continues in a new one, and the one before stays beside it", async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "journal.ndjson");
  writeFileSync(file, "before\n");
  const write = async (...lines: string[]): Promise<void> => {
    const journal = await JournalFile.open(file, 20);
    // One write after the other.
    for (const line of lines) {
      journal.add(`${line}\n`);
      await Reflect.get(journal, "writing");
    }
    await journal.end();
  };
  const held = () => [file, `${file}.1`].map((one) => readFileSync(one, "utf8"));
  await write("one", "two", "three");
  expect(held()).toEqual(["three\n", "before\none\ntwo\n"]);
  await write("a line that is longer than all of it", "next");
  expect(held()).toEqual(["next\n", "a line that is longer than all of it\n"]);
});
