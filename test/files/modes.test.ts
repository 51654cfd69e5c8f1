import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { draftIn, replaceFile, SHARED_FILE, writeDraft } from "../../provider/files/whole-file";
import { RejectedFiles } from "../../provider/forwarder/delivery/rejected";
import { Store, setAside } from "../../provider/forwarder/ledger/store";
import type { ForwardRecord } from "../../provider/forwarder/record/record";
import { prefixFileEditor } from "../../provider/prefixes/edit/edit-file";

const MANY_BYTES = 32 * 1024 * 1024;
const usual = process.umask();
beforeAll(() => void process.umask(0o022));
afterAll(() => void process.umask(usual));

async function folder() {
  const path = await mkdtemp(join(tmpdir(), "packetfilter-modes-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

const octal = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

/** The modes of all that is in a folder, by name. */
async function modes(path: string): Promise<Record<string, string>> {
  const names = await readdir(path, { recursive: true });
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await octal(join(path, name))])));
}

/** A process that has ended: what a killed run is known by. */
const ended = () => spawnSync(process.execPath, ["--version"]).pid;

describe("a file that takes the place of another", () => {
  it.each([0o600, 0o640, 0o664])("has its mode, %o, from the first byte of its draft", async (mode) => {
    await using work = await folder();
    const file = join(work.path, "kept.json");
    await writeFile(file, "before");
    await chmod(file, mode);
    const seen = new Set<string>();
    let isDone = false;
    const writing = replaceFile(file, "x".repeat(MANY_BYTES)).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      for (const name of await readdir(work.path)) {
        const found = await stat(join(work.path, name)).catch(() => undefined);
        if (name !== "kept.json" && found && found.size > 0) seen.add((found.mode & 0o777).toString(8));
      }
    }
    await writing;
    expect([...seen]).toEqual([mode.toString(8)]);
    expect(await modes(work.path)).toEqual({ "kept.json": mode.toString(8) });
  });

  it("is for its owner alone where there was none, unless it is for all", async () => {
    await using work = await folder();
    await replaceFile(join(work.path, "node.json"), "{}");
    await replaceFile(join(work.path, "blocked.json"), "{}", SHARED_FILE);
    expect(await modes(work.path)).toEqual({ "node.json": "600", "blocked.json": "644" });
  });

  it("removes the drafts of killed runs, and of no other", async () => {
    await using work = await folder();
    const left = draftIn(work.path).replace(`-${process.pid}-`, `-${ended()}-`);
    const alive = draftIn(work.path);
    const elsewhere = left.replace(encodeURIComponent(hostname()), "another-machine");
    for (const draft of [left, alive, elsewhere]) await writeDraft(draft, "half", 0o600);
    await replaceFile(join(work.path, "kept.json"), "{}");
    const names = [alive, elsewhere].map((draft) => draft.slice(work.path.length + 1));
    expect((await readdir(work.path)).sort()).toEqual([...names, "kept.json"].sort());
  });
});

describe("an edit of a prefix file", () => {
  it("takes away the lock of an edit that was killed, and keeps the file's mode", async () => {
    await using work = await folder();
    const file = join(work.path, "blocked.json");
    await writeFile(file, '{ "192.0.2.0/24": 1 }\n');
    await chmod(file, 0o640);
    const owner = { host: hostname(), pid: ended(), since: new Date().toISOString(), id: randomUUID() };
    await writeFile(`${file}.lock`, JSON.stringify(owner));
    const editor = prefixFileEditor(file);
    await editor.edit(() => new Map([["203.0.113.0/24", { value: 1 }]]) as never);
    expect(await modes(work.path)).toEqual({
      "blocked.json": "640",
    });
    expect(await readFile(file, "utf8")).toContain("203.0.113.0/24");
  });
});

describe("state that may hold secrets", () => {
  it("of the forwarder is for its owner alone, also while it is open, set aside or refused", async () => {
    await using work = await folder();
    const state = join(work.path, "made", "state");
    const store = await Store.open(join(state, "forwarder.sqlite"));
    const refused = new RejectedFiles(join(state, "rejected", "search"), Date.now);
    const record = { recordId: "1" } as unknown as ForwardRecord;
    await refused.add([{ record, reason: "no such index" }]);
    await refused.requeue(async (records) => records.map((one) => ({ record: one, reason: "still none" })));
    const found = Object.entries(await modes(work.path));
    store.close();
    const open = ["sqlite", "sqlite-shm", "sqlite-wal", "sqlite.lock"].map((end) => `made/state/forwarder.${end}`);
    expect(found.map(([name]) => name)).toEqual(expect.arrayContaining(open));
    expect(found.filter(([name, mode]) => mode !== (/\.(sqlite|ndjson)/.test(name) ? "600" : "700"))).toEqual([]);
    expect(await octal(setAside(join(state, "forwarder.sqlite"), 0))).toBe("600");
  });

  it.each(["/proc/state", "/proc/made/state"])("is refused at a place that holds no folders, %s", async (state) => {
    await expect(Store.open(join(state, "forwarder.sqlite"))).rejects.toThrow(
      /state folder .* cannot be made: E[A-Z]+/,
    );
    const refused = new RejectedFiles(state, Date.now).add([]);
    await expect(refused).rejects.toThrow(/mkdir '\/proc\//);
  });

  it("of the emulator is for its owner alone, while it is written and after", async () => {
    await using work = await folder();
    const emulator = await startEmulator({ persist: join(work.path, "state.json") });
    emulator.change("prefixset://edge/blocked", { insert: { "192.0.2.0/24": 1 } });
    const open = Object.values(await modes(work.path));
    await emulator.close();
    expect(new Set([...open, ...Object.values(await modes(work.path))])).toEqual(new Set(["600"]));
  });
});
