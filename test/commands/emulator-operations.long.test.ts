import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { isDescribed } from "../../provider/emulator/control/openapi";
import { OPERATIONS } from "../../provider/emulator/control/operations";
import { fapi, signaling } from "../emulator/calls";
import { useFolder } from "../support/folder";
import { run, type Surroundings } from "./support";

const BLOCKED = "prefixset://edge/blocked";
const folder = useFolder();

const STATE = {
  arenas: {
    edge: {
      sets: { blocked: { "192.0.2.0/24": 1 } },
      profiles: {
        web: {
          prefixes: ["198.51.100.0/24"],
          rules: [
            { id: 5, name: "blocked", match: [{ set: { name: "blocked" } }], actions: ["drop" as const] },
            { id: 6, match: [{ protocol: "tcp" as const }], actions: [{ hmark: { add: 1, lifetime: 60 } }] },
          ],
        },
      },
    },
  },
};

/** Calls one emulator again and again: what is printed, or the exit code with what went wrong. */
async function started() {
  const emulator = await startEmulator({ state: STATE });
  emulator.clock.freeze("2026-12-01T10:00:00Z");
  const env = { PACKETFILTER_EMULATOR_CONTROL: emulator.control };
  const call = async (line: string, more: Surroundings = {}) => {
    const { code, out, err } = await run(["emulator", ...line.split(" ")], { env, ...more });
    return code === 0 ? out : `${code}: ${err}`;
  };
  return { emulator, call, json: async (line: string) => JSON.parse(await call(`${line} --output json`)) };
}

test("expect prints the requests that were expected, and ends with 1 where they are not", async () => {
  const { emulator, call, json } = await started();
  await using _ = emulator;
  await fapi(emulator, { url: BLOCKED, cmd: "insert", data: [{ p: "203.0.113.0/24", v: 7 }] });
  await fapi(emulator, { url: BLOCKED, cmd: "commit" });
  const [inserted, committed] = [
    `#0 10:00:00.000 node insert ${BLOCKED} (1) -> 200, 15 bytes\n`,
    `#1 10:00:00.000 node commit ${BLOCKED} -> 200, 15 bytes, applied +1 -0 ~0, 2 after\n`,
  ];
  expect(await call("expect cmd=commit status=200")).toBe(committed);
  expect(await call("expect contains=203.0.113.9 --count 1")).toBe(inserted);
  expect(await call("expect cmd=insert then cmd=commit status=200")).toBe(inserted + committed);
  expect(await call("expect cmd=commit --within 1s --since 1")).toBe(committed);
  expect(await call("expect cmd=delete --max 0")).toBe("");
  expect(await json("expect api=node --min 2 --max 3")).toEqual(emulator.journal);

  expect(await call("expect cmd=commit --count 2")).toBe(
    `1: Expected 2 requests with cmd "commit"; 1 came.\nNearest:\n  ${inserted.trim()}: cmd is "insert"\n`,
  );
  expect(await call("expect cmd=commit then cmd=insert")).toMatch(/^1: Expected requests in this order:\n/);
  expect(await call("expect op=start --within 1ms")).toMatch(/^1: Waited for a request with op "start"; none was /);
  emulator.fail({ cmd: "list", status: 503 });
  expect(await call("expect cmd=commit --faults-met")).toMatch(/^1: A fault was never met:\n {2}fault 1 /);
  await fapi(emulator, { url: BLOCKED, cmd: "list" });
  expect(await call("expect --faults-met")).toBe("");
  expect(await call("fail --remove 1")).toBe("0 faults\n");
  expect(await call("fail --remove 1")).toBe("1: There is no fault 1.\n");
});

test("the clock stands still, goes forward and runs again", async () => {
  const { emulator, call, json } = await started();
  await using _ = emulator;
  expect(await call("clock")).toBe("2026-12-01T10:00:00.000Z, standing still\n");
  expect(await call("clock --advance 1h")).toBe("2026-12-01T11:00:00.000Z, standing still\n");
  expect(await json("clock --freeze 2027-01-01T00:00:00Z --advance 2s")).toEqual({
    now: "2027-01-01T00:00:02.000Z",
    frozen: true,
  });
  expect(await json("clock --resume")).toMatchObject({ frozen: false });
  expect(await json("clock --freeze")).toMatchObject({ frozen: true });
  expect(emulator.clock.frozen).toBe(true);
});

test("a dialect is set by name, by switches and by file, and printed as a file that sets it again", async () => {
  const { emulator, call, json } = await started();
  await using _ = emulator;
  expect(await call("dialect")).toBe("All switches have their defaults.\n");
  expect(await call("dialect prefixKey=net maxEntriesPerRequest=100")).toBe(
    `switch                setting
prefixKey             net
maxEntriesPerRequest  100

All other switches have their defaults.
`,
  );
  const set = emulator.dialect;
  expect(set).toMatchObject({ prefixKey: "net", maxEntriesPerRequest: 100 });
  const file = join(folder, "node.json");
  await writeFile(file, await call("dialect --output json"));
  expect(await json("dialect small")).toMatchObject({
    deviations: { maxEntriesPerRequest: 100, maxBodyBytes: 16_384 },
  });
  expect(await json(`dialect ${file}`)).toEqual({
    dialect: set,
    deviations: { prefixKey: "net", maxEntriesPerRequest: 100 },
  });
  expect(await call("dialect default")).toBe("All switches have their defaults.\n");
});

test("a set is changed and signaling started behind the backs of clients", async () => {
  const { emulator, call, json } = await started();
  await using _ = emulator;
  expect(await call(`change ${BLOCKED} --insert 203.0.113.0/24=7 2001:db8::/32=8 --delete 192.0.2.0/24`)).toBe(
    `${BLOCKED}: 2 entries.\n`,
  );
  await fapi(emulator, { url: BLOCKED, cmd: "delete", data: [{ a: "203.0.113.0/24" }] });
  expect(await call(`change ${BLOCKED}`)).toBe(
    `prefix          applied  staged
203.0.113.0/24        7        
2001:db8::/32         8       8

${BLOCKED}: 2 entries.
`.replace(/ +$/gm, ""),
  );
  expect(await json(`change ${BLOCKED}`)).toEqual(emulator.prefixSet(BLOCKED));

  expect(await call("signal client-a --start 198.51.100.7 198.51.100.9/32")).toBe(
    `api        client    prefix
signaling  client-a  198.51.100.7/32
signaling  client-a  198.51.100.9/32

2 prefixes are active.
`,
  );
  expect(await json("signal client-a --stop 198.51.100.9")).toEqual({
    signalings: emulator.signalings,
    testSignalings: emulator.testSignalings,
  });
  const [client] = emulator.clients;
  expect((await signaling(emulator.signalingUrl, client, "status")).json).toEqual({ IP_prefix: ["198.51.100.7/32"] });
  expect(emulator.journal.map(({ cmd, op }) => cmd ?? op)).toEqual(["delete", "status"]);
});

test("packets arrive one by one, from a file and as traffic, and leave marks", async () => {
  const { emulator, call, json } = await started();
  await using _ = emulator;
  expect(await call("packets from=192.0.2.9 to=198.51.100.7 proto=tcp dport=443 flags=syn,ack")).toBe(
    `packet  verdict  profile             rule     marks
     0  drop     profile://edge/web  blocked

1 packet, 1 dropped.
`,
  );
  const packet = { from: "203.0.113.9", to: "198.51.100.7", proto: "tcp", count: 3 };
  const file = join(folder, "packets.json");
  await writeFile(file, JSON.stringify([packet, { ...packet, from: "203.0.113.8" }]));
  const verdict = (value: number) => ({
    verdict: "accept",
    profile: "profile://edge/web",
    marks: [{ type: "shost", id: 6, value }],
  });
  expect(await json(`packets --file ${file}`)).toEqual([verdict(3), verdict(3)]);
  const stdin = (async function* () {
    yield JSON.stringify([packet]);
  })();
  expect(JSON.parse(await call("packets --file - --output json", { stdin }))).toEqual([verdict(6)]);
  expect(await call("marks profile://edge/web shost")).toBe(
    `address      id  value  lifetime  age
203.0.113.9   6      6        60    0
203.0.113.8   6      3        60    0

2 active, 0 expired.
`,
  );
  expect(await json("marks profile://edge/web shost --limit 1")).toEqual({
    active: 2,
    expired: 0,
    evicted: 0,
    refused: 0,
    records: [{ address: "203.0.113.9", id: 6, value: 6, lifetime: 60, age: 0 }],
  });
  expect(await call("marks profile://edge/web shost --limit 1")).toContain("2 active, 0 expired; 1 shown.");
  expect((await json("marks profile://edge/web shost --id 6 --contains 203.0.113.8")).records).toEqual([
    { address: "203.0.113.8", id: 6, value: 3, lifetime: 60, age: 0 },
  ]);

  const traffic = "packets --traffic kind=synFlood to=198.51.100.0/25,203.0.113.1 count=500 seed=3";
  expect(await call(traffic)).toMatch(
    /^packets 500\nbytes \d+\naccepted \d+\ndropped 0\nunbound \d+\nevicted 0\nrefused 0\n$/,
  );
  const { packets, unbound } = await json(traffic);
  expect([packets, unbound > 0 && unbound < 500]).toEqual([500, true]);
});

test("a journal is narrowed by every member of a request, and a run begins", async () => {
  const { emulator, call, json } = await started();
  await using _ = emulator;
  await fapi(emulator, { url: "mark://edge/web", cmd: "list", type: "shost" }, { "user-arena": "edge" });
  await signaling(emulator.testSignalingUrl, emulator.testClients[0], "status");
  expect(await call("journal --api test")).toMatch(/^#1 .*\n$/);
  expect(await call("journal --type shost --begin-run nightly")).toMatch(/^#0 .*\n$/);
  await signaling(emulator.signalingUrl, emulator.clients[0], "status");
  expect(await json("expect run=nightly")).toEqual([emulator.journal[2]]);
});

test("every operation of the control API has a command, but those for programs and pages", async () => {
  const { emulator, call } = await started();
  await using _ = emulator;
  const asked = new Set<string>();
  const { fetch } = globalThis;
  using spy = vi.spyOn(globalThis, "fetch").mockImplementation(async (url, init) => {
    const { pathname } = new URL(String(url));
    asked.add(
      `${init?.method ?? "GET"} ${pathname.replace(/^\/snapshots\/[^/]+/, "/snapshots/{name}").replace(/\d+$/, "{id}")}`,
    );
    return fetch(url, init);
  });
  const state = join(folder, "state.json");
  await writeFile(state, JSON.stringify(STATE));
  for (const line of [
    "reset",
    "state",
    `state ${state}`,
    "snapshot",
    "snapshot one",
    "snapshot one --restore",
    "snapshot one --delete",
    `change ${BLOCKED} --insert 203.0.113.0/24=7`,
    "signal client-a --start 198.51.100.7",
    "fail --clear cmd=commit status=503",
    "fail --remove 1",
    "clock --freeze",
    "dialect strict",
    "journal --clear --begin-run nightly",
    "journal --runs",
    "journal --har",
    "expect --max 0",
    "expect cmd=list then cmd=commit",
    "expect cmd=list --within 1ms",
    "expect --faults-met",
    "packets from=192.0.2.9 to=198.51.100.7 proto=tcp",
    "packets --traffic kind=synFlood to=198.51.100.7 count=1",
    "marks profile://edge/web shost",
    "wait --at",
    "stop --at",
  ]) {
    await call(line.endsWith("--at") ? `${line} ${emulator.control}` : line);
  }
  expect(spy).toHaveBeenCalled();
  const left = OPERATIONS.filter(isDescribed)
    .map(({ method, path }) => `${method} ${path}`)
    .filter((it) => !asked.has(it));
  expect(left).toEqual([
    "GET /metrics",
    "GET /openapi.json",
    "GET /state.schema.json",
    "GET /bound-profile",
    "GET /state.yaml",
    "GET /events",
    "GET /counters",
    "GET /emulators",
    "POST /emulators",
    "DELETE /emulators/{label}",
  ]);
});

test("the calls of the documentation are none of them wrong use", async () => {
  const { emulator, call } = await started();
  await using _ = emulator;
  const [, block = ""] =
    /^export PACKETFILTER_EMULATOR_CONTROL=.*\n([^`]*)```/m.exec(await readFile("docs/emulator.md", "utf8")) ?? [];
  const lines = block
    .trim()
    .split("\n")
    .map((line) => line.replace("npx pulumi-packetfilter emulator ", "").replace(/ > .*/, ""));
  expect(lines).toHaveLength(20);
  for (const line of lines)
    expect(await call(line.replace('"second up"', "second")), line).not.toMatch(/^2: (?!edge\.yaml: there is no)/);
});
