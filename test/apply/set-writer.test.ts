import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type SetOperation, SetWriteFailure } from "../../provider/apply/set-operation";
import type { World } from "../../provider/client/world";
import { Runtime } from "../../provider/deployment/runtime";
import { SentBefore, type SentNotes } from "../../provider/deployment/sent-before";
import { SentFiles } from "../../provider/deployment/sent-files";
import { type Emulator, type EmulatorState, startEmulator } from "../../provider/emulator/index";
import { sentPlace } from "../../provider/model/entry";
import { type CanonicalPrefix, Prefix } from "../../provider/model/prefix";
import { type PrefixSetUrl, parseUrl } from "../../provider/model/resource-url";
import { useEmptyFolder } from "../support/folder";

const BLOCKED = "prefixset://edge/blocked";
const key = (text: string) => Prefix.parse(text).toString();
const put = (entries: Record<string, number>): SetOperation => ({
  plan: () => ({
    put: new Map(Object.entries(entries).map(([p, v]) => [key(p), v])),
    remove: new Set<CanonicalPrefix>(),
  }),
});

const HELD_ENTRIES = { "192.0.2.0/24": 1, "192.0.2.128/25": 1 };
const HELD: EmulatorState = { arenas: { edge: { sets: { blocked: HELD_ENTRIES } } } };

/** A node that holds one set, and writers of it with what they warned of. */
async function bench(dialect = {}, options = {}, state = HELD, notes?: SentNotes, world: Partial<World> = {}) {
  const emulator = await startEmulator({ state, dialect });
  const warnings: string[] = [];
  const runtime = new Runtime({ env: {}, print: (line) => void warnings.push(line), world, ...(notes && { notes }) });
  const shared = { endpoint: emulator.endpoint, timeoutMs: 1_000, deadlineMs: 600, commitCoalesceMs: 5, ...options };
  const set = (name?: string, headers = {}, url = BLOCKED) => {
    const target = { name, options: { ...shared, headers }, fromEnvironment: false, remedy: undefined };
    return runtime.open(target).set(parseUrl(url) as PrefixSetUrl);
  };
  return { emulator, writer: set().writer, set, warnings, [Symbol.asyncDispose]: () => emulator.close() };
}

function sent(emulator: Emulator) {
  return emulator
    .requests({ api: "node" })
    .map(({ cmd, entries }) => (entries === undefined ? cmd : `${cmd} ${entries}`));
}

describe("the writer of a set", () => {
  /** Entries that the node holds, those that the program puts, whether each is an operation of its own, and the list. */
  const MERGED: Record<string, [Record<string, number>, string[], boolean]> = {
    "two that are sent": [{}, ["198.51.100.0/25", "198.51.100.128/25"], false],
    "two of two resources": [{}, ["198.51.100.0/25", "198.51.100.128/25"], true],
    "one that is sent with one that it holds": [{ "198.51.100.0/25": 1 }, ["198.51.100.128/25"], false],
  };
  it.each(Object.entries(MERGED))("of a node that merges neighbours, %s, blames no other writer", async (_, row) => {
    const [held, puts, isApart] = row;
    const state = { arenas: { edge: { sets: { blocked: held } } } };
    await using setup = await bench({ nested: "merged" }, { deadlineMs: 60_000 }, state);
    const each = isApart ? puts.map((one) => [one]) : [puts];
    const operations = each.map((some) => put(Object.fromEntries(some.map((one) => [one, 1]))));
    const answers = await Promise.allSettled(operations.map((one) => setup.writer.submit(one)));
    const said =
      /: The node merges entries, and lists 198\.51\.100\.0\/24 in place of .*: declare such entries aggregated/;
    expect(answers).toEqual(each.map(() => ({ status: "rejected", reason: expect.any(SetWriteFailure) })));
    for (const answer of answers) expect(String((answer as PromiseRejectedResult).reason)).toMatch(said);
    expect(setup.warnings).toEqual([]);
    expect(sent(setup.emulator)).toEqual(["list", `insert ${puts.length}`, "commit", "list"]);
  });

  it("has written nothing after a look for entries to restore that are all there, by whichever name of the node", async () => {
    await using setup = await bench();
    const [one, other] = [setup.set("one").writer, setup.set("other").writer];
    await one.restore(new Map([[key("192.0.2.0/24"), 1]]));
    expect([sent(setup.emulator), one.hasWritten, other.hasWritten]).toEqual([["list"], false, false]);
    await one.restore(new Map([[key("198.51.100.0/24"), 1]]));
    expect([one.hasWritten, other.hasWritten]).toEqual([true, true]);
  });

  it("that changes nothing makes no list younger", async () => {
    let time = 0;
    await using setup = await bench({}, {}, HELD, undefined, { monotonic: () => time });
    const { reads, writer } = setup.set("fra1");
    await reads.read();
    time += 20_000;
    await writer.submit(put(HELD_ENTRIES));
    await reads.read();
    expect(sent(setup.emulator)).toEqual(["list"]);
    time += 20_000;
    await reads.read();
    expect(sent(setup.emulator)).toEqual(["list", "list"]);
  });

  it.each([
    ["error", ["list", "insert 1", "delete 1", "insert 1", "commit", "list"]],
    ["ignored", ["list", "insert 1", "delete 1", "insert 1", "commit", "list"]],
    ["overwrite", ["list", "insert 2", "commit", "list"]],
  ] as const)(
    "insertExisting %s: a change of a value is sent as the node takes it",
    async (insertExisting, requests) => {
      await using setup = await bench({ insertExisting }, { insertExisting });
      await setup.writer.submit(put({ "192.0.2.0/24": 7, "203.0.113.0/24": 1 }));
      expect(setup.emulator.prefixSet(BLOCKED).applied).toMatchObject({ "192.0.2.0/24": 7, "203.0.113.0/24": 1 });
      expect(sent(setup.emulator)).toEqual(requests);
    },
  );

  it.each([
    ["all or nothing", {}],
    ["the rest is staged", { refusedEntry: "rest" }],
  ])(
    "finds a refused entry by splitting (%s): its operation fails alone and leaves nothing behind",
    async (_name, dialect) => {
      await using setup = await bench({ maxValue: 255, ...dialect });
      const results = await Promise.allSettled([
        setup.writer.submit(put({ "203.0.113.1": 1 })),
        setup.writer.submit(put({ "203.0.113.2": 2, "203.0.113.3": 999, "192.0.2.0/24": 9 })),
        setup.writer.submit(put({ "203.0.113.4": 4 })),
        setup.writer.submit({
          plan: () => {
            throw new Error("too many removals");
          },
        }),
      ]);
      expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "rejected"]);
      expect(results[1]).toMatchObject({
        reason: { message: expect.stringMatching(/the node refused 203\.0\.113\.3\/32/) },
      });
      const content = { "192.0.2.0/24": 1, "192.0.2.128/25": 1, "203.0.113.1/32": 1, "203.0.113.4/32": 4 };
      expect(setup.emulator.prefixSet(BLOCKED)).toEqual({ applied: content, staged: content });
      expect(setup.emulator.requests({ cmd: "commit" })).toHaveLength(1);
    },
  );

  it("finds the good entries behind many that are refused in equal words", async () => {
    await using setup = await bench({ maxValue: 255, refusedEntryText: "not supported" }, { deadlineMs: 5_000 });
    const many = (count: number, begin: string, value: number) =>
      put(Object.fromEntries(Array.from({ length: count }, (_, host) => [`${begin}${host}`, value])));
    const [refused, good] = await Promise.allSettled([
      setup.writer.submit(many(64, "203.0.113.", 999)),
      setup.writer.submit(many(8, "198.51.100.", 1)),
    ]);
    expect([refused.status, good.status]).toEqual(["rejected", "fulfilled"]);
    expect(Object.keys(setup.emulator.prefixSet(BLOCKED).applied)).toContain("198.51.100.7/32");
  });

  it("removes a prefix that contains an entry which the node would not take again", async () => {
    const state = { arenas: { edge: { sets: { blocked: { "192.0.2.0/24": 1, "192.0.2.128/25": 999 } } } } };
    await using setup = await bench({ maxValue: 255 }, {}, state);
    const remove = new Set([key("192.0.2.0/24")]);
    await setup.writer.submit({ plan: () => ({ put: new Map(), remove }) });
    expect(setup.emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.128/25": 999 });
  });

  it("says that nothing of an operation was changed only where that is so, whatever the node does with the rest of a refused request", async () => {
    for (const insertExisting of ["overwrite", "error", "ignored"])
      for (const refusedEntry of ["nothing", "rest", "before"])
        for (const listShows of ["applied", "staged"]) {
          await using setup = await bench({ maxValue: 255, insertExisting, refusedEntry, listShows });
          const before = setup.emulator.prefixSet(BLOCKED).applied;
          const own = put({ "203.0.113.2": 2, "203.0.113.3": 999, "192.0.2.0/24": 9 });
          const remove = new Set([key("192.0.2.128/25")]);
          const mixed = { plan: () => ({ ...own.plan(new Map()), remove }) };
          const [first] = await Promise.allSettled([
            setup.writer.submit(mixed),
            setup.writer.submit(put({ "203.0.113.4": 4 })),
          ]);
          const message = first.status === "rejected" ? String(first.reason) : "fulfilled";
          const { "203.0.113.4/32": _, ...after } = setup.emulator.prefixSet(BLOCKED).applied;
          const isUnchanged =
            JSON.stringify(Object.entries(after).sort()) === JSON.stringify(Object.entries(before).sort());
          expect([message, isUnchanged]).toEqual([
            expect.stringContaining("the node refused 203.0.113.3/32"),
            message.includes("nothing of this resource was changed"),
          ]);
        }
  });

  it("names what others committed together with ours", async () => {
    await using setup = await bench();
    await stageElsewhere(setup.emulator, { p: "203.0.113.99", v: 1 });
    await setup.writer.submit(put({ "203.0.113.0/24": 1 }));
    expect(setup.warnings).toEqual([
      expect.stringMatching(/entries that this provider did not send appeared: 203\.0\.113\.99\/32/),
    ]);
  });

  it("sends once more what four lists after its commit do not show, and says so", async () => {
    await using setup = await bench({}, { deadlineMs: 5_000 });
    setup.emulator.fail({ cmd: "commit", kind: "stuck-commit", times: 1 });
    await setup.writer.submit(put({ "203.0.113.0/24": 1 }));
    expect(sent(setup.emulator)).toEqual([
      "list",
      "insert 1",
      "commit",
      ...["list", "list", "list", "list"],
      "insert 1",
      "commit",
      "list",
    ]);
    expect(setup.warnings).toEqual([
      "warning: Set prefixset://edge/blocked on " +
        `${setup.emulator.endpoint}: 1 change did not show after the commit and is sent again: 203.0.113.0/24.`,
    ]);
  });

  it("notes the removals that it sends once more, too", async () => {
    const lines: string[] = [];
    const notes: SentNotes = {
      note: (_place, _names, keys, isLasting) => void (isLasting && lines.push(`note ${keys}`)),
      noted: () => new Set(),
      settle: () => void lines.push("settle"),
    };
    await using setup = await bench({}, { deadlineMs: 5_000 }, HELD, notes);
    setup.emulator.fail({ cmd: "commit", kind: "stuck-commit", times: 1 });
    const removed = key("192.0.2.128/25");
    await setup.writer.submit({ plan: () => ({ put: new Map(), remove: new Set([removed]) }) });
    expect(lines).toEqual([`note ${removed}`, "settle", `note ${removed}`, "settle"]);
  });

  it("sends a delete once more to a busy node where nothing is inserted after it", async () => {
    const state = { arenas: { edge: { sets: { blocked: { "198.51.100.0/24": 1, "203.0.113.7/32": 1 } } } } };
    await using setup = await bench({}, { deadlineMs: 5_000 }, state);
    setup.emulator.fail({ cmd: "delete", status: 503, times: 1 });
    const remove = new Set([key("198.51.100.0/24")]);
    await setup.writer.submit({ plan: () => ({ put: new Map(), remove }) });
    expect(setup.emulator.prefixSet(BLOCKED).applied).toEqual({ "203.0.113.7/32": 1 });
  });

  it("sends the delete of a prefix that contains others only once: a late one would take what is inserted after it", async () => {
    await using setup = await bench();
    setup.emulator.fail({ cmd: "delete", kind: "lost-answer" });
    const remove = new Set([key("192.0.2.0/24")]);
    await expect(setup.writer.submit({ plan: () => ({ put: new Map(), remove }) })).rejects.toThrow(SetWriteFailure);
    expect(sent(setup.emulator).filter((line) => String(line).startsWith("delete"))).toEqual(["delete 1"]);
  });

  it("tells at once why the list after a commit cannot be read, and sends nothing twice", async () => {
    await using setup = await bench();
    setup.emulator.fail({ kind: "unknown-shape", cmd: "list", nth: 2, times: 1_000 });
    const failure = await setup.writer.submit(put({ "203.0.113.0/24": 1 })).catch((error) => error);
    expect(failure).toBeInstanceOf(SetWriteFailure);
    expect(failure.message).toMatch(
      /list .*answers.*The commit before it was answered: 1 entry of this resource may be applied or not/,
    );
    expect(failure.unsettled).toEqual(["203.0.113.0/24"]);
    expect(sent(setup.emulator)).toEqual(["list", "insert 1", "commit", "list"]);
  });

  it("waits until the deadline for a node that is away after a commit, and sends nothing twice", async () => {
    await using setup = await bench({});
    setup.emulator.fail({ status: 503, cmd: "list", nth: 2, times: 1_000 });
    const failure = await setup.writer.submit(put({ "203.0.113.0/24": 1 })).catch((error) => error);
    expect(failure.message).toMatch(
      /no list after it was answered, which would show 1 entry: 203\.0\.113\.0\/24.*The last list failed: .*503/,
    );
    expect(failure.unsettled).toEqual(["203.0.113.0/24"]);
    const commands = sent(setup.emulator);
    expect(commands.slice(0, 3)).toEqual(["list", "insert 1", "commit"]);
    expect(new Set(commands.slice(3))).toEqual(new Set(["list"]));
  });

  it.each([
    ["that is no permission", [{ status: 400, message: "no permission to commit" }]],
    ["after a pause", [{ status: 429 }, { status: 400, message: "table full" }]],
  ])("believes no refused commit %s, although the node lists what is staged", async (_, faults) => {
    await using setup = await bench({ listShows: "staged" }, { deadlineMs: 5_000 });
    for (const [index, fault] of faults.entries())
      setup.emulator.fail({ cmd: "commit", nth: index + 1, times: index + 1 < faults.length ? 1 : 99, ...fault });
    await expect(setup.writer.submit(put({ "203.0.113.0/24": 1 }))).rejects.toThrow(/commit failed/);
    // The next run finds the entry in the list.
    const again: SetOperation = {
      plan: (observed) => ({
        ...put({ "203.0.113.0/24": 1 }).plan(observed),
        listed: new Set([key("203.0.113.0/24")]),
      }),
    };
    await expect(setup.writer.submit(again)).rejects.toThrow(/commit failed/);
    expect(setup.emulator.prefixSet(BLOCKED).applied).toEqual(HELD_ENTRIES);
    setup.emulator.clearFaults();
    await setup.writer.submit(again);
    expect(setup.emulator.prefixSet(BLOCKED).applied).toEqual({ ...HELD_ENTRIES, "203.0.113.0/24": 1 });
  });

  it("looks before the commit with foreignStaged: fail, and then takes its own changes back", async () => {
    await using setup = await bench({ listShows: "staged" }, { foreignStaged: "fail" });
    setup.emulator.fail({ cmd: "insert", nth: 1, kind: "delay", delay: 100 });
    const writing = setup.writer.submit(put({ "203.0.113.0/24": 1 }));
    await expect.poll(() => setup.emulator.requests({ cmd: "list" }).length).toBe(1);
    await stageElsewhere(setup.emulator, { p: "203.0.113.99", v: 1 });
    await expect(writing).rejects.toThrow(/another writer has staged changes .* appeared: 203\.0\.113\.99\/32/);
    expect(setup.emulator.prefixSet(BLOCKED).staged).toEqual({
      "192.0.2.0/24": 1,
      "192.0.2.128/25": 1,
      "203.0.113.99/32": 1,
    });
    expect(setup.emulator.requests({ cmd: "commit" })).toEqual([]);
  });
});

describe.each([
  ["under two names", "fra1-new", {}],
  ["with two sets of headers", "fra1", { "x-tenant": "two" }],
])("two writers of one set %s", (_, name, headers) => {
  const ENTRIES = Object.fromEntries([1, 2, 3, 4, 5].map((host) => [`192.0.2.${host}/32`, 1]));
  const CHANGED = Object.fromEntries(Object.keys(ENTRIES).map((prefix) => [prefix, 7]));
  const ADDED = { "203.0.113.0/24": 1 };
  /** The node takes a new value as a delete and an insert, one entry a request. */
  const writers = async () => {
    const [dialect, state] = [{ insertExisting: "error" }, { arenas: { edge: { sets: { blocked: ENTRIES } } } }];
    const setup = await bench(dialect, { ...dialect, maxEntriesPerRequest: 1 }, state);
    return { ...setup, one: setup.set("fra1"), other: setup.set(name, headers) };
  };
  const removed = (emulator: Emulator) => emulator.requests({ cmd: "commit" }).map(({ commit }) => commit?.removed);

  it("publish no state between the delete and the insert of a value, and blame no other writer", async () => {
    await using setup = await writers();
    await Promise.all([setup.one.reads.read(), setup.other.reads.read()]);
    await Promise.all([setup.one.writer.submit(put(CHANGED)), setup.other.writer.submit(put(ADDED))]);
    expect(setup.emulator.prefixSet(BLOCKED).applied).toEqual({ ...CHANGED, ...ADDED });
    expect(removed(setup.emulator)).toEqual([{}, {}]);
    expect(setup.warnings).toEqual([]);
  });

  it("publish nothing that a failed write of the other one left staged", async () => {
    await using setup = await writers();
    setup.emulator.fail({ cmd: "insert", status: 503, times: 1_000 });
    await expect(setup.one.writer.submit(put(CHANGED))).rejects.toThrow(SetWriteFailure);
    setup.emulator.clearFaults();
    await setup.other.writer.submit(put(ADDED));
    expect(setup.emulator.prefixSet(BLOCKED).applied).toEqual({ ...ENTRIES, ...ADDED });
    expect(removed(setup.emulator)).toEqual([{}]);
    expect(setup.warnings).toEqual([]);
  });
});

describe("two sets that one commit applies", () => {
  const OTHER = "prefixset://edge/partners";
  const ENTRIES = { "192.0.2.1/32": 1, "192.0.2.2/32": 1 };
  const ADDED = { "203.0.113.0/24": 1 };
  const folder = useEmptyFolder();
  const BOTH: Record<string, Record<string, number>> = { blocked: ENTRIES, partners: {} };
  const writers = async (
    insertExisting: "overwrite" | "error",
    notes?: SentFiles,
    { delay = 0, sets = BOTH }: { delay?: number; sets?: typeof BOTH } = {},
  ) => {
    const habits = { insertExisting, commitUrl: "prefixset://{arena}" };
    const state = { arenas: { edge: { sets } } };
    const setup = await bench({ ...habits, commitDelay: delay }, { ...habits, commitDelayMs: delay }, state, notes);
    return { ...setup, one: setup.set("fra1"), other: setup.set("fra1", {}, OTHER) };
  };

  it("publish nothing that a failed write to the other one left staged", async () => {
    await using setup = await writers("error");
    setup.emulator.fail({ cmd: "insert", status: 503, times: 1_000 });
    await expect(setup.one.writer.submit(put({ "192.0.2.1/32": 7 }))).rejects.toThrow(SetWriteFailure);
    setup.emulator.clearFaults();
    await setup.other.writer.submit(put(ADDED));
    expect(setup.emulator.prefixSet(BLOCKED)).toEqual({ applied: ENTRIES, staged: ENTRIES });
    expect(setup.emulator.prefixSet(OTHER).applied).toEqual(ADDED);
    expect(setup.emulator.requests({ cmd: "commit" }).map(({ commit }) => commit?.removed)).toEqual([{}]);
    expect(setup.warnings).toEqual([]);
  });

  it("leave no removal staged if an insert after a delete failed, where the node takes the entry back", async () => {
    await using setup = await writers("error");
    setup.emulator.fail({ cmd: "insert", status: 403, times: 1 });
    await expect(setup.one.writer.submit(put({ "192.0.2.1/32": 7 }))).rejects.toThrow(SetWriteFailure);
    expect(setup.emulator.prefixSet(BLOCKED)).toEqual({ applied: ENTRIES, staged: ENTRIES });
    expect(sent(setup.emulator)).toEqual(["list", "delete 1", "insert 1", "list", "insert 1"]);
  });

  it.each([404, 410])(
    "do not wait for a list of the other one that is refused with %i, where a killed run has noted removals",
    async (status) => {
      const { pid } = spawnSync(process.execPath, ["-e", ""]);
      const notes = join(folder, `refused-${status}`);
      await using setup = await writers("overwrite", new SentFiles(process.pid, notes), { sets: { partners: {} } });
      const killed = new SentBefore(new SentFiles(pid, notes), sentPlace(setup.emulator.endpoint, BLOCKED));
      killed.noteChanged([key("192.0.2.1")]);
      setup.emulator.fail({ cmd: "list", url: BLOCKED, status, times: 100 });
      await setup.other.writer.submit(put(ADDED));
      expect(setup.emulator.prefixSet(OTHER).applied).toEqual(ADDED);
      expect(setup.warnings).toEqual([expect.stringContaining(`${BLOCKED} cannot be read.`)]);
    },
  );

  it("fail where the node refuses the list of the other one for another reason", async () => {
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    const notes = join(folder, "refused-for-a-moment");
    await using setup = await writers("overwrite", new SentFiles(process.pid, notes));
    const killed = new SentBefore(new SentFiles(pid, notes), sentPlace(setup.emulator.endpoint, BLOCKED));
    killed.noteChanged([key("192.0.2.1")]);
    await stageElsewhere(setup.emulator, { a: "192.0.2.1" });
    setup.emulator.fail({ cmd: "list", url: BLOCKED, status: 400 });
    await expect(setup.other.writer.submit(put(ADDED))).rejects.toThrow("400");
    expect(setup.emulator.prefixSet(BLOCKED).applied).toEqual(ENTRIES);
    expect(setup.emulator.prefixSet(OTHER).applied).toEqual({});
  });

  it.each([
    ["overwrite", 0],
    ["error", 0],
    ["overwrite", 100],
  ] as const)(
    "publish no removal from the other one that a killed run left staged, where an insert of an existing entry means: %s, and a commit takes %i ms",
    async (insertExisting, delay) => {
      const { pid } = spawnSync(process.execPath, ["-e", ""]);
      const notes = join(folder, `${insertExisting}-${delay}`);
      await using setup = await writers(insertExisting, new SentFiles(process.pid, notes), { delay });
      const killed = new SentBefore(new SentFiles(pid, notes), sentPlace(setup.emulator.endpoint, BLOCKED));
      killed.noteChanged([key("192.0.2.1")]);
      await stageElsewhere(setup.emulator, { a: "192.0.2.1" });
      setup.emulator.fail({ cmd: "insert", kind: "error", status: 200, body: '{"status":"ok"}', times: 1 });
      await setup.other.writer.submit(put(ADDED));
      expect(setup.emulator.prefixSet(BLOCKED).applied).toEqual(ENTRIES);
      expect(setup.emulator.prefixSet(OTHER).applied).toEqual(ADDED);
      expect(setup.warnings).toEqual([
        expect.stringContaining(
          "our commit published a removal that an earlier run had staged, of 192.0.2.1/32; restored.",
        ),
      ]);
      // Nothing is left to be undone.
      const start = sent(setup.emulator).length;
      await setup.other.writer.submit(put({ "203.0.113.9": 1 }));
      expect(sent(setup.emulator).slice(start, start + 4)).toEqual(["list", "insert 1", "commit", "list"]);
    },
  );
});

describe("a removal that a killed run left staged", () => {
  const folder = useEmptyFolder();

  /** A node where a killed run has staged the removal of an entry, and the writer of a later one. */
  async function left(options: object = {}) {
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    const killed = new SentFiles(pid, join(folder, "notes"));
    const setup = await bench(options, options, HELD, new SentFiles(process.pid, join(folder, "notes")));
    const place = sentPlace(setup.emulator.endpoint, BLOCKED);
    new SentBefore(killed, place).noteChanged([key("192.0.2.0/24")]);
    await stageElsewhere(setup.emulator, { a: "192.0.2.0/24" });
    return setup;
  }

  it.each(["overwrite", "error", "ignored"])(
    "is undone before the commit where an insert of an existing entry means: %s",
    async (insertExisting) => {
      await using setup = await left({ insertExisting });
      await setup.writer.submit(put({ "203.0.113.0/24": 1 }));
      expect(setup.emulator.prefixSet(BLOCKED).applied).toEqual({ ...HELD_ENTRIES, "203.0.113.0/24": 1 });
      expect(setup.emulator.requests({ cmd: "commit" }).map(({ commit }) => commit?.removed)).toEqual([{}]);
      expect(setup.warnings).toEqual([]);
    },
  );

  it.each([
    ["refuses", { status: 400 }],
    ["accepts and drops", { kind: "error", status: 200, body: '{"status":"ok"}' }],
  ] as const)("is undone after the commit where the node %s the insert that undoes it before", async (_, fault) => {
    await using setup = await left();
    const { emulator } = setup;
    emulator.fail({ cmd: "insert", times: 1, ...fault });
    await setup.writer.submit(put({ "203.0.113.0/24": 1 }));
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({ ...HELD_ENTRIES, "203.0.113.0/24": 1 });
    expect(setup.warnings).toEqual([
      expect.stringContaining(
        "our commit published a removal that an earlier run had staged, of 192.0.2.0/24; restored.",
      ),
    ]);
  });
});

async function stageElsewhere(
  emulator: Emulator,
  item: { readonly a: string } | { readonly p: string; readonly v: number },
) {
  const body = JSON.stringify({ url: BLOCKED, cmd: "a" in item ? "delete" : "insert", data: [item] });
  await fetch(`${emulator.endpoint}/fapi`, { method: "POST", headers: { "content-type": "application/json" }, body });
}
