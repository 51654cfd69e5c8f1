import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type EmulatorState, startEmulator } from "../../provider/emulator";
import { Persistence } from "../../provider/emulator/state/persistence";
import { seededRandom } from "../../provider/emulator/time/random";
import { useFolder } from "../support/folder";
import { BLOCKED, commit, control, fapi, insert, list, signaling } from "./calls";
import { keeping } from "./keeping";

const state: EmulatorState = { arenas: { edge: { sets: { blocked: { "192.0.2.0/24": 1 } } } } };

const folder = useFolder();

/** A copy of a kept state as it is at this moment: what a process that is killed now leaves behind. */
async function copyOf(file: string, name: string): Promise<string> {
  const copy = join(folder, name);
  await copyFile(file, copy);
  return copy;
}

test("what was answered is in the file at that moment", async () => {
  const persist = join(folder, "log.json");
  await using emulator = await startEmulator({ persist, state, dialect: { commitDelay: 0 } });
  await fapi(emulator, insert("203.0.113.0/24", 4));
  await fapi(emulator, commit);
  await fapi(emulator, insert("203.0.113.9/32", 5));
  await fapi(emulator, { url: BLOCKED, cmd: "delete", data: [{ a: "192.0.2.0/24" }] });
  await signaling(emulator.signalingUrl, emulator.clients[0], "start", ["198.51.100.7/32"]);
  emulator.fail({ cmd: "commit", kind: "late-commit", delay: "1h" });
  await fapi(emulator, { ...insert("203.0.113.77/32"), url: BLOCKED });
  const copy = await Persistence.read(await copyOf(persist, "copied.json"));
  expect(copy).toEqual(emulator.state());
  expect(copy?.staged).toEqual({ [BLOCKED]: { "203.0.113.9/32": 5, "192.0.2.0/24": null, "203.0.113.77/32": 1 } });
  emulator.change(BLOCKED, { insert: { "203.0.113.78/32": 1 } });
  await fapi(emulator, list);
  expect(await Persistence.read(await copyOf(persist, "listed.json"))).toEqual(emulator.state());
});

test("a commit that is on its way is kept as staged changes before it is applied, and not if another state takes its set's place", async () => {
  const persist = join(folder, "late.json");
  await using emulator = await startEmulator({ persist, state });
  emulator.fail({ cmd: "commit", kind: "late-commit", delay: "1h" });
  await fapi(emulator, insert("203.0.113.0/24", 4));
  await fapi(emulator, commit);
  const before = await Persistence.read(await copyOf(persist, "before.json"));
  expect([before?.arenas?.edge?.sets, before?.staged]).toEqual([
    state.arenas?.edge?.sets,
    { [BLOCKED]: { "203.0.113.0/24": 4 } },
  ]);
  expect(emulator.state()).toEqual(before);
  emulator.clock.advance("2h");
  await fapi(emulator, insert("203.0.113.9/32"));
  expect((await Persistence.read(await copyOf(persist, "after.json")))?.arenas?.edge?.sets).toEqual({
    blocked: { "192.0.2.0/24": 1, "203.0.113.0/24": 4 },
  });
  emulator.fail({ cmd: "commit", kind: "late-commit", delay: "1h" });
  await fapi(emulator, commit);
  emulator.seed(state);
  await fapi(emulator, insert("203.0.113.8/32"));
  emulator.clock.advance("2h");
  await fapi(emulator, insert("203.0.113.9/32"));
  const replaced = await Persistence.read(await copyOf(persist, "replaced.json"));
  expect(replaced?.arenas?.edge?.sets).toEqual(state.arenas?.edge?.sets);
});

test("the marks of packets are kept, also if a later one of the call is not valid", async () => {
  const persist = join(folder, "marks.json");
  const rules = [{ id: 1, actions: [{ hmark: { lifetime: 600 } }] }];
  const profiles = { web: { prefixes: ["198.51.100.0/24"], rules } };
  await using emulator = await startEmulator({ persist, state: { arenas: { edge: { profiles } } } });
  const packet = { from: "203.0.113.9", to: "198.51.100.7", proto: "udp" } as const;
  expect(() => emulator.receive([packet, {} as never])).toThrow("packet 1");
  await expect.poll(() => readFile(persist, "utf8")).toContain("203.0.113.9");
});

test("a folder that is not there is told at the start", async () => {
  await expect(startEmulator({ persist: join(folder, "absent", "kept.json") })).rejects.toThrow(
    /The state cannot be kept in .*kept\.json: the folder .*absent does not exist\. Create it first\./,
  );
});

test("a change that cannot be kept is not acknowledged; the next one writes all", async () => {
  const inner = await mkdtemp(join(folder, "gone-"));
  const persist = join(inner, "kept.json");
  const timer = () => () => {};
  const persistence = new Persistence(persist, () => state, { now: () => 0, timer });
  await persistence.whole();
  await rm(inner, { recursive: true });
  persistence.changed("content");
  await expect(persistence.durable()).rejects.toThrow(/ENOENT/);
  await mkdtemp(inner).then((made) => rm(made, { recursive: true }));
  await expect(persistence.durable()).rejects.toThrow(/ENOENT/);
});

test("an emulator ends and frees its file even if the last write fails, and its caller gets the error", async () => {
  const persist = join(folder, "blocked.json");
  const emulator = await startEmulator({ persist, state });
  await rm(persist);
  await mkdir(persist);
  expect((await control(emulator, "POST", "/stop")).status).toBe(200);
  await emulator.closed;
  await expect(emulator.close()).rejects.toThrow(/blocked\.json/);
  await rm(persist, { recursive: true });
  await using next = await startEmulator({ persist, state });
  expect(next.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 1 });
});

test("a change during a write is in the file soon, though no answer waits for it", async () => {
  const persist = join(folder, "during.json");
  const timers: (() => void)[] = [];
  const later: EmulatorState = { arenas: { edge: { sets: { blocked: {} } } } };
  let current = state;
  const during: (() => void)[] = [];
  const given = () => {
    const before = current;
    queueMicrotask(() => during.shift()?.());
    return before;
  };
  const timer = (run: () => void) => {
    timers.push(run);
    return () => {};
  };
  const persistence = new Persistence(persist, given, { now: () => 0, timer });
  during.push(() => {
    current = later;
    persistence.changed("content");
  });
  await persistence.whole();
  await expect.poll(() => Persistence.read(persist)).toEqual(later);

  during.push(() => {
    persistence.changed("marks");
    timers[0]?.();
    current = state;
    persistence.changed("marks");
  });
  await persistence.whole();
  expect(timers).toHaveLength(2);
});

test("a refused insert and an empty commit write nothing", async () => {
  const persist = join(folder, "unchanged.json");
  await using emulator = await startEmulator({ persist, state });
  const written = async () => (await stat(persist, { bigint: true })).mtimeNs;
  const before = await written();
  await fapi(emulator, insert("not a prefix"));
  await fapi(emulator, commit);
  expect(await written()).toBe(before);
  await fapi(emulator, insert("203.0.113.9/32"));
  expect(await written()).not.toBe(before);
});

test("a process killed at seeded moments loses nothing acknowledged and leaves no halves", async () => {
  const persist = join(folder, "killed.json");
  await writeFile(persist, JSON.stringify({ arenas: { edge: { sets: { blocked: {} } } } }));
  const random = seededRandom(7);
  const acknowledged = new Map<string, number>();
  const asked = new Map<string, number>();
  let next = 0;
  for (let round = 0; round < 3; round += 1) {
    const { child, endpoint } = await keeping(persist);
    const victim = 5 + Math.floor(random() * 40);
    let answers = 0;
    const worker = async () => {
      for (;;) {
        next += 1;
        const prefix = `10.0.${next >> 8}.${next & 255}/32`;
        const value = 1 + Math.floor(random() * 9);
        asked.set(prefix, value);
        const sent = await fapi({ endpoint }, insert(prefix, value)).catch(() => undefined);
        const done = sent && (await fapi({ endpoint }, commit).catch(() => undefined));
        if (done?.status !== 200) return;
        acknowledged.set(prefix, value);
        answers += 1;
        // npx starts a process of its own: the whole group is killed, with answers of others on their way.
        if (answers === victim) process.kill(-(child.pid ?? 0), "SIGKILL");
      }
    };
    const ended = once(child, "exit");
    await Promise.all([worker(), worker(), worker()]);
    await ended;
  }
  await using emulator = await startEmulator({ persist });
  const held = new Map(Object.entries(emulator.prefixSet(BLOCKED).staged));
  expect([...acknowledged].filter(([prefix, value]) => emulator.prefixSet(BLOCKED).applied[prefix] !== value)).toEqual(
    [],
  );
  expect([...held].filter(([prefix, value]) => asked.get(prefix) !== value)).toEqual([]);
  expect(acknowledged.size).toBeGreaterThan(20);
  expect((await readdir(folder)).filter((name) => name.startsWith("killed.json"))).toEqual(["killed.json"]);
}, 60_000);
