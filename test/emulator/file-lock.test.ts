import { once } from "node:events";
import { lchown, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createConnection, createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Emulator, type EmulatorState, startEmulator } from "../../provider/emulator";
import { useFolder } from "../support/folder";
import { BLOCKED, commit, fapi } from "./calls";
import { keeping } from "./keeping";

const state: EmulatorState = { arenas: { edge: { sets: { blocked: {} } } } };
const insert = { url: BLOCKED, cmd: "insert", data: [{ p: "203.0.113.0/24", v: 4 }] };
const IN_USE = /is kept by another emulator \(process \d+\): two would lose each other's changes/;

const folder = useFolder();

test("a second emulator on a file is refused, by whatever name, until the first has ended", async () => {
  const persist = join(folder, "shared.json");
  const other = join(folder, "other.json");
  await symlink(folder, join(folder, "linked"));
  const first = await startEmulator({ persist, state });
  await symlink(persist, other);
  await fapi(first, insert);
  for (const name of [persist, join(folder, "linked", "shared.json"), other]) {
    await expect(startEmulator({ persist: name, state })).rejects.toThrow(IN_USE);
  }
  await fapi(first, commit);
  await first.close();
  await using second = await startEmulator({ persist });
  expect(second.prefixSet(BLOCKED).applied).toEqual({ "203.0.113.0/24": 4 });
});

test("what a killed process leaves keeps no other from the file", async () => {
  const persist = join(folder, "killed.json");
  await writeFile(persist, JSON.stringify(state));
  const { child, endpoint } = await keeping(persist);
  await fapi({ endpoint }, insert);
  await fapi({ endpoint }, commit);
  await expect(startEmulator({ persist })).rejects.toThrow(IN_USE);
  process.kill(-(child.pid ?? 0), "SIGKILL");
  // Once its output is closed, too: npx may be gone before what it started.
  await once(child, "close");

  const started = await Promise.allSettled(Array.from({ length: 8 }, () => startEmulator({ persist })));
  const emulators = started.flatMap((it): Emulator[] => (it.status === "fulfilled" ? [it.value] : []));
  expect(emulators).toHaveLength(1);
  for (const it of started) if (it.status === "rejected") expect(it.reason.message).toMatch(IN_USE);
  expect(emulators[0]?.prefixSet(BLOCKED).applied).toEqual({ "203.0.113.0/24": 4 });
  await emulators[0]?.close();
  expect((await readdir(folder)).filter((name) => name.includes("killed.json"))).toEqual(["killed.json"]);
}, 30_000);

test("a file whose name is too long for a socket is one emulator's, too", async () => {
  const deep = join(folder, "a".repeat(100));
  await mkdir(deep);
  const persist = join(deep, "kept.json");
  const first = await startEmulator({ persist, state });
  await expect(startEmulator({ persist })).rejects.toThrow(IN_USE);
  await first.close();
  await (await startEmulator({ persist })).close();
});

test("what another user or process does to the lock keeps no emulator from ending, nor from saying so at its start", async () => {
  const persist = join(folder, "held.json");
  const lock = join(folder, ".held.json.lock");
  // A caller that never closes its end.
  const first = await startEmulator({ persist, state });
  const caller = createConnection({ path: lock, allowHalfOpen: true });
  await once(caller.resume(), "end");
  await first.close();
  caller.destroy();

  // A process that listens and says nothing.
  const silent = createServer(() => {}).listen(lock);
  await once(silent, "listening");
  await expect(startEmulator({ persist })).rejects.toThrow(/\(process unknown: it does not answer\)/);
  if (process.getuid?.() === 0) {
    await lchown(lock, 65_534, 65_534);
    await expect(startEmulator({ persist })).rejects.toThrow(
      /lock .*held\.json\.lock belongs to another user \(65534\)/,
    );
  }
  silent.close();
}, 30_000);

test("an emulator that does not start leaves the file to others", async () => {
  const persist = join(folder, "broken.json");
  await writeFile(persist, "no state");
  await expect(startEmulator({ persist })).rejects.toThrow(/broken\.json is not a state that an emulator kept/);
  expect(await readFile(persist, "utf8")).toBe("no state");
  await rm(persist);
  await (await startEmulator({ persist, state })).close();
});
