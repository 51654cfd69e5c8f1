import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { SINK_DEFAULTS, SIZES } from "../../provider/forwarder/defaults";
import { SpoolView } from "../../provider/forwarder/delivery/spool-view";
import type { StoredLedger } from "../../provider/forwarder/ledger/ledger";
import { LeftSpool } from "../../provider/forwarder/ledger/left-spool";
import type { LedgerOptions } from "../../provider/forwarder/ledger/protocol";
import { Spool } from "../../provider/forwarder/ledger/spool";
import { isFull } from "../../provider/forwarder/ledger/sqlite";
import { Store } from "../../provider/forwarder/ledger/store";
import { LedgerThread } from "../../provider/forwarder/ledger/thread";
import type { ArrivedList } from "../../provider/forwarder/reading/arrived-list";
import type { ForwardRecord } from "../../provider/forwarder/record/record";
import { Metrics } from "../../provider/forwarder/telling/metrics";
import { useEmptyFolder } from "../support/folder";
import { TestClock } from "./support/clock";
import { arrived as arrivedAt, JANUARY, listed, openLedger, sink, TABLE, takeAll, unread } from "./support/ledger";

const OTHER = { ...TABLE, profile: "dns" };
const OF_DNS = { profiles: ["dns"] };

const folder = useEmptyFolder();
let wall = JANUARY;
let now = 1_000;
const opened: StoredLedger[] = [];

beforeEach(() => {
  wall = JANUARY;
  now = 1_000;
});
afterEach(async () => {
  for (const ledger of opened.splice(0)) await ledger.close(undefined).catch(() => {});
});

async function open(sinks = [sink("disk")], more: Partial<LedgerOptions> = {}) {
  const result = await openLedger(folder, sinks, { wall, ...more });
  opened.push(result.ledger);
  return result;
}

/** An answer that arrives now. */
const arrived = (marks: readonly object[] | string, more: Partial<ArrivedList> = {}) =>
  arrivedAt(marks, { wall, now, ...more });

/** One list of a table, 3 s after the one before: addresses of 203.0.113.0/24 by their last number, and their values. */
async function read(ledger: StoredLedger, marks: Record<number, number>, more: Partial<ArrivedList> = {}) {
  now += 3_000;
  wall += 3_000;
  const records = Object.entries(marks).map(([last, v]) => ({ a: `203.0.113.${last}`, id: 1, v, t: 600 }));
  return ledger.take(arrived(records, more));
}

/** Statements with which work changes the store. */
async function writesOf(work: () => Promise<unknown>): Promise<number> {
  const run = vi.spyOn(Store.prototype, "run");
  onTestFinished(() => run.mockRestore());
  await work();
  return run.mock.calls.length;
}

const told = (records: readonly ForwardRecord[]) =>
  records.map(
    ({ resent, ...one }) => `${one.sequence} ${one.event} ${one.address} ${one.value}${resent ? " resent" : ""}`,
  );

describe("a reading is taken over as a whole", () => {
  test("its records are in the spool for every sink, and the next one compares with it", async () => {
    const { ledger, opened: found } = await open([sink("disk"), sink("web")]);
    expect(found).toEqual({ listedBefore: "never", epochs: {}, tables: [], forgotten: [] });
    expect(await read(ledger, { 1: 10, 2: 20 })).toMatchObject({
      listed: 2,
      events: { added: 2 },
      records: 2,
    });
    expect(await read(ledger, { 1: 10, 2: 21 })).toMatchObject({ events: { changed: 1 }, records: 1 });
    const expected = ["1 added 203.0.113.1 10", "2 added 203.0.113.2 20", "3 changed 203.0.113.2 21"];
    expect(told(await unread(ledger, "disk"))).toEqual(expected);
    expect(told(await unread(ledger, "web"))).toEqual(expected);
  });

  test("a table is read once at a time: a second list waits", async () => {
    const { ledger } = await open();
    const lists = [read(ledger, { 1: 10 }), read(ledger, { 1: 20 }), read(ledger, { 1: 1 }, { table: OTHER })];
    const events = (await Promise.all(lists)).map((taken) => taken.events);
    expect(events).toEqual([{ added: 1 }, { changed: 1 }, { added: 1 }]);
  });

  test("of lists that arrive together, a whole delivery is on the disk before the others are read", async () => {
    const { ledger } = await open();
    const lists = Array.from({ length: 15 }, (_, n) =>
      ledger.take(arrived(listed(1_000, 1), { table: { ...TABLE, node: `node${n}` } })),
    );
    await lists[0];
    expect(await ledger.next("disk", SINK_DEFAULTS.batch.maxRecords)).toHaveLength(10);
    expect(await Promise.race([lists[10], "not yet read"])).toBe("not yet read");
    await Promise.all(lists);
    expect(await unread(ledger, "disk")).toHaveLength(15_000);
  });

  test("a list that breaks off leaves nothing, and the next one compares with the one before", async () => {
    const { ledger } = await open();
    await read(ledger, { 1: 10, 2: 20 });
    const broken = ledger.take(arrived('{"data":[{"a":"203.0.113.1","id":1,"v":99,"t":600},'));
    await expect(broken).rejects.toThrow("the answer is not JSON");
    const beside = ledger.take(arrived('{"data":[{"a":"203.0.113.1","id":1,"v":98,"t":600}],"next":1}'));
    await expect(beside).rejects.toThrow('"next" says that the list continues');
    expect(await read(ledger, { 1: 10, 2: 20 })).toMatchObject({ events: {}, records: 0 });
    expect(await unread(ledger, "disk")).toHaveLength(2);
  });

  test("a lifetime is compared with the last one that was listed, also behind a list that broke off or was not written", async () => {
    const { ledger } = await open();
    const events: unknown[] = [];
    const list = async (seconds: number, t: number | undefined, v = 1) => {
      now += seconds * 1_000;
      const marks = [
        { a: "203.0.113.1", id: 1, v: 1, t },
        { a: "203.0.113.2", id: 1, v, t: 60 },
      ];
      const taken = ledger.take(arrived(t === undefined ? "[{" : marks));
      events.push(
        await taken.then(
          (one) => one.events,
          () => "failed",
        ),
      );
    };
    for (const t of [600, 500, 900, undefined, 897]) await list(3, t);
    expect(events.splice(0)).toEqual([{ added: 2 }, {}, { renewed: 1 }, "failed", {}]);
    await list(30, 870, 2);
    const failing = vi.spyOn(Store.prototype, "transaction").mockImplementationOnce(() => {
      throw new Error("no answer of the disk");
    });
    await list(3, 867, 3);
    failing.mockRestore();
    // Read back, it is of 900 s and older than the last list.
    await list(3, 885, 3);
    expect(events).toEqual([{ changed: 1 }, "failed", { changed: 1 }]);
  });

  test("a full disk takes nothing over and says so; later the same changes get their own numbers", async () => {
    const { ledger } = await open();
    const { store } = Reflect.get(ledger, "work") as { store: Store };
    (Reflect.get(store, "db") as DatabaseSync).exec("PRAGMA max_page_count=60");
    await read(ledger, { 1: 10 });
    const many = Object.fromEntries(Array.from({ length: 250 }, (_, n) => [n + 1, 10]));
    let failures = 0;
    for (let round = 0; round < 20; round++) {
      const bumped = Object.fromEntries(Object.keys(many).map((n) => [n, 100 + round]));
      await read(ledger, bumped).catch((error: unknown) => {
        expect(isFull(error)).toBe(true);
        failures++;
      });
    }
    expect(failures).toBeGreaterThan(0);
    const before = await unread(ledger, "disk");
    await takeAll(ledger, "disk");
    const { events } = await read(ledger, Object.fromEntries(Object.keys(many).map((n) => [n, 999])));
    expect(Object.values(events).reduce((sum, count) => sum + count, 0)).toBe(250);
    const after = await unread(ledger, "disk");
    // Nothing between what was delivered and what came after is missing or there twice.
    expect(after[0]?.sequence).toBe((before.at(-1)?.sequence ?? 0) + 1);
  });

  test("rules are matched by id, else by value, where they were known when the list came", async () => {
    const { ledger } = await open();
    const rules = [{ id: 1, name: "syn" }, { id: 5, name: "five", extra: { value: 50 } }, { id: 6 }];
    const marks = [
      { a: "203.0.113.1", id: 1, v: 50 },
      { a: "203.0.113.2", id: 9, v: 50 },
      { a: "203.0.113.3", id: 9, v: 6 },
      { a: "203.0.113.4", id: 9, v: 5 },
    ];
    await ledger.take(arrived(marks, { rules }));
    const found = (await unread(ledger, "disk")).map(({ rule }) => rule);
    expect(found).toEqual([{ id: 1, name: "syn" }, { id: 5, name: "five" }, { id: 6 }, undefined]);
  });
});

describe("after a restart", () => {
  test("baseline and undelivered records are there, and every record keeps its id", async () => {
    const { ledger } = await open();
    await read(ledger, { 1: 10, 2: 20, 3: 30 });
    await read(ledger, { 1: 10, 2: 21 });
    const before = await unread(ledger, "disk");
    await ledger.close(now);
    const { ledger: again, opened: found } = await open();
    expect(found.listedBefore).toBe(now);
    expect(await unread(again, "disk")).toEqual(before);
    expect(await read(again, { 1: 10, 2: 21, 4: 40 })).toMatchObject({ events: { added: 1 }, records: 1 });
    const ids = (await unread(again, "disk")).map(({ recordId }) => recordId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(Math.max(...ids.map((id) => id.length))).toBeLessThanOrEqual(40);
  });

  test("each run has an epoch behind those before it, also where the clock was set back", async () => {
    const epochs: number[] = [];
    for (const [round, jump] of [0, 60_000, -86_400_000].entries()) {
      wall += jump;
      const { ledger } = await open();
      await read(ledger, { 1: round });
      const [record] = await unread(ledger, "disk");
      expect(record?.sequence).toBe(1);
      epochs.push(record?.epoch ?? 0);
      await takeAll(ledger, "disk");
      await ledger.close(now);
    }
    const [first = 0, second = 0] = epochs;
    expect(epochs).toEqual([Date.UTC(2026, 0, 1), first + 63_000, second + 1]);
  });

  // `cp` writes every file, `rsync -a` those whose size or time differ, with the time that they had; a copy may take the place of the store.
  const restores = {
    "by cp": (from: string, to: string) => copyFileSync(from, to),
    "by rsync -a": (from: string, to: string) => {
      const [{ size, atime, mtime, mtimeMs }, old] = [statSync(from), statSync(to)];
      if (size === old.size && mtimeMs === old.mtimeMs) return;
      copyFileSync(from, to);
      utimesSync(to, atime, mtime);
    },
    "by another name": (from: string, to: string) => {
      copyFileSync(from, `${to}.copy`);
      renameSync(`${to}.copy`, to);
    },
  };
  test.each(Object.entries(restores))(
    "a copy in place of the store begins every table anew, also one that its first run did not read: %s",
    async (_, restore) => {
      const { ledger } = await open();
      await read(ledger, { 1: 10 });
      await read(ledger, { 1: 10 }, { table: OTHER });
      const files = ["forwarder.db", "forwarder.db-wal", "forwarder.db.lock"];
      mkdirSync(join(folder, "backup"));
      const backup = (name: string) => join(folder, "backup", name);
      for (const name of files) cpSync(join(folder, name), backup(name), { preserveTimestamps: true });
      await read(ledger, { 1: 11 });
      await ledger.close(now);
      for (const name of files) {
        if (!existsSync(join(folder, name))) cpSync(backup(name), join(folder, name), { preserveTimestamps: true });
        else restore(backup(name), join(folder, name));
      }
      const { ledger: copy, opened: found } = await open();
      expect(found).toMatchObject({ copyOf: expect.stringMatching(/:\/.*forwarder\.db$/), listedBefore: "unknown" });
      await read(copy, { 1: 12 });
      const anew = (value: number) => ["1 reset undefined undefined", `2 added 203.0.113.1 ${value} resent`];
      expect(told(await unread(copy, "disk")).slice(-2)).toEqual(anew(12));
      await copy.close(now);
      const { ledger: again, opened: later } = await open();
      expect(later.copyOf).toBe(undefined);
      await takeAll(again, "disk");
      await read(again, { 1: 12 });
      await read(again, { 1: 10 }, { table: OTHER });
      expect(told(await unread(again, "disk"))).toEqual(anew(10));
      await again.close(undefined);
      expect((await open()).opened.copyOf).toBe(undefined);
    },
  );

  test("clones of a folder that run at once, begun at one millisecond, give no id to two observations", async () => {
    const { ledger } = await open();
    await read(ledger, { 1: 10 });
    await takeAll(ledger, "disk");
    await ledger.close(now);
    const clones = ["one", "two"].map((name) => join(folder, name));
    const ids: string[] = [];
    for (const clone of clones) {
      mkdirSync(clone);
      for (const name of ["forwarder.db", "forwarder.db.lock"]) copyFileSync(join(folder, name), join(clone, name));
      const { ledger: own } = await openLedger(clone, [sink("disk")], { wall });
      opened.push(own);
      await own.take(arrived(listed(3, 1)));
      ids.push(...(await unread(own, "disk")).map(({ recordId }) => recordId));
    }
    expect(ids).toHaveLength(2 * 4);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("a run that did not end cleanly does not know when it listed last", async () => {
    const { ledger } = await open();
    await read(ledger, { 1: 1 });
    await ledger.close(undefined);
    expect((await open()).opened.listedBefore).toBe("unknown");
  });

  test("a lifetime that ran down meanwhile is no renewal, and one that ran out is an expiry", async () => {
    const { ledger } = await open();
    await read(ledger, { 1: 10, 2: 20 });
    await ledger.close(now);
    const { ledger: again } = await open();
    now += 700_000;
    const { events } = await again.take(arrived('[{"a":"203.0.113.1","id":1,"v":10,"t":300}]'));
    expect(events).toEqual({ expired: 1 });
  });

  test("a new sink begins with what comes; what a removed one had not taken is dropped and named", async () => {
    const { ledger } = await open([sink("disk")]);
    await read(ledger, { 1: 10 });
    await ledger.close(now);
    const { ledger: again, opened: found } = await open([sink("web")]);
    expect(found.forgotten).toEqual(["disk"]);
    expect(await unread(again, "web")).toEqual([]);
    await read(again, { 1: 11 });
    expect(told(await unread(again, "web"))).toEqual(["1 changed 203.0.113.1 11"]);
    expect((await again.status()).sinks).toMatchObject([{ name: "web", records: 1 }]);
  });

  test("a broken store is set aside; tables say reset, and their records have new ids", async () => {
    const { ledger } = await open();
    await read(ledger, { 1: 10 });
    const [before] = await unread(ledger, "disk");
    await ledger.close(now);
    writeFileSync(
      join(folder, "forwarder.db"),
      "this is no database, and long enough to be looked at as one ".repeat(99),
    );
    wall += 1_000;
    const { ledger: again, opened: found } = await open();
    expect(readdirSync(folder).some((name) => found.setAside?.file.endsWith(name))).toBe(true);
    await read(again, { 1: 10 });
    const after = await unread(again, "disk");
    expect(told(after)).toEqual(["1 reset undefined undefined", "2 added 203.0.113.1 10"]);
    expect(after.some(({ recordId }) => recordId === before?.recordId)).toBe(false);
    expect((await again.status()).setAside).toBe(1);
  });

  test("a store that breaks at work is set aside: open lists are dropped, the next say reset", async () => {
    const { ledger } = await open();
    await read(ledger, { 1: 10 });
    const [before] = await unread(ledger, "disk");
    const malformed = Object.assign(new Error("database disk image is malformed"), { errcode: 11 });
    const under = ledger.take(arrived(listed(10 * SIZES.rowsASlice, 1), { table: OTHER }));
    const givenUp = expect(under).rejects.toThrow("The list was dropped, since the state had to be");
    // The list is being compared, a slice a turn.
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
    const broken = vi.spyOn(Store.prototype, "get").mockImplementationOnce(() => {
      throw malformed;
    });
    await expect(ledger.next("disk", 10)).rejects.toBe(malformed);
    broken.mockRestore();
    await givenUp;
    expect(await ledger.next("disk", 10)).toEqual([]);
    await read(ledger, { 1: 10 });
    const after = await unread(ledger, "disk");
    expect(told(after)).toEqual(["1 reset undefined undefined", "2 added 203.0.113.1 10"]);
    // Whatever orders records by epoch and sequence sees them behind those of before.
    expect(after.every(({ epoch }) => epoch > (before?.epoch ?? 0))).toBe(true);
    expect((await ledger.status()).setAside).toBe(1);
    expect(readdirSync(folder).filter((name) => name.includes(".corrupt-"))).not.toEqual([]);
  });

  test("a store whose folder is gone rejects each reading, and ends", async () => {
    const own = join(folder, "own");
    const { ledger } = await openLedger(own, [sink("disk")], { wall });
    rmSync(own, { recursive: true });
    await expect(read(ledger, { 1: 10 })).rejects.toThrow("no such file");
    await expect(read(ledger, { 1: 10 })).rejects.toThrow("no such file");
    await ledger.close(now);
  });

  test("a broken store that cannot be set aside rejects the readings that wait for it, and those after it", async () => {
    const lost = vi.fn();
    const own = join(folder, "own");
    const { ledger } = await openLedger(own, [sink("disk")], { wall, lost });
    const malformed = Object.assign(new Error("database disk image is malformed"), { errcode: 11 });
    const broken = vi.spyOn(Store.prototype, "transaction").mockImplementationOnce(() => {
      rmSync(own, { recursive: true });
      writeFileSync(own, "");
      throw malformed;
    });
    await expect(read(ledger, { 1: 10 })).rejects.toThrow("The list was dropped, since the state had to be");
    broken.mockRestore();
    expect(String(lost.mock.calls)).toContain(
      `The state ${join(own, "forwarder.db")} is broken, and no empty one can be`,
    );
    await expect(read(ledger, { 1: 10 })).rejects.toThrow("not open");
  });

  test("a thread whose store is broken, and that can open no other one, ends with the reason", async () => {
    const file = join(folder, "forwarder.db");
    const { ledger } = await LedgerThread.open({ file, sinks: [sink("disk")], records: "changes", wall });
    // Its name is taken.
    mkdirSync(`${file}.corrupt-${new Date(wall + 1).toISOString().replace(/[:.]/g, "")}`);
    const db = new DatabaseSync(file, { defensive: false });
    db.exec("PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql = 'none'; PRAGMA schema_version=1000");
    db.close();
    await expect(ledger.next("disk", 1)).rejects.toThrow();
    await vi.waitFor(() =>
      expect(String(ledger.lost.reason)).toContain(`The state ${file} is broken, and no empty one`),
    );
    await expect(ledger.close(undefined)).rejects.toThrow("is broken");
  });

  test.each([1, 7])("a store of form %i, which another version wrote, is refused and left as it is", async (form) => {
    const { ledger } = await open();
    await ledger.close(now);
    const file = join(folder, "forwarder.db");
    const db = new DatabaseSync(file);
    db.exec(`PRAGMA user_version=${form}`);
    db.close();
    const before = readFileSync(file);
    await expect(open()).rejects.toThrow(
      `The state ${file} has form ${form}, which another version of the package wrote; this one knows form 2. It is unchanged.`,
    );
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(folder).filter((name) => name.includes("corrupt"))).toEqual([]);
  });

  test("two forwarders cannot share a state folder", async () => {
    await open();
    await expect(open()).rejects.toThrow("is in use by another forwarder");
  });
});

describe("each sink counts for itself", () => {
  test("one that acknowledges frees nothing that another has not read, and both go on where they are", async () => {
    const { ledger } = await open([sink("disk"), sink("web")]);
    await read(ledger, { 1: 10 });
    await takeAll(ledger, "disk");
    await read(ledger, { 1: 11 });
    expect(told(await unread(ledger, "disk"))).toEqual(["2 changed 203.0.113.1 11"]);
    expect(told(await unread(ledger, "web"))).toEqual(["1 added 203.0.113.1 10", "2 changed 203.0.113.1 11"]);
  });

  const twelve = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [n + 1, 11]));

  test("a full one that pauses refuses readings of tables that it takes alone, until it has room", async () => {
    const { ledger } = await open([sink("disk", { maxBytes: 900 }, { profiles: ["web"] }), sink("dns", {}, OF_DNS)]);
    await read(ledger, { 1: 10 });
    await expect(read(ledger, twelve)).rejects.toThrow('The spool is full for sink "disk"');
    expect(await read(ledger, { 1: 1, 2: 2 }, { table: OTHER })).toMatchObject({ records: 2 });
    await takeAll(ledger, "disk");
    expect(await read(ledger, { 1: 11, 2: 1 })).toMatchObject({ events: { changed: 1, added: 1 } });
    expect(told(await unread(ledger, "disk"))).toEqual(["2 changed 203.0.113.1 11", "3 added 203.0.113.2 1"]);
    expect((await ledger.status()).sinks.map(({ behind }) => behind)).toEqual([[], []]);
  });

  test("a full one that pauses misses what others get, and gets its table anew when it has room, also after a restart", async () => {
    const sinks = [sink("slow", { maxBytes: 300 }), sink("all")];
    const { ledger } = await open(sinks);
    await read(ledger, { 1: 10 });
    expect(await read(ledger, twelve)).toMatchObject({ events: { changed: 1, added: 11 } });
    // What would fit is of no use to it without what it missed.
    expect(await read(ledger, { ...twelve, 12: 13 })).toMatchObject({ events: { changed: 1 } });
    const key = "fra1/edge/web/shost";
    expect((await ledger.status()).sinks.map(({ behind, records }) => [behind, records])).toEqual([
      [[key], 1],
      [[], 14],
    ]);
    await ledger.close(now);
    const { ledger: again } = await open([...sinks, sink("late")]);
    expect((await again.status()).sinks[0]?.behind).toEqual([key]);
    for (const { name } of sinks) await takeAll(again, name);
    const marks = { 1: 11, 2: 12 };
    await read(again, marks);
    const anew = (end = "") => [
      "12 reset undefined undefined",
      `13 added 203.0.113.1 11${end}`,
      `14 added 203.0.113.2 12${end}`,
    ];
    // Which marks it had when it began to miss them is not known after a restart.
    expect(told(await unread(again, "slow")).slice(-3)).toEqual(anew());
    expect(told(await unread(again, "late")).slice(-3)).toEqual(anew());
    const ids = async (name: string) =>
      (await unread(again, name)).slice(-3).map(({ recordId, epoch }) => [recordId, epoch]);
    expect(await ids("late")).toEqual(await ids("slow"));
    // Others get their changes before it.
    const others = told(await unread(again, "all"));
    expect(others.slice(-3)).toEqual(anew(" resent"));
    expect(others.slice(0, 1)).toEqual(["1 changed 203.0.113.2 12"]);
    expect(others.slice(1, 11).every((line) => line.includes(" gone "))).toBe(true);
    expect((await again.status()).sinks.map(({ behind }) => behind)).toEqual([[], [], []]);
    await takeAll(again, "slow");
    await read(again, { ...marks, 3: 1 });
    expect(told(await unread(again, "slow")).at(-1)).toBe("15 added 203.0.113.3 1");
  });

  test("the table that it gets anew has each mark once and as it is, and none that has ended", async () => {
    const sinks = [sink("slow", { maxBytes: 300 }), sink("all")];
    const { ledger } = await open(sinks);
    const list = async (...marks: object[]) => {
      now += 3_000;
      wall += 3_000;
      await ledger.take(arrived(marks.map((mark) => ({ a: "203.0.113.1", id: 1, v: 1, t: 600, ...mark }))));
    };
    const [other, second] = [{ a: "203.0.113.2" }, { id: 2, v: 2 }];
    await list({}, other);
    await list({}, { ...other, status: "expired" }, ...listed(12, 1));
    for (const { name } of sinks) await takeAll(ledger, name);
    // The second mark of the address is new, and listed twice.
    await list({}, second, second, { ...other, status: "expired" });
    const anew = async (name: string) => {
      const lines = told(await unread(ledger, name)).map((line) => line.replace(/^\d+ /, ""));
      return lines.slice(lines.indexOf("reset undefined undefined") + 1);
    };
    // Both got it before the reset, as new in this list.
    for (const { name } of sinks)
      expect(await anew(name)).toEqual(["added 203.0.113.1 1 resent", "added 203.0.113.1 2 resent"]);
    // A mark that ended and is still listed is none that is new; one that is active again is.
    for (const status of ["expired", "active"]) {
      await takeAll(ledger, "all");
      await ledger.take(
        arrived([{ a: "203.0.113.2", id: 1, v: 1, t: 600, status }], { turn: { epoch: wall, since: wall } }),
      );
      expect(await anew("all")).toEqual([`added 203.0.113.2 1${status === "expired" ? " resent" : ""}`]);
      await list({ ...other, status: "expired" });
    }
  });

  test("a full one that pauses keeps nothing of what it misses, also not by a reload and a restart", async () => {
    const sinks = [sink("dead", { maxBytes: 300 }), sink("all")];
    const { ledger } = await open(sinks);
    for (let round = 1; round <= 20; round++) {
      await read(ledger, { 1: round, 2: round });
      await takeAll(ledger, "all");
    }
    const dead = async (of: StoredLedger) => (await of.status()).sinks.find(({ name }) => name === "dead");
    const before = await dead(ledger);
    expect(before).toMatchObject({ records: 2, behind: ["fra1/edge/web/shost"] });
    expect(await unread(ledger, "all")).toEqual([]);
    // What it holds itself, and no more than that.
    await read(ledger, { 1: 20, 2: 20 });
    expect((await ledger.status()).bytes).toBe(before?.bytes);
    expect(await writesOf(() => read(ledger, { 1: 20, 2: 20 }))).toBe(0);
    await read(ledger, { 1: 21, 2: 21 });
    await ledger.configure({ sinks: [...sinks, sink("new")], records: "changes" });
    expect(await dead(ledger)).toEqual(before);
    await ledger.close(now);
    const { ledger: again } = await open(sinks);
    expect(await dead(again)).toEqual({ ...before, oldestNow: undefined });
    expect(told(await unread(again, "dead"))).toEqual(["1 added 203.0.113.1 1", "2 added 203.0.113.2 1"]);
    expect(told(await unread(again, "all"))).toEqual(["41 changed 203.0.113.1 21", "42 changed 203.0.113.2 21"]);
    using left = await LeftSpool.open(folder);
    expect(left.backlogs().map(({ name, records }) => [name, records])).toEqual([
      ["all", 2],
      ["dead", 2],
    ]);
    // A sink that drops the oldest has room.
    const dropping = sink("dead", { maxBytes: 300, whenFull: "drop-oldest" });
    await again.configure({ sinks: [dropping, sink("all")], records: "changes" });
    await read(again, { 1: 22 });
    expect(await dead(again)).toMatchObject({ behind: [] });
    expect(told(await unread(again, "dead")).at(-1)).toBe("4 added 203.0.113.1 22");
  });

  test("where nothing says which batches a sink has to take, it has all behind those that it took, and no sink has fewer", async () => {
    const { ledger } = await open([sink("dead", { maxBytes: 300 }), sink("all")]);
    for (let round = 1; round <= 3; round++) await read(ledger, { 1: round });
    await ledger.acknowledge("all", (await ledger.next("all", 1))[0]?.position ?? 0);
    await ledger.close(now);
    const backlogs = async () => {
      using left = await LeftSpool.open(folder);
      return left.backlogs().map(({ name, records }) => [name, records]);
    };
    expect(await backlogs()).toEqual([
      ["all", 2],
      ["dead", 1],
    ]);
    const db = new DatabaseSync(join(folder, "forwarder.db"));
    db.exec("DROP TABLE unread");
    db.close();
    expect(await backlogs()).toEqual([
      ["all", 2],
      ["dead", 3],
    ]);
  });

  test("a reload changes nothing of what is under way to a sink, nor of its age", async () => {
    const sinks = [sink("disk", { maxBytes: 700, whenFull: "drop-oldest" }), sink("all")];
    const { ledger } = await open(sinks);
    await read(ledger, { 1: 1 });
    const underWay = await ledger.next("disk", 10);
    for (let value = 2; value <= 10; value++) await read(ledger, { 1: value });
    const before = await ledger.status();
    await ledger.configure({ sinks: [...sinks, sink("new")], records: "changes" });
    expect((await ledger.status()).sinks.slice(0, 2)).toEqual(before.sinks);
    await ledger.acknowledge("disk", underWay.at(-1)?.position ?? 0);
    expect((await ledger.status()).sinks[0]?.dropped).toBe(before.sinks[0]?.dropped);
    // It no longer takes this table: what it had to read of it is kept for the others only.
    await ledger.configure({ sinks: [sink("disk", {}, OF_DNS), sink("new")], records: "changes" });
    expect((await ledger.status()).sinks).toMatchObject([{ records: 0 }, { records: 0 }]);
    await read(ledger, { 1: 11 });
    expect(told(await unread(ledger, "new"))).toEqual(["11 changed 203.0.113.1 11"]);
    await takeAll(ledger, "new");
    await read(ledger, { 1: 11 });
    expect((await ledger.status()).bytes).toBe(0);
  });

  test("a full one that drops the oldest keeps the newest and what is under way, counts the rest, and delays no other", async () => {
    const sinks = [sink("disk", { maxBytes: 700, whenFull: "drop-oldest" }), sink("all")];
    const { ledger } = await open(sinks);
    await read(ledger, { 1: 1 });
    const underWay = await ledger.next("disk", 10);
    for (let value = 2; value <= 10; value++) await read(ledger, { 1: value });
    const [before, all] = (await ledger.status()).sinks;
    expect(all).toMatchObject({ name: "all", records: 10, dropped: 0 });
    expect(before?.bytes).toBeLessThanOrEqual(700);
    await ledger.acknowledge("disk", underWay.at(-1)?.position ?? 0);
    const [disk] = (await ledger.status()).sinks;
    expect(disk?.dropped).toBe(before?.dropped);
    const rest = await unread(ledger, "disk");
    expect(underWay.length + (disk?.dropped ?? 0) + rest.length).toBe(10);
    expect(told(rest).at(-1)).toBe("10 changed 203.0.113.1 10");
    await ledger.close(now);
    // The clock of a run says nothing in another one.
    expect((await (await open(sinks)).ledger.status()).sinks[0]).toEqual({ ...disk, oldestNow: undefined });
  });

  test("maxAgeMs measures the time that has passed, whatever is done to the date", async () => {
    const limits = { maxAgeMs: 10_000 };
    const { ledger } = await open([sink("kept", { ...limits, whenFull: "drop-oldest" }), sink("careful", limits)]);
    await read(ledger, { 1: 1 });
    for (const days of [365, -730, 365]) {
      wall += days * 86_400_000;
      await read(ledger, { 1: days });
    }
    const kept = (await ledger.status()).sinks.map(({ name, records, dropped }) => ({ name, records, dropped }));
    expect(kept).toEqual([
      { name: "kept", records: 4, dropped: 0 },
      { name: "careful", records: 4, dropped: 0 },
    ]);
    // The first is 12 s old with the next list.
    await read(ledger, { 1: 5, 2: 5 });
    expect((await ledger.status()).sinks).toMatchObject([
      { records: 5, dropped: 1, behind: [] },
      { records: 4, dropped: 0, behind: ["fra1/edge/web/shost"] },
    ]);
    await takeAll(ledger, "careful");
    await read(ledger, { 1: 5, 2: 5 });
    // Those are marked that it had before it missed a list.
    expect(told(await unread(ledger, "careful"))).toEqual([
      "7 reset undefined undefined",
      "8 added 203.0.113.2 5",
      "9 added 203.0.113.1 5 resent",
    ]);
  });

  test("reads no fewer records at a time than a batch has and no more than asked for, and each batch once", async () => {
    const { ledger } = await open();
    for (let value = 1; value <= 5; value++) await read(ledger, { 1: value, 2: value });
    const next = async (most: number, after?: number) => {
      const batches = await ledger.next("disk", most, after);
      return { counts: batches.map(({ records }) => records), position: batches.at(-1)?.position };
    };
    const first = await next(1);
    expect(first.counts).toEqual([2]);
    expect((await next(5)).counts).toEqual([2, 2]);
    // Ahead of what it has acknowledged.
    const rest = await next(10, first.position);
    expect([rest.counts, (await next(10, rest.position)).counts]).toEqual([[2, 2, 2, 2], []]);
  });
});

describe("a full disk at the end of a transaction", () => {
  /** Transactions fail while `isFull`, once their work is done. */
  function fullDisk() {
    const disk = { isFull: true, refused: 0 };
    const { transaction } = Store.prototype;
    const failing = vi.spyOn(Store.prototype, "transaction").mockImplementation(function (this: Store, work) {
      return transaction.call(this, () => {
        const result = work();
        if (!disk.isFull) return result;
        disk.refused++;
        throw Object.assign(new Error("database or disk is full"), { errcode: 13 });
      });
    } as typeof transaction);
    onTestFinished(() => failing.mockRestore());
    return disk;
  }

  test("refuses a reload as a whole: the ledger compares as before, and nothing is lost", async () => {
    const { ledger } = await open();
    await read(ledger, { 1: 10 });
    const disk = fullDisk();
    const configured = ledger.configure({ sinks: [sink("new")], records: "all" });
    await expect(configured).rejects.toThrow("database or disk is full");
    disk.isFull = false;
    expect((await ledger.status()).lost).toEqual([]);
    expect(await read(ledger, { 1: 11 })).toMatchObject({ events: { changed: 1 } });
    expect(told(await unread(ledger, "disk"))).toEqual(["1 added 203.0.113.1 10", "2 changed 203.0.113.1 11"]);
  });

  test("refuses for good also a list that was to wait for room, where the next one fails before", async () => {
    const { ledger } = await open();
    const room = vi.spyOn(Store.prototype, "room").mockReturnValueOnce(0);
    const drop = vi.spyOn(Spool.prototype, "drop").mockReturnValueOnce(true);
    drop.mockImplementationOnce(() => {
      throw Object.assign(new Error("database or disk is full"), { errcode: 13 });
    });
    onTestFinished(() => [room, drop].forEach((one) => void one.mockRestore()));
    const lists = [read(ledger, { 1: 10 }), read(ledger, { 1: 20 }, { table: OTHER })];
    const outcomes = await Promise.allSettled(lists);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await ledger.configure({ sinks: [sink("disk")], records: "changes" });
    expect(await unread(ledger, "disk")).toEqual([]);
  });

  test("keeps it known that a sink lacks records of a table", async () => {
    let write = (): void => {};
    const after: LedgerOptions["after"] = (_, run) => {
      write = run;
      return () => {};
    };
    const { ledger } = await open([sink("disk", { maxBytes: 700, whenFull: "drop-oldest" })], { after });
    for (let value = 1; (await ledger.status()).sinks[0]?.dropped === 0; value++) await read(ledger, { 1: value });
    const disk = fullDisk();
    write();
    await vi.waitFor(() => expect(disk.refused).toBe(1));
    disk.isFull = false;
    await read(ledger, { 1: 0 });
    await ledger.close(now);
    const db = new DatabaseSync(join(folder, "forwarder.db"));
    expect(db.prepare("SELECT * FROM known").all()).toEqual([]);
    db.close();
  });
});

describe("a takeover in a cluster", () => {
  test("begins with reset and all that is listed; a turn of our own goes on", async () => {
    const some = [sink("some", {}, { ids: [1] }), sink("newest", { maxBytes: 300, whenFull: "drop-oldest" })];
    const short = sink("short", { whenFull: "drop-oldest" });
    const { ledger } = await open([sink("disk"), short, ...some]);
    await read(ledger, { 1: 10 }, { turn: { epoch: 5, since: 0 } });
    await read(ledger, { 1: 11 }, { turn: { epoch: 7, since: 0 } });
    await read(ledger, { 1: 11 }, { turn: { epoch: 9, since: 9 } });
    expect(told(await unread(ledger, "disk")).at(-1)).toBe("2 added 203.0.113.1 11 resent");
    // One that takes some records, or has dropped some, may never have had the mark.
    for (const { name } of some) expect(told(await unread(ledger, name)).at(-1)).toBe("2 added 203.0.113.1 11");
    await read(ledger, { 1: 12 }, { turn: { epoch: 9, since: 9 } });
    const records = await unread(ledger, "disk");
    expect(records.map(({ epoch, sequence, event }) => [epoch, sequence, event])).toEqual([
      [5, 1, "added"],
      [7, 1, "changed"],
      [9, 1, "reset"],
      [9, 2, "added"],
      [9, 3, "changed"],
    ]);
    await ledger.configure({ sinks: [sink("disk", {}, { ids: [1] }), short], records: "changes" });
    expect(told(await unread(ledger, "short"))).toEqual(told(records));
    // With no room on the disk, one that lets it drops its oldest once the list is compared.
    const full = vi.spyOn(Store.prototype, "room").mockReturnValueOnce(0);
    onTestFinished(() => full.mockRestore());
    await read(ledger, { 1: 12 }, { turn: { epoch: 11, since: 11 } });
    for (const name of ["disk", "short"])
      expect(told(await unread(ledger, name)).at(-1)).toBe("2 added 203.0.113.1 12");
    expect(told(await unread(ledger, "short")).slice(-4, -2)).toEqual([
      "2 added 203.0.113.1 11",
      "3 changed 203.0.113.1 12",
    ]);
  });

  test("whose first turn ended before it had read a table is made good in the next one", async () => {
    const { ledger } = await open();
    await read(ledger, { 1: 10 }, { turn: { epoch: 5, since: 0 } });
    // In turn 9 the node was taken over, and nothing was read; turn 11 is ours again.
    await read(ledger, { 2: 20 }, { turn: { epoch: 11, since: 9 } });
    await read(ledger, { 2: 20 }, { turn: { epoch: 12, since: 9 } });
    expect(told(await unread(ledger, "disk"))).toEqual([
      "1 added 203.0.113.1 10",
      "1 reset undefined undefined",
      "2 added 203.0.113.2 20",
    ]);
  });
});

test("records: all reports every mark of every list as seen, and compares nothing", async () => {
  const { ledger } = await open([sink("disk")], { records: "all" });
  await read(ledger, { 1: 10, 2: 20 });
  await read(ledger, { 1: 10 });
  expect(told(await unread(ledger, "disk"))).toEqual([
    "1 seen 203.0.113.1 10",
    "2 seen 203.0.113.2 20",
    "3 seen 203.0.113.1 10",
  ]);
  expect(await writesOf(() => read(ledger, {}))).toBe(0);
});

test("a lifetime that runs out while records: all compares nothing is an expiry afterwards", async () => {
  const { ledger } = await open();
  await read(ledger, { 1: 10 });
  const sinks = [sink("disk")];
  await ledger.configure({ sinks, records: "all" });
  now += 700_000;
  await read(ledger, {});
  await ledger.configure({ sinks, records: "changes" });
  expect(await read(ledger, {})).toMatchObject({ events: { expired: 1 } });
});

test("how late a sink is does not depend on the date, but for what an earlier run has taken over", async () => {
  const clock = new TestClock(wall + 3_000);
  const metrics = new Metrics();
  const late = async (ledger: StoredLedger) => {
    new SpoolView({ metrics, world: clock, reserveBytes: () => 0 }).take(await ledger.status(), new Map());
    return metrics.get("lag_seconds", { sink: "disk" });
  };
  const { ledger } = await open();
  expect(await late(ledger)).toBe(0);
  now = clock.monotonic() - 3_000;
  await read(ledger, { 1: 10 });
  clock.advance(5_000);
  clock.jump(3_600_000);
  expect(await late(ledger)).toBe(5);
  await ledger.close(now);
  const { ledger: again } = await open();
  expect(await late(again)).toBe(3_605);
});
