import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { dialect } from "../../provider/emulator/behaviour/dialect";
import { send } from "../../provider/emulator/http/reply";
import { parseJson } from "../../provider/emulator/http/request";
import { stage } from "../../provider/emulator/node/prefix-set-commands";
import { listSet } from "../../provider/emulator/node/set-list";
import { PrefixSetStore } from "../../provider/emulator/state/prefix-set-store";
import { fapi } from "./calls";

const BLOCKED = "prefixset://edge/blocked";
const entries = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    p: `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}/32`,
    v: 1 + (at % 9),
  }));
const asRecord = (data: { p: string; v: number }[]) => Object.fromEntries(data.map(({ p, v }) => [p, v]));

test("what is changed at the console while a late commit is under way is not lost", () => {
  const set = new PrefixSetStore(new Map());
  set.lookup();
  stage("insert", set, entries(5_000), dialect());
  const apply = set.commit();
  set.change(new Map(entries(1).map(({ p }) => [p as never, 99])));
  set.change(new Map([["203.0.113.0/24" as never, 5]]));
  const { changed, size } = apply();
  expect({ changed, size }).toEqual({ changed: { "10.0.0.0/32": { from: 99, to: 1 } }, size: 5_001 });
  expect(set.content().applied).toEqual({ ...asRecord(entries(5_000)), "203.0.113.0/24": 5 });
  expect(set.lookup().size).toBe(5_001);
});

test("a list stays in order after changes, IPv4 before IPv6, and shows the last commit", () => {
  const set = new PrefixSetStore(new Map(entries(3_000).map(({ p, v }) => [p as never, v])));
  const prefixes = (entries: typeof set.ordered) => entries.map(([prefix]) => prefix);
  const first = prefixes(set.ordered);
  set.change(
    new Map(["2001:db8::/32", "10.0.0.0/8", "10.0.0.0/31"].map((text) => [text as never, 1])).set(
      first[5] as never,
      null as never,
    ),
  );
  expect(prefixes(set.ordered).slice(0, 3)).toEqual(["10.0.0.0/8", "10.0.0.0/31", "10.0.0.0/32"]);
  expect(prefixes(set.ordered).at(-1)).toBe("2001:db8::/32");
  expect(prefixes(set.ordered)).not.toContain(first[5]);
  expect(prefixes(set.previous)).toEqual(first);
});

const items = JSON.stringify(entries(4_000)).slice(1, -1);
const request = (data: string) => `{"url":"${BLOCKED}","cmd":"insert","data":${data}}`;
test("a body that is not UTF-8 in its middle is refused as such", () => {
  const body = Buffer.from(request(`[${items},"x",${items}]`));
  body[body.indexOf('"x"') + 1] = 0xff;
  expect(() => parseJson(body)).toThrow("the body is not UTF-8");
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
      if (answers.endsWith("]}")) resolve();
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

test("a set that its first insert makes is there for the requests behind it", async () => {
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

test("a long list is encoded once for all its readers", () => {
  const listed = new PrefixSetStore(new Map(entries(9_000).map(({ p, v }) => [p as never, v]))).ordered;
  const [form, spellings] = [dialect(), new Map()];
  const url = { kind: "prefixset", arena: "edge", set: "blocked" } as const;
  const reply = listSet(listed, spellings, url, form);
  expect(listSet(listed, spellings, url, form).body).toBe(reply.body);
  expect(JSON.parse(String(reply.body))).toEqual({ data: entries(9_000) });
  const keyed = listSet(listed, spellings, url, dialect({ listEnvelope: "keyed" }));
  expect(JSON.parse(String(keyed.body))).toEqual(asRecord(entries(9_000)));
});

test("a body that is made while it is sent is made no faster than its reader takes it", async () => {
  const chunks = ["a", "b", "c", "d"].map((text) => Buffer.from(text));
  const written: Buffer[] = [];
  const response = Object.assign(new EventEmitter(), {
    destroyed: false,
    writeHead: () => {},
    write: (chunk: Buffer) => written.push(chunk) < 0,
    end: (chunk: Buffer) => written.push(chunk),
  });
  const body = { [Symbol.iterator]: () => chunks.values() };
  const sent = send(response as unknown as ServerResponse, { status: 200, body });
  const counts: number[] = [];
  for (let drains = 0; drains < 4; drains += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    counts.push(written.length);
    response.emit("drain");
  }
  await sent;
  expect(counts).toEqual([1, 2, 3, 4]);
  expect(written).toEqual(chunks);
});
