import { execFile } from "node:child_process";
import fs, {
  appendFileSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { StoredLedger } from "../../provider/forwarder/ledger/ledger";
import { asking } from "./support/asking";
import { passUntil, TestClock, until } from "./support/clock";
import {
  configOf,
  forwardOnce,
  marksOf,
  openForwarder,
  profilesOf,
  RECORD,
  recordsIn,
  scene,
  stateOf,
  stateWith,
  temporaryFolder,
} from "./support/forward";
import { httpSink } from "./support/http-sink";
import { delivered, openSink } from "./support/sinks";

test("watch without types asks for all four, reports refused ones once, and follows profiles", async () => {
  const { forwarder, told, emulator, clock } = await scene(stateOf(1), { watch: [{ arena: "edge" }] });
  emulator.fail({ cmd: "list", url: "mark://edge/*", type: "sdhost", status: 404, times: 1_000 });
  const lists = (profile: string) =>
    emulator.requests({ cmd: "list", url: `mark://edge/${profile}` }).map(({ type }) => type);
  await passUntil(() => lists("web").filter((type) => type === "shost").length === 10, clock);
  expect(new Set(lists("web"))).toEqual(new Set(["shost", "dhost", "sdhost", "conn"]));
  expect(lists("web").filter((type) => type === "sdhost").length).toBeLessThan(10);
  expect(told.lines).toEqual([expect.stringMatching(/^warn Marks \(sdhost\) of mark:\/\/edge\/web on fra1 .*404/)]);

  emulator.seed(profilesOf({ dns: marksOf(1) }));
  await passUntil(() => lists("dns").length >= 4 && forwarder.nodes[0]?.tables === 4, clock);
  const before = lists("web").length;
  const dns = lists("dns").length;
  await passUntil(() => lists("dns").length > dns + 8, clock);
  expect(lists("web")).toHaveLength(before);
});

test("a look that fails at one arena ends no table that is known there, however many it finds elsewhere", async () => {
  const shost = marksOf(1);
  const arena = (...names: string[]) => ({
    profiles: Object.fromEntries(names.map((name) => [name, { marks: { shost } }])),
  });
  const watch = ["edge", "core"].map((name) => ({ arena: name, types: ["shost" as const] }));
  const { emulator, clock } = await scene({ arenas: { edge: arena("web"), core: arena("mail") } }, { watch });
  const lists = (url: string) => emulator.requests({ cmd: "list", url }).length;
  await passUntil(() => lists("mark://edge/web") > 0 && lists("mark://core/mail") > 0, clock);
  emulator.fail({ cmd: "list", url: "arena://core", status: 500, times: 1_000 });
  emulator.seed({ arenas: { edge: arena("web", "dns"), core: arena("mail") } });
  await passUntil(() => lists("mark://edge/dns") > 0, clock);
  const [before, dns] = [lists("mark://core/mail"), lists("mark://edge/dns")];
  await passUntil(() => lists("mark://edge/dns") > dns + 5, clock);
  expect(lists("mark://core/mail")).toBeGreaterThan(before + 2);
});

test("a pattern that matches no profile is reported until one does, and is a note of /readyz", async () => {
  const watch = [{ arena: "edge", profiles: ["prot3cted*", "w*"] }];
  const { forwarder, told, emulator, clock } = await scene(stateOf(1), { watch });
  const none = "Arena edge on fra1 has no profile that matches prot3cted*: there are web.";
  await passUntil(() => told.lines.length > 0 && forwarder.unready.length === 0, clock);
  expect([told.lines, forwarder.notes]).toEqual([[`warn ${none}`], [none]]);
  expect((await (await asking(forwarder))("/readyz"))[1]).toMatchObject({ ok: true, notes: [none] });
  emulator.seed(profilesOf({ web: marksOf(1), prot3cted1: marksOf(1) }));
  await passUntil(() => told.lines.length > 1, clock);
  expect(told.lines.slice(1)).toEqual(["info Node fra1 has profiles for all that is watched."]);
  expect(forwarder.notes).toEqual([]);
});

test("a pattern that matches a profile of another node is no note of /readyz", async () => {
  await using other = await startEmulator({ state: profilesOf({ prot3cted1: marksOf(1) }) });
  await using emulator = await startEmulator({ state: stateOf(1) });
  using folder = temporaryFolder();
  const own = configOf(emulator, [], { watch: [{ arena: "edge", profiles: ["prot3cted*", "mail*"] }] });
  const config = { ...own, nodes: { ...own.nodes, ams1: { endpoint: other.endpoint } } };
  const { ok, told, forwarder } = await forwardOnce(config, folder.path, { onRecord: () => {} });
  const none = (node: string, pattern: string, there: string) =>
    `Arena edge on ${node} has no profile that matches ${pattern}: there are ${there}.`;
  expect(forwarder.notes).toEqual([none("fra1", "mail*", "web"), none("ams1", "mail*", "prot3cted1")]);
  expect([ok, told.toSorted()]).toEqual([
    false,
    [
      `warn ${none("ams1", "mail*", "prot3cted1")}`,
      `warn ${none("fra1", "prot3cted*", "web")} ${none("fra1", "mail*", "web")}`,
    ],
  ]);
});

test("snapshotEveryMs: the whole table as seen, beside the changes, at the first list after each such time", async () => {
  const { forwarder, records, clock } = await scene(stateOf(1), { snapshotEveryMs: 10_000 });
  const polls = () => forwarder.metrics.get("polls_total", { node: "fra1", outcome: "taken" });
  await until(() => polls() === 1);
  for (let round = 2; round <= 10; round++) {
    clock.advance(3_000);
    await until(() => polls() === round);
  }
  await until(() => records.length === 3);
  // Lists 3 s apart: after 12 s, and after 24 s.
  const began = Date.parse(records[0]?.timestamp ?? "");
  expect(records.map(({ event, timestamp }) => [event, Date.parse(timestamp) - began])).toEqual([
    ["added", 0],
    ["seen", 12_000],
    ["seen", 24_000],
  ]);
  // One that is not taken over comes with the next list that is: the third was due after 36 s.
  const take = vi.spyOn(StoredLedger.prototype, "take");
  onTestFinished(() => take.mockRestore());
  for (let round = 11; round <= 12; round++) {
    clock.advance(3_000);
    await until(() => polls() === round);
  }
  take.mockRejectedValueOnce(new Error("not now"));
  await passUntil(() => records.length === 4, clock);
  expect(Date.parse(records[3]?.timestamp ?? "") - began).toBeLessThan(46_000);
});

test("a file: a torn line is cut off; at rotateBytes it becomes .1, and so many are kept", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "marks.ndjson");
  writeFileSync(path, '{"recordId":"before"}\n{"recordId":"hal');
  const disk = await openSink("file", { path, rotateBytes: 1_024, keep: 2 });
  const rounds = [
    ["r-1", "before"],
    ["r-2", "r-1", "before"],
    ["r-3", "r-2", "r-1"],
  ];
  for (const expected of rounds) {
    await delivered(disk, [{ ...RECORD, recordId: expected[0] ?? "", message: "m".repeat(1_000) }]);
    const names = readdirSync(folder.path).sort();
    expect(names).toEqual(["", ".1", ".2"].slice(0, expected.length).map((end) => `marks.ndjson${end}`));
    const held = names.map((name) => recordsIn(readFileSync(join(folder.path, name), "utf8")));
    expect(held.map((records) => records.map(({ recordId }) => recordId).join())).toEqual(expected);
  }
  await disk.close();
});

test("a file that another program renames, removes or empties goes on under its name, as logrotate needs it", async () => {
  const sinks = [{ name: "disk", type: "file" as const, path: "marks.ndjson" }];
  const { folder, forwarder, told, clock } = await scene(stateWith(40), { records: "all", sinks });
  const path = join(folder, "marks.ndjson");
  let round = 0;
  const listed = async (): Promise<unknown[]> => {
    if (round > 0) clock.advance(3_000);
    round++;
    await until(() => forwarder.metrics.get("sent_records_total", { sink: "disk" }) === 40 * round);
    const lines = readFileSync(path, "utf8").trim().split("\n");
    return [JSON.parse(lines[0] ?? "").sequence, lines.length];
  };
  expect(await listed()).toEqual([1, 40]);
  renameSync(path, join(folder, "marks.1"));
  expect(await listed()).toEqual([41, 40]);
  renameSync(path, join(folder, "marks.2"));
  writeFileSync(path, "");
  expect(await listed()).toEqual([81, 40]);
  rmSync(path);
  expect(await listed()).toEqual([121, 40]);
  truncateSync(path);
  expect(await listed()).toEqual([161, 40]);
  const again = 'info Sink "disk": marks.ndjson was renamed or removed, and is opened again.';
  expect(told.lines).toEqual([again, again, again]);
});

test("a file that one sink writes is refused to another, by whatever name, and loses nothing", async () => {
  using folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  writeFileSync(at("marks.ndjson"), "");
  linkSync(at("marks.ndjson"), at("other.ndjson"));
  const first = await openSink("file", { path: at("marks.ndjson") });
  const second = await openSink("file", { path: at("other.ndjson") });
  await delivered(first, [RECORD]);
  await expect(delivered(second, [RECORD])).rejects.toThrow(
    `${at("other.ndjson")} cannot be written: another sink of this process writes it: give each sink a file of its own`,
  );
  await delivered(first, [RECORD]);
  expect(recordsIn(readFileSync(at("marks.ndjson"), "utf8"))).toEqual([RECORD, RECORD]);
  await first.close();
  // Half a line after a whole one: it is the only thing that is cut off.
  appendFileSync(at("marks.ndjson"), '{"recordId":"hal');
  await delivered(second, [RECORD]);
  expect(recordsIn(readFileSync(at("other.ndjson"), "utf8"))).toEqual([RECORD, RECORD, RECORD]);
  await second.close();
});

test("an append that fails cuts off no line that another process has added", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "marks.ndjson");
  const disk = await openSink("file", { path });
  await delivered(disk, [RECORD]);
  const { open } = fs.promises;
  const become = (next: typeof open) => {
    fs.promises.open = next;
    syncBuiltinESMExports();
  };
  // The first append fails after half a line, and after a line of another process.
  const other = { ...RECORD, recordId: "r-other" };
  become(async (...args) => {
    const handle = await open(...args);
    handle.appendFile = async () => {
      become(open);
      appendFileSync(path, `${JSON.stringify(other)}\n{"recordId":"hal`);
      throw new Error("no space left on device");
    };
    return handle;
  });
  try {
    await disk.close();
    await expect(delivered(disk, [RECORD])).rejects.toThrow(`${path} cannot be written: no space left on device`);
  } finally {
    become(open);
  }
  // The half line is cut at once, before another process writes behind it.
  expect(recordsIn(readFileSync(path, "utf8"))).toEqual([RECORD, other]);
  await delivered(disk, [RECORD]);
  expect(recordsIn(readFileSync(path, "utf8"))).toEqual([RECORD, other, RECORD]);
  await disk.close();
});

test("a rotation that fails changes nothing when it is repeated; then the oldest file that it keeps goes, and none beyond", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "marks.ndjson");
  for (const number of [1, 2, 3, 4, 5]) writeFileSync(`${path}.${number}`, `old ${number}`);
  const disk = await openSink("file", { path, rotateBytes: 1_024, keep: 3 });
  const long = { ...RECORD, message: "m".repeat(1_000) };
  await delivered(disk, [long]);
  const { rename } = fs.promises;
  const become = (next: typeof rename) => {
    fs.promises.rename = next;
    syncBuiltinESMExports();
  };
  become(async (from, to) => {
    if (from === `${path}.1`) throw new Error("not permitted");
    await rename(from, to);
  });
  const contents = () =>
    Object.fromEntries(readdirSync(folder.path).map((name) => [name, readFileSync(join(folder.path, name), "utf8")]));
  try {
    for (let round = 0; round < 4; round++) {
      await expect(delivered(disk, [long])).rejects.toThrow("cannot be written: not permitted");
    }
    expect(Object.values(contents())).toEqual([
      expect.stringMatching(/^\{/),
      ...[1, 2, 3, 4, 5].map((number) => `old ${number}`),
    ]);
  } finally {
    become(rename);
  }
  await delivered(disk, [long]);
  expect(contents()).toEqual({
    "marks.ndjson": expect.stringMatching(/^\{/),
    "marks.ndjson.1": expect.stringMatching(/^\{/),
    "marks.ndjson.2": "old 1",
    "marks.ndjson.3": "old 2",
    "marks.ndjson.4": "old 4",
    "marks.ndjson.5": "old 5",
  });
  await disk.close();
});

test.each([
  ["no longer than onceDeadlineMs", "After 1500 ms", () => {}],
  ["until a signal", "At the signal", (ending: AbortController) => ending.abort()],
])("--once waits for sinks %s, names those that are late, and keeps what they lack", async (_, when, end) => {
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: stateOf(1) });
  const { url } = await httpSink(() => new Promise(() => {}));
  const sinks = [
    { name: "web", type: "http", url },
    { name: "disk", type: "file", path: "marks.ndjson" },
  ];
  const clock = new TestClock();
  const config = configOf(emulator, sinks, { onceDeadlineMs: 1_500 });
  const { forwarder, told } = await openForwarder(config, folder.path, { world: clock });
  const outcome: boolean[] = [];
  const ending = new AbortController();
  void forwarder.once(ending.signal).then((one) => outcome.push(one));
  const waiting = () => forwarder.status.sinks.map(({ records }) => records).join();
  await until(() => forwarder.metrics.get("sent_bytes_total", { sink: "disk" }) > 0 && waiting() === "1,0");
  end(ending);
  await passUntil(() => outcome.length > 0, clock);
  expect([outcome, told.lines]).toEqual([
    [false],
    [`error ${when} these sinks have not taken everything: "web" (1 records). It stays in the spool.`],
  ]);
  await forwarder.stop(0);
  expect(recordsIn(readFileSync(join(folder.path, "marks.ndjson"), "utf8"))).toHaveLength(1);
});

test.skipIf(process.platform === "win32")(
  "a file that becomes a pipe is refused before anything is written",
  async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "pipe");
    await promisify(execFile)("mkfifo", [path]);
    const pipe = await openSink("file", { path });
    await expect(delivered(pipe, [RECORD])).rejects.toThrow(`${path} cannot be written: it is not a regular file`);
  },
);
