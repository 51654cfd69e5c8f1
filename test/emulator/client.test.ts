import { readFileSync } from "node:fs";
import { describe, expect, expectTypeOf, test, vi } from "vitest";
import {
  connectEmulator,
  describeRun,
  type Emulator,
  ExpectationError,
  type RemoteEmulator,
  startEmulator,
  UnknownResource,
} from "../../provider/emulator";
import { MEMBERS, OPERATIONS } from "../../provider/emulator/control/operations";
import { BLOCKED, commit, fapi, insert, signaling } from "./calls";

/** One script for the object and for the client: every member, each awaited. */
async function useAll(emulator: Emulator | RemoteEmulator): Promise<unknown[]> {
  const said: unknown[] = [];
  const say = async (value: unknown) => void said.push(await value);
  const trouble = async (run: () => unknown) => {
    try {
      await run();
      said.push("no trouble");
    } catch (error) {
      said.push(error instanceof Error ? [error.name, error.message] : error);
    }
  };
  await emulator.clock.freeze("2026-12-01T00:00:00Z");
  await emulator.clock.advance("1h");
  await say(emulator.clock.now);
  await say(emulator.clock.ms);
  await say(emulator.clock.frozen);
  await emulator.beginRun("one");
  const fault = await emulator.fail({ cmd: "commit", nth: 1, status: 503 });
  await say([fault.id, fault.fault, fault.seen, fault.hits, fault.spent]);
  const spare = await emulator.fail({ rate: 0.5, kind: "reset", url: "prefixset://edge/*" });
  await spare.remove();
  await trouble(() => emulator.removeFault(99));
  const waiting = emulator.waitForRequest({ cmd: "commit", status: 200 }, { within: "20s" });
  await fapi(emulator, insert("203.0.113.0/24", 4));
  await fapi(emulator, commit);
  await fapi(emulator, commit);
  const found = await waiting;
  said.push([found.index, found.commit]);
  await say((await emulator.faults).map(({ id, seen, hits, spent }) => ({ id, seen, hits, spent })));
  await emulator.clearFaults();
  await say((await emulator.expectRequests({ cmd: "commit" }, 2)).map(({ status }) => status));
  await say(
    (await emulator.expectOrder([{ cmd: "insert" }, { status: 503 }, { cmd: "commit" }])).map((it) => it.index),
  );
  await trouble(() => emulator.expectRequests({ cmd: "commit", status: 200 }, 2));
  await trouble(() => emulator.expectRequests({ api: "node" }, 0));
  await trouble(() => emulator.expectOrder([{ cmd: "commit" }, { cmd: "insert" }]));
  await trouble(() => emulator.waitForRequest({ op: "start" }, { within: 0 }));
  await say((await emulator.requests({ cmd: "commit" }, { limit: 1 })).length);
  await say((await emulator.requests({}, { since: 1 })).map(({ answer, run }) => ({ answer, run })));
  await say((await emulator.journal).map(({ index, url, data }) => ({ index, url, data })));
  await say(emulator.runs);
  await say((await emulator.har()).log.entries.map(({ response }) => response.content));
  const before = await emulator.prefixSet(BLOCKED);
  await emulator.snapshot("before / after");
  await emulator.change(BLOCKED, { insert: { "198.51.100.0/24": 7 }, delete: ["192.0.2.0/24"] });
  await say((await emulator.state()).arenas?.edge?.sets);
  await say(emulator.snapshots);
  await emulator.restore("before / after");
  expect(await emulator.prefixSet(BLOCKED)).toEqual(before);
  await emulator.deleteSnapshot("before / after");
  await trouble(() => emulator.restore("before / after"));
  await trouble(() => emulator.deleteSnapshot("none"));
  await emulator.signal("client-a", { start: ["198.51.100.7"] });
  await say(emulator.signalings);
  await say(emulator.testSignalings);
  await say(emulator.boundProfile("198.51.100.7"));
  await say(emulator.boundProfile("192.0.2.77"));
  const [client] = await emulator.clients;
  await say((await signaling(emulator.signalingUrl, client, "status")).json);
  await say(emulator.testClients);
  await say(emulator.receive([{ from: "203.0.113.9", to: "203.0.113.129", proto: "tcp", dport: 443 }]));
  await emulator.receive([{ from: "198.51.100.3", to: "203.0.113.129", proto: "tcp", flags: ["syn"] }]);
  await say(emulator.marks("profile://edge/web", "shost"));
  await say(emulator.markTable("profile://edge/web", "shost", 1));
  await say(emulator.counters("profile://edge/web"));
  await emulator.setDialect("verbose");
  await say((await emulator.dialect).listEnvelope);
  await emulator.setDialect({ listEnvelope: "array" });
  await say((await emulator.dialect).listEnvelope);
  await emulator.seed({ arenas: { core: { sets: { bad: { "192.0.2.0/24": 5 } } } } });
  await say(emulator.prefixSet("prefixset://core/bad"));
  await trouble(() => emulator.prefixSet(BLOCKED));
  await trouble(() => emulator.counters("profile://edge/none"));
  await emulator.clearJournal();
  await say(emulator.journal);
  await emulator.clock.resume();
  await emulator.reset();
  await say(Object.keys((await emulator.prefixSet(BLOCKED)).applied));
  await say(Object.keys(await emulator.info()));
  return said;
}

/** Replaces values that differ between emulators: ports and durations. */
const comparable = (said: unknown[]) =>
  JSON.parse(JSON.stringify(said, (key, value) => (key === "durationMs" ? undefined : value)));

test("one script says the same with the object and with the client", async () => {
  await using one = await startEmulator({ seed: 7 });
  await using other = await startEmulator({ seed: 7 });
  const here = await useAll(one);
  const there = await useAll(await connectEmulator(other.control));
  expect(comparable(there)).toEqual(comparable(here));
  expect(here).toHaveLength(40);
  expect(here).toContainEqual(["before / after"]);
  expect(here).toContainEqual(["UnknownResource", 'There is no snapshot "before / after"; there are none.']);
  expect(here).toContainEqual([
    "ExpectationError",
    expect.stringMatching(
      /^Expected 2 requests with cmd "commit", status 200; 1 came\.\nNearest:\n {2}#1 .* -> 503, .*: status is 503\n/,
    ),
  ]);
  expect(here).toContainEqual([
    "ExpectationError",
    expect.stringMatching(
      /^Expected requests in this order:\n {2}1\. cmd "commit": #1\n {2}2\. cmd "insert"\nAfter #1 no request matches 2\. It came before: #0\./,
    ),
  ]);
});

test("the client has every member of the object but those that only make sense in its process", async () => {
  await using emulator = await startEmulator();
  const client = await connectEmulator(emulator.control);
  const membersOf = (prototype: object): string[] =>
    prototype === Object.prototype
      ? []
      : [...Object.getOwnPropertyNames(prototype), ...membersOf(Object.getPrototypeOf(prototype))];
  const members = membersOf(Object.getPrototypeOf(emulator)).filter((name) => name !== "constructor");
  expect(members).toEqual(expect.arrayContaining(["clock", "prefixSet", "journal"]));
  const own = new Set(["receiveTraffic", "seedNumber"]);
  expect(members.filter((name) => !own.has(name) && !Object.hasOwn(client, name))).toEqual([]);
  expect(MEMBERS.filter(([, { operation }]) => !OPERATIONS.includes(operation))).toEqual([]);
  expectTypeOf<Exclude<keyof Emulator, keyof RemoteEmulator>>().toEqualTypeOf<
    "receiveTraffic" | "seedNumber" | "closed"
  >();
  expectTypeOf<RemoteEmulator["prefixSet"]>().returns.resolves.toEqualTypeOf<ReturnType<Emulator["prefixSet"]>>();
  expectTypeOf<RemoteEmulator["journal"]>().resolves.toEqualTypeOf<Emulator["journal"]>();
});

describe("what goes wrong from afar is told as by the object", () => {
  test("wrong arguments, and things that are not there", async () => {
    await using emulator = await startEmulator();
    const client = await connectEmulator(emulator.control);
    await expect(client.requests({ comand: "list" } as never)).rejects.toThrow(TypeError);
    await expect(client.fail({ kind: "rain" } as never)).rejects.toThrow(TypeError);
    await expect(client.prefixSet("prefixset://edge/none")).rejects.toThrow(UnknownResource);
    await expect(client.expectRequests({}, 1)).rejects.toThrow(ExpectationError);
  });

  test("no emulator, another server, a wrong token", async () => {
    const controlToken = "a-token-for-this-test";
    await using emulator = await startEmulator({ controlToken });
    await expect(connectEmulator("127.0.0.1")).rejects.toThrow(/not the address of a control API/);
    await expect(connectEmulator(emulator.endpoint)).rejects.toThrow(/unknown path/);
    await expect(connectEmulator(emulator.control)).rejects.toThrow(/HTTP 401, .* Give it as `token`/);
    const client = await connectEmulator(emulator.control, { token: controlToken });
    expect([client.endpoint, client.controlToken]).toEqual([emulator.endpoint, controlToken]);
    await emulator.close();
    await expect(client.reset()).rejects.toThrow(/POST \/reset of the emulator at .*: no answer \(.*\)/);
  });
});

test("a wait ends with its emulator, with its caller, and in its time, and polls nothing", async () => {
  await using emulator = await startEmulator();
  const client = await connectEmulator(emulator.control);
  const left = new AbortController();
  const abandoned = client.waitForRequest({ op: "start" }, { within: "1h" }, left.signal);
  const own = emulator.waitForRequest({ cmd: "list", url: BLOCKED }, { since: 1 });
  await fapi(emulator, { url: BLOCKED, cmd: "list" });
  await fapi(emulator, { url: BLOCKED, cmd: "list" });
  expect((await own).index).toBe(1);
  left.abort();
  await expect(abandoned).rejects.toThrow(/no answer/);
  const last = expect(emulator.waitForRequest({ op: "stop" }, { within: "1h" })).rejects.toThrow(/waiting was ended/);
  await emulator.close();
  await last;
});

test("an answer without end is refused at its limit, and every request has a deadline", async () => {
  const chunk = new Uint8Array(16 * 2 ** 20);
  let sent = 0;
  const endless = () => new ReadableStream({ pull: (to) => to.enqueue(sent++ < 64 ? chunk : new Uint8Array(1)) });
  const answer = { fetch: async () => new Response(endless()) };
  const remote = await connectEmulator("http://127.0.0.1:9", { ...answer, token: "t" }).catch(
    (error: unknown) => error,
  );
  expect(String(remote)).toContain("the answer is larger than 536870888 bytes");
  expect(sent).toBeLessThan(40);
  const deadline = vi.spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.abort());
  const aborted = { fetch: async (_: unknown, init?: RequestInit) => Promise.reject(init?.signal?.reason) };
  const late = await connectEmulator("http://127.0.0.1:9", { ...aborted, token: "t" }).catch((error: unknown) => error);
  expect([String(late), deadline.mock.calls]).toEqual([expect.stringContaining("no answer (AbortError"), [[600_000]]]);
  deadline.mockRestore();
});

test("the example of the documentation that waits and verifies is one that runs", async () => {
  await using emulator = await startEmulator();
  const up = async () => {
    await fapi(emulator, insert("203.0.113.0/24", 2));
    await fapi(emulator, commit);
  };
  // <verifying>
  emulator.beginRun("second up");
  const waiting = emulator.waitForRequest({ cmd: "commit", status: 200 }, { within: "5s" });
  await up();

  expect((await waiting).commit?.inserted).toEqual({ "203.0.113.0/24": 2 });
  emulator.expectRequests({ cmd: "commit" }, 1);
  emulator.expectOrder([{ cmd: "insert" }, { cmd: "commit" }]);
  expect(emulator.runs.map(describeRun)).toEqual(["run 1 (second up): 2 requests, 1 commit, +1"]);
  // </verifying>
  const source = readFileSync(__filename, "utf8");
  const shown = /\/\/ <verifying>\n(.*?)\n *\/\/ <\/verifying>/s.exec(source)?.[1]?.replace(/^ {2}/gm, "");
  expect(readFileSync("docs/emulator.md", "utf8")).toContain(`${shown}\n\`\`\``);
});
