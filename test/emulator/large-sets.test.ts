import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { dialect } from "../../provider/emulator/behaviour/dialect";
import { send } from "../../provider/emulator/http/http-server";
import { parseJson } from "../../provider/emulator/http/json-body";
import { parseJsonInSlices } from "../../provider/emulator/http/json-slices";
import { Turnstile } from "../../provider/emulator/http/turnstile";
import { stageInsert } from "../../provider/emulator/node/prefix-set-commands";
import { listSet } from "../../provider/emulator/node/set-list";
import { PrefixSetStore } from "../../provider/emulator/state/prefix-set-store";
import { atOnce, Line, type SlicedWork } from "../../provider/emulator/time/slices";
import { fapi } from "./calls";

const BLOCKED = "prefixset://edge/blocked";
const entries = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    p: `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}/32`,
    v: 1 + (at % 9),
  }));
const asRecord = (data: { p: string; v: number }[]) => Object.fromEntries(data.map(({ p, v }) => [p, v]));

/** Does the work, and looks before each of its slices. */
function watched<T, S>(work: SlicedWork<T>, look: () => S): { seen: S[]; result: T } {
  const seen: S[] = [];
  for (;;) {
    seen.push(look());
    const step = work.next();
    if (step.done) return { seen, result: step.value };
  }
}

test("a long insert and its commit show nothing before their end", () => {
  const set = new PrefixSetStore();
  const table = set.lookup();
  atOnce(stageInsert(set, [{ p: "192.0.2.0/24", v: 7 }], dialect()));
  const insert = watched(stageInsert(set, entries(10_000), dialect()), () => set.staged.size);
  expect(insert.seen.slice(0, 21)).toEqual(Array(21).fill(1));
  expect(new Set(insert.seen.slice(21))).toEqual(new Set([10_001]));
  const commit = watched(set.commit()(), () => [set.applied.size, table.size, set.staged.size]);
  expect(commit.seen.length).toBeGreaterThan(60);
  expect(new Set(commit.seen.map(String))).toEqual(new Set(["0,0,10001"]));
  expect([set.applied.size, table.size, commit.result.size]).toEqual([10_001, 10_001, 10_001]);
  expect(commit.result.inserted).toEqual({ "192.0.2.0/24": 7, ...asRecord(entries(10_000)) });
});

test("a long insert that is refused at its end leaves nothing", () => {
  const set = new PrefixSetStore();
  const refusal = atOnce(stageInsert(set, [...entries(2_000), { p: "nowhere", v: 1 }], dialect()));
  expect(refusal).toMatchObject({ why: "refusedEntry", message: expect.stringContaining("entry 2000") });
  expect(set.changes.size).toBe(0);
});

test("what somebody changes at the console while a long commit is under way is not lost", () => {
  const set = new PrefixSetStore(new Map());
  set.lookup();
  atOnce(stageInsert(set, entries(5_000), dialect()));
  const work = set.commit()();
  work.next();
  set.change(new Map(entries(1).map(({ p }) => [p as never, 99])));
  set.change(new Map([["203.0.113.0/24" as never, 5]]));
  const { changed, size } = atOnce(work);
  expect({ changed, size }).toEqual({ changed: { "10.0.0.0/32": { from: 99, to: 1 } }, size: 5_001 });
  expect(set.content().applied).toEqual({ ...asRecord(entries(5_000)), "203.0.113.0/24": 5 });
  expect(set.lookup().size).toBe(5_001);
});

test("a list stays in order after changes, IPv4 before IPv6, and shows the last commit", () => {
  const set = new PrefixSetStore(new Map(entries(3_000).map(({ p, v }) => [p as never, v])));
  const first = [...set.ordered.keys()];
  set.change(
    new Map(["2001:db8::/32", "10.0.0.0/8", "10.0.0.0/31"].map((text) => [text as never, 1])).set(
      first[5] as never,
      null as never,
    ),
  );
  expect([...set.ordered.keys()].slice(0, 3)).toEqual(["10.0.0.0/8", "10.0.0.0/31", "10.0.0.0/32"]);
  expect([...set.ordered.keys()].at(-1)).toBe("2001:db8::/32");
  expect(set.ordered.has(first[5] as never)).toBe(false);
  expect([...set.previous.keys()]).toEqual(first);
});

const items = JSON.stringify(entries(4_000)).slice(1, -1);
const request = (data: string) => `{"url":"${BLOCKED}","cmd":"insert","data":${data}}`;
test.each([
  ["many items", request(`[${items}]`)],
  ["signs of structure in texts", request(`["]}[{,\\"\\\\",${items}, {"data":[1,[2]]}]`)],
  ["members behind them", `{ "data" : [ ${items} ] , "cmd": "insert", "x": [1, 2] }`],
  ["two of one name", `{"data":[${items}],"data":[1]}`],
  ["two spellings of one name", `{"d\\u0061ta":[1],"data":[${items}]}`],
  ["a blank between commas", request(`[${items}, ,${items}]`)],
  ["a comma at the end", request(`[${items},${items},]`)],
  ["another bracket at the end", request(`[${items}}`)],
  ["no end", request(`[${items}`)],
  ["a typographic quote", request(`[${items},“a”]`)],
  ["an item that is none", request(`[${items},{"p"},${items}]`)],
  ["a byte order mark", `\ufeff${request(`[${items}]`)}`],
  ["no object around", `[[${items}]]`],
])("a body with %s means the same when it is read in slices", (_, source) => {
  const outcome = (read: (body: Buffer) => unknown) => {
    try {
      return read(Buffer.from(source));
    } catch (error) {
      return String(error);
    }
  };
  const whole = outcome(parseJson);
  expect(outcome((body) => atOnce(parseJsonInSlices(body, "data")))).toEqual(whole);
});

test("a body that is not UTF-8 in its middle is refused as such", () => {
  const body = Buffer.from(request(`[${items},"x",${items}]`));
  body[body.indexOf('"x"') + 1] = 0xff;
  expect(() => atOnce(parseJsonInSlices(body, "data"))).toThrow("the body is not UTF-8");
});

test("requests of one resource pass one after the other, those of others beside them", async () => {
  const turnstile = new Turnstile();
  const passed: string[] = [];
  const enter = (name: string, key: string | undefined) => {
    const { turn, leave } = turnstile.enter(key);
    void turn.then(() => passed.push(name));
    return leave;
  };
  const leaves = [enter("a1", "a"), enter("a2", "a"), enter("b1", "b"), enter("?", undefined), enter("b2", "b")];
  const after: string[][] = [];
  for (const leave of leaves) {
    await Promise.resolve();
    after.push([...passed]);
    leave();
  }
  await Promise.resolve();
  expect(after).toEqual([
    ["a1", "b1"],
    ["a1", "b1", "a2"],
    ["a1", "b1", "a2"],
    ["a1", "b1", "a2", "?"],
    ["a1", "b1", "a2", "?", "b2"],
  ]);
  expect(turnstile.isFree).toBe(true);
});

test("work in a line begins at once when nobody is before it, and goes on behind work that failed", async () => {
  const line = new Line();
  expect(line.run(() => 1)).toBe(1);
  const failed = line.run(() => Promise.reject(new Error("first")));
  const second = line.run(() => "second");
  await expect(failed).rejects.toThrow("first");
  expect(await second).toBe("second");
  expect(line.run(() => 3)).toBe(3);
});

test("pipelined commands of one set keep their order, and another set is answered meanwhile", async () => {
  await using emulator = await startEmulator({
    state: { arenas: { edge: { sets: { blocked: { "192.0.2.0/24": 1 }, other: {} } } } },
  });
  const { hostname, port } = new URL(emulator.endpoint);
  const raw = (command: object) => {
    const body = JSON.stringify(command);
    const head = `POST /fapi HTTP/1.1\r\nhost: node\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
    return `${head}\r\n\r\n${body}`;
  };
  const socket = connect(Number(port), hostname);
  const data = entries(20_000);
  const commands = [
    { url: BLOCKED, cmd: "insert", data },
    { url: BLOCKED, cmd: "delete", data: [{ a: "10.0.0.1" }, { a: "192.0.2.0/24" }] },
    { url: `${BLOCKED}/`, cmd: "commit" },
    { url: BLOCKED, cmd: "list" },
  ];
  socket.write(commands.map(raw).join(""));
  let answers = "";
  const whole = new Promise<void>((resolve) => {
    socket.on("data", (part) => {
      answers += part;
      if (answers.endsWith("\r\n0\r\n\r\n")) resolve();
    });
  });
  while (emulator.journal.length === 0) await fapi(emulator, { url: "prefixset://edge/other", cmd: "list" });
  await whole;
  socket.destroy();
  expect(emulator.requests({ url: BLOCKED }).map(({ cmd, status }) => [cmd, status])).toEqual([
    ["insert", 200],
    ["delete", 200],
    ["commit", 200],
    ["list", 200],
  ]);
  const { "10.0.0.1/32": _, ...rest } = asRecord(data);
  expect(emulator.prefixSet(BLOCKED).applied).toEqual(rest);
  expect(emulator.requests({ cmd: "commit" })[0]?.commit).toMatchObject({
    removed: { "192.0.2.0/24": 1 },
    size: 19_999,
  });
});

test("a set that its first insert makes is there for whoever asks behind that insert", async () => {
  await using emulator = await startEmulator({ dialect: { unknownSet: "made" } });
  const url = "prefixset://edge/new";
  const [, , list] = await Promise.all([
    fapi(emulator, { url, cmd: "insert", data: entries(6_000) }),
    fapi(emulator, { url, cmd: "insert", data: [{ p: "192.0.2.0/24", v: 1 }] }),
    fapi(emulator, { url: "prefixset://edge/absent", cmd: "list" }),
  ]);
  expect(emulator.prefixSet(url).staged).toMatchObject({ "10.0.0.9/32": 1, "192.0.2.0/24": 1 });
  expect(list.status).toBe(404);
});

test("a long list is encoded once for all its readers, and no faster than each of them reads", async () => {
  const listed = new PrefixSetStore(new Map(entries(9_000).map(({ p, v }) => [p as never, v]))).ordered;
  const reply = listSet(listed, new Map(), dialect());
  const again = listSet(listed, new Map(), dialect());
  expect(again.body).toBe(reply.body);
  const written: Buffer[] = [];
  const response = Object.assign(new EventEmitter(), {
    destroyed: false,
    writeHead: () => {},
    write: (chunk: Buffer) => written.push(chunk) < 0,
    end: (chunk: Buffer) => written.push(chunk),
  });
  const sent = send(response as unknown as ServerResponse, reply);
  const counts: number[] = [];
  for (let drains = 0; drains < 4; drains += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    counts.push(written.length);
    response.emit("drain");
  }
  await sent;
  expect(counts).toEqual([1, 2, 3, 4]);
  expect(JSON.parse(Buffer.concat(written).toString())).toEqual({ data: entries(9_000) });
  const shared = [...(again.body as Iterable<Buffer>)];
  expect(shared.every((chunk, at) => chunk === written[at])).toBe(true);
  const keyed = listSet(listed, new Map(), dialect({ listEnvelope: "keyed" }));
  expect(JSON.parse(Buffer.concat([...(keyed.body as Iterable<Buffer>)]).toString())).toEqual(asRecord(entries(9_000)));
});
