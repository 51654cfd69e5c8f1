import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { LiveConfig } from "../../provider/forwarder/config/config";
import type { ForwarderConfig } from "../../provider/forwarder/config/types";
import { Forwarder } from "../../provider/forwarder/forwarder";
import { StoredLedger } from "../../provider/forwarder/ledger/ledger";
import type { Ledger } from "../../provider/forwarder/ledger/protocol";
import { LedgerThread } from "../../provider/forwarder/ledger/thread";
import { Listener } from "../../provider/forwarder/operating/http-server";
import { Service } from "../../provider/forwarder/operating/service";
import type { ForwardRecord } from "../../provider/forwarder/record/record";
import { SINK_KINDS } from "../../provider/forwarder/sinks/kinds";
import type { SinkKind } from "../../provider/forwarder/sinks/sink";
import { startForwarder } from "../../provider/forwarder/start";
import { passUntil, TestClock, until } from "./support/clock";
import { serve } from "./support/command";
import {
  configFile,
  configOf,
  linesOf,
  openForwarder,
  recordsIn,
  scene,
  startForwarding,
  stateOf,
  stateWith,
  Told,
  temporaryFolder,
  withAwaySink,
} from "./support/forward";
import { startService } from "./support/service";

const outlineOf = (records: readonly ForwardRecord[]) =>
  records.map(({ node, event, value, sequence }) => `${node} ${sequence} ${event} ${value}`);

/** The next sink of a kind fails once it is closed. */
function unclosable(name: "file" | "http") {
  const kind = SINK_KINDS[name] as SinkKind;
  const { open } = kind;
  const opening = vi.spyOn(kind, "open").mockImplementationOnce(async (context) => {
    const sink = await open(context);
    const close = sink.close.bind(sink);
    const failing = () => close().then(() => Promise.reject(new Error("no answer")));
    return Object.assign(sink, { close: failing });
  });
  onTestFinished(() => opening.mockRestore());
}

test("a reload applies the difference: what did not change goes on, and each record comes once", async () => {
  using folder = temporaryFolder();
  await using kept = await startEmulator({ state: stateOf(0) });
  await using gone = await startEmulator({ state: stateOf(0) });
  await using fresh = await startEmulator({ state: stateOf(0) });
  const clock = new TestClock();
  const all = { name: "all", type: "file" as const, path: "all.ndjson" };
  const old = { name: "old", type: "http", url: "http://127.0.0.1:1/" };
  const nodes = { kept: { endpoint: kept.endpoint }, gone: { endpoint: gone.endpoint } };
  const config = configOf(kept, [all, old], { nodes });
  unclosable("http");
  const { forwarder, told } = await startForwarding(config, folder.path, { world: clock });
  const arrived = (name = "all.ndjson") => recordsIn(readFileSync(join(folder.path, name), "utf8"));
  await until(() => forwarder.metrics.get("sent_records_total", { sink: "all" }) === 2);

  const next: ForwarderConfig = {
    ...config,
    nodes: { kept: { endpoint: kept.endpoint }, fresh: { endpoint: fresh.endpoint } },
    sinks: [all, { name: "new", type: "file", path: "new.ndjson" }],
  };
  expect(await forwarder.reload(await LiveConfig.ofObject(next, {}, folder.path))).toBe(true);
  // A node that came later is no start: what waits for readiness is not held up.
  expect(forwarder.nodes.map(({ name, tables }) => [name, tables])).toContainEqual(["fresh", 0]);
  expect(forwarder.unready).toEqual([]);
  for (const emulator of [kept, gone, fresh]) emulator.seed(stateOf(1));
  await until(() => forwarder.metrics.get("sent_records_total", { sink: "new" }) === 2, clock);
  await until(() => arrived().length === 4);

  // A node that stays has its baseline; the one that is gone is not asked again.
  expect(outlineOf(arrived()).sort()).toEqual([
    "fresh 1 added 1",
    "gone 1 added 0",
    "kept 1 added 0",
    "kept 2 changed 1",
  ]);
  expect(outlineOf(arrived("new.ndjson")).sort()).toEqual(["fresh 1 added 1", "kept 2 changed 1"]);
  const structure = (emulator: typeof kept) =>
    emulator.requests({ cmd: "list" }).filter(({ url }) => url?.startsWith("arena:")).length;
  expect([structure(kept), structure(gone), structure(fresh)]).toEqual([1, 1, 1]);
  expect(told.lines.filter((line) => line.includes('"old"') && !line.includes("accepts no records"))).toEqual([
    'warn Sink "old" cannot be closed: no answer.',
    expect.stringMatching(
      /^warn Sink "old" will not get 2 records, listed from \S+ to \S+: the configuration does not name it any more, .*\. Tables: (gone|kept)\/edge\/web\/shost 1, (gone|kept)\/edge\/web\/shost 1\.$/,
    ),
  ]);
  expect(forwarder.metrics.text()).not.toMatch(/(node|sink)="(old|gone)"/);
  expect(forwarder.status.sinks.map(({ name }) => name)).toEqual(["all", "new"]);
  expect(forwarder.unready).toEqual([]);
});

test("a reload that polls a node in another way keeps its baseline, and a sink of another format its place", async () => {
  unclosable("file");
  const sinks = [{ name: "disk", type: "file" as const, path: "marks.ndjson" }];
  const { forwarder, clock, config, folder, emulator } = await scene(stateOf(0), { everyMs: 3_600_000, sinks });
  const file = join(folder, "marks.ndjson");
  await until(() => forwarder.metrics.get("sent_records_total", { sink: "disk" }) === 1);
  emulator.seed(stateOf(1));
  const next = { ...config, everyMs: 3_000, format: "otel" as const };
  expect(await forwarder.reload(await LiveConfig.ofObject(next, {}, folder))).toBe(true);
  // That the former one cannot be closed is no trouble of the next one.
  expect([...forwarder.troubles.all.keys()]).toEqual([]);
  clock.advance(3_000);
  await until(() => forwarder.metrics.get("sent_records_total", { sink: "disk" }) === 2);
  const [first, second] = linesOf(readFileSync(file, "utf8")).map((line) => JSON.parse(line));
  expect([first.event, second.event_name, second["packetfilter.mark.sequence"]]).toEqual([
    "added",
    "packetfilter.mark.changed",
    2,
  ]);
});

test("a sink that was full, and that a reload takes out, keeps no table waiting", async () => {
  const { forwarder, clock, config, folder } = await scene(stateWith(3_000), withAwaySink(65_536));
  await until(() => forwarder.unready.some((reason) => reason.includes('The spool is full for sink "away"')), clock);
  expect(
    await forwarder.reload(await LiveConfig.ofObject({ ...config, sinks: config.sinks?.slice(0, 1) }, {}, folder)),
  ).toBe(true);
  expect(forwarder.unready).toEqual([]);
  await until(() => forwarder.metrics.get("polls_total", { node: "fra1", outcome: "taken" }) > 1, clock);
});

test("a sink whose last delivery never ends holds up no reload, and no other sink that changes", async () => {
  const disk = { name: "disk", type: "file" as const, path: "marks.ndjson" };
  const sinks = [disk, { name: "out", type: "stdout" as const }];
  const stdout = () => new Promise<void>(() => {});
  const { forwarder, clock, config, folder, emulator } = await scene(stateOf(0), { sinks }, { stdout });
  const sent = () => forwarder.metrics.get("sent_records_total", { sink: "disk" });
  await until(() => sent() === 1);
  const next = await LiveConfig.ofObject({ ...config, sinks: [{ ...disk, path: "next.ndjson" }] }, {}, folder);
  const ended: string[] = [];
  void forwarder.reload(next).then(() => ended.push("reload"));
  await passUntil(() => ended.length === 1, clock);
  emulator.seed(stateOf(1));
  await passUntil(() => sent() === 2, clock);
  expect(recordsIn(readFileSync(join(folder, "next.ndjson"), "utf8")).map(({ value }) => value)).toEqual([1]);
  // Nothing waits for it any more, however long it lasts.
  const later = clock.monotonic() + 120_000;
  await passUntil(() => clock.monotonic() > later, clock);
  expect(forwarder.unready).toEqual([]);
  // It still keeps the process.
  void forwarder.stop(0).then(() => ended.push("stop"));
  await passUntil(() => ended.length === 2, clock);
  expect(forwarder.isStuck).toBe(true);
});

/** A port of loopback that another process has. */
async function takenPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test("a configuration that cannot be taken leaves the last good one at work, and the metric says so", async () => {
  using folder = temporaryFolder();
  await using first = await startEmulator({ state: stateOf(0) });
  await using second = await startEmulator({ state: stateOf(0) });
  const file = join(folder.path, "forwarder.yaml");
  const write = (endpoint: string, more = "", listen = "127.0.0.1:0") =>
    writeFileSync(
      file,
      `nodes: { fra1: { endpoint: "${endpoint}" } }
watch: [{ arena: edge, types: [shost] }]
listen: ${listen}
drainMs: 0
sinks: [{ name: disk, type: file, path: marks.ndjson }]
${more}`,
    );
  write(first.endpoint);
  const service = serve(file);
  // While it starts.
  await service.hangUp();
  await service.told("The configuration was read again.");
  const url = service.messages().flatMap((message) => /^Answers on (\S+)\/metrics/.exec(message)?.[1] ?? [])[0];
  const gauge = async () =>
    /^packetfilter_forward_config_last_reload_successful (\d)$/m.exec(
      await (await fetch(`${url}/metrics`)).text(),
    )?.[1];
  expect(await gauge()).toBe("1");

  write(second.endpoint);
  await service.hangUp();
  await service.told("The configuration was read again.", 2);

  const port = await takenPort();
  write(first.endpoint, "", `127.0.0.1:${port}`);
  await service.hangUp();
  await service.told(`\`listen\`: 127.0.0.1:${port} cannot be used`);
  expect(await gauge()).toBe("0");

  // Another state folder means another forwarder, which cannot have this one.
  write(first.endpoint, `state: "${file}/state"`);
  await service.hangUp();
  await service.told("The new configuration is refused", 2);
  expect(await gauge()).toBe("0");

  // The last good one is the second, also in the forwarder that was opened again.
  const asked = [first, second].map((emulator) => emulator.journal.length);
  await until(() => second.journal.length > (asked[1] ?? 0));
  expect(first.journal.length).toBe(asked[0]);

  write(second.endpoint, `state: "${join(folder.path, "other")}"`);
  await service.hangUp();
  await service.told("The configuration was read again.", 3);
  expect(await gauge()).toBe("1");
  expect(await service.end()).toBe(0);
});

test("a reload that never ends is not ready meanwhile, and keeps no service from ending", async () => {
  using folder = temporaryFolder();
  const clock = new TestClock();
  const config = configOf({ endpoint: "http://127.0.0.1:1" });
  const opened = await openForwarder(config, folder.path, { world: clock, onRecord: () => {} });
  const forwarders = [Promise.resolve(opened.forwarder), new Promise<Forwarder>(() => {})].values();
  const live = await LiveConfig.ofObject(config, {}, folder.path);
  const service = await Service.start(live, {
    log: opened.told,
    world: clock,
    open: () => forwarders.next().value ?? Promise.reject(new Error("A third one is opened.")),
  });
  await passUntil(() => service.forwarder.unready.length === 0, clock);
  service.reload(() => LiveConfig.ofObject({ ...config, state: "other" }, {}, folder.path));
  await passUntil(() => service.forwarder.unready.includes("Polling has ended."), clock);
  let isStopped = false;
  void service.stop().then(() => {
    isStopped = true;
  });
  await passUntil(() => isStopped, clock);
  expect(service.isStuck).toBe(true);
});

/** The next state that is closed, of this kind of ledger, is closed with an error. */
function closingFails(ledger: { readonly prototype: Ledger }, words: string): void {
  const { close } = ledger.prototype;
  const failing = vi.spyOn(ledger.prototype, "close").mockImplementationOnce(async function (this: Ledger, listed) {
    await close.call(this, listed);
    throw new Error(words);
  });
  onTestFinished(() => failing.mockRestore());
}

test("a state that cannot be closed keeps no service from its next one, and is reported", async () => {
  using folder = temporaryFolder();
  const config = configOf({ endpoint: "http://127.0.0.1:1" }, [{ name: "disk", type: "file", path: "marks.ndjson" }]);
  const { service, log } = await startService(config, folder.path);
  closingFails(StoredLedger, "The state cannot be written: its disk is full.");
  for (const words of ["one", "two", "left out"]) service.forwarder.troubles.begin("flapping", {}, words);
  service.reload(() => LiveConfig.ofObject({ ...config, state: "other" }, {}, folder.path));
  await until(() => log.lines.includes("info The configuration was read again."));
  expect(log.lines).toContain("error The state cannot be written: its disk is full.");
  expect(log.lines.some((line) => line.startsWith("warn left out"))).toBe(true);
  expect(service.config.stateFolder).toBe(join(folder.path, "other"));
  // Where another reload fails, and the listener cannot go back, its own reason is told.
  const failing = [vi.spyOn(StoredLedger.prototype, "configure"), vi.spyOn(Listener.prototype, "move")] as const;
  onTestFinished(() => void vi.restoreAllMocks());
  failing[0].mockRejectedValueOnce(new Error("the disk is full"));
  failing[1].mockResolvedValueOnce().mockRejectedValueOnce(new Error("it is in use"));
  service.reload(() => LiveConfig.ofObject({ ...config, state: "other", listen: "127.0.0.1:0" }, {}, folder.path));
  await until(() => log.lines.some((line) => line.startsWith("error The new")));
  expect(log.lines.filter((line) => line.startsWith("error The new"))).toEqual([
    "error The new configuration is refused, and the old one stays in use: the disk is full",
  ]);
});

test("a library that its signal ends reports a state that cannot be closed, and its program continues", async () => {
  using folder = temporaryFolder();
  const log = new Told();
  const ending = new AbortController();
  const options = { folder: folder.path, world: new TestClock(), onRecord() {}, log, signal: ending.signal };
  await startForwarder(configOf({ endpoint: "http://127.0.0.1:1" }), options);
  closingFails(LedgerThread, "The state cannot be written: its disk is full.");
  ending.abort();
  await until(() => log.lines.includes("error The state cannot be written: its disk is full."));
});

test.each(["at its start", "later"])("a service whose state is lost %s is to end, with its error", async (when) => {
  using folder = temporaryFolder();
  const state = new AbortController();
  const ended = vi.spyOn(Forwarder.prototype, "ended", "get").mockReturnValue(state.signal);
  onTestFinished(() => ended.mockRestore());
  const sinks = [{ name: "disk", type: "file", path: "marks.ndjson" }];
  const lose = () => state.abort(new Error("The thread has ended."));
  if (when === "at its start") lose();
  const { service } = await startService(configOf({ endpoint: "http://127.0.0.1:1" }, sinks), folder.path);
  lose();
  await vi.waitFor(() => expect(service.ended.reason).toEqual(new Error("The thread has ended.")));
});

test("a command whose state is lost while a sink is stuck reports the loss, and ends the process", async () => {
  using folder = temporaryFolder();
  const { stop } = Forwarder.prototype;
  vi.spyOn(Forwarder.prototype, "stop").mockImplementationOnce(async function (this: Forwarder) {
    await stop.call(this, 0);
    this.isStuck = true;
    throw new Error("The thread has ended.");
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const sinks = [{ name: "disk", type: "file", path: "marks.ndjson" }];
  const service = serve(configFile(folder.path, configOf({ endpoint: "http://127.0.0.1:1" }, sinks)));
  await service.told("forwards with");
  expect(await service.end()).toBe(1);
  const lines = service.lines();
  expect(lines[lines.indexOf("killed") - 1]).toContain('"msg":"The thread has ended."');
});

test("a service that was told to end takes no configuration any more", async () => {
  using folder = temporaryFolder();
  const config = configOf({ endpoint: "http://127.0.0.1:1" });
  const { forwarder, told: log } = await openForwarder(config, folder.path, { world: new TestClock(), onRecord() {} });
  const open = vi.fn(async () => forwarder);
  const service = await Service.start(await LiveConfig.ofObject(config, {}, folder.path), { log, open });
  const ended = service.stop();
  service.reload(() => LiveConfig.ofObject({ ...config, state: "other" }, {}, folder.path));
  await ended;
  expect(service.isStuck).toBe(false);
  await Reflect.get(service, "reloading");
  expect(open).toHaveBeenCalledTimes(1);
});
