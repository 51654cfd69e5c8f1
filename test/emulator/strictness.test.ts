import { expect, test } from "vitest";
import { type DialectSettings, type Emulator, startEmulator } from "../../provider/emulator";
import { EDGE, fapi, signaling } from "./calls";

const state = {
  arenas: { edge: { sets: { blocked: {} }, profiles: { web: {}, mail: {} } } },
  signaling: {
    clients: [{ clientId: "c1", secretKey: "s1", prefixes: ["198.51.100.0/24", "2001:db8::/32"] }],
  },
};
const start = (dialect: DialectSettings = {}) => startEmulator({ state, dialect });
const CLIENT = { clientId: "c1", secretKey: "s1" };

const marks = (emulator: Emulator, type: string, profile = "web") =>
  fapi(emulator, { url: `mark://edge/${profile}`, cmd: "list", type }, EDGE);
const signal = (emulator: Emulator, op: "start" | "stop", prefix: string) =>
  signaling(emulator.signalingUrl, CLIENT, op, [prefix]);

test("a list of marks names some arena; of which, only a strict node asks", async () => {
  await using emulator = await start();
  const list = { url: "mark://edge/web", cmd: "list", type: "shost" };
  const statuses = async (userArena: DialectSettings["userArena"]) => {
    emulator.setDialect({ userArena });
    const headers = [{}, { "user-arena": "core" }, EDGE];
    return Promise.all(headers.map(async (header) => (await fapi(emulator, list, header)).status));
  };
  expect(await statuses(undefined)).toEqual([400, 200, 200]);
  expect(await statuses("ignored")).toEqual([200, 200, 200]);
  expect(await statuses("required")).toEqual([400, 400, 200]);
});

test("lists of marks that come too soon are noted, by table", async () => {
  await using emulator = await start();
  emulator.clock.freeze();
  const lists = [
    await marks(emulator, "shost"),
    await marks(emulator, "dhost"),
    await marks(emulator, "shost", "mail"),
    await marks(emulator, "shost"),
  ];
  emulator.clock.advance("2999ms");
  lists.push(await marks(emulator, "shost"));
  emulator.clock.advance("3s");
  lists.push(await marks(emulator, "shost"));
  expect(lists.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  const noted = emulator.journal.map(({ tooSoon }) => tooSoon);
  expect(noted).toEqual([undefined, undefined, undefined, true, true, undefined]);
});

test("two lists of one table at the same time are one too many", async () => {
  await using emulator = await startEmulator({ state, latency: "1ms" });
  await Promise.all([marks(emulator, "conn"), marks(emulator, "conn")]);
  expect(emulator.journal.map(({ tooSoon }) => tooSoon).filter(Boolean)).toEqual([true]);
});

test.each(["table", "node"] as const)("the pace by %s is refused with the time to wait", async (markPace) => {
  await using emulator = await start({ markPace });
  emulator.clock.freeze();
  await marks(emulator, "shost");
  emulator.clock.advance("1500ms");
  expect((await marks(emulator, "dhost")).status).toBe(markPace === "node" ? 429 : 200);
  const headers = { "content-type": "application/json", ...EDGE };
  const body = JSON.stringify({ url: "mark://edge/web", cmd: "list", type: "shost" });
  const refused = await fetch(`${emulator.endpoint}/fapi`, { method: "POST", headers, body });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "2"]);
  expect(await refused.json()).toEqual({ error: "too soon: two lists of marks must be 3 s apart" });
  emulator.clock.advance("1500ms");
  expect((await marks(emulator, "shost")).status).toBe(200);
  expect(emulator.journal.filter(({ tooSoon }) => tooSoon).map(({ status }) => status)).toEqual(
    markPace === "node" ? [429, 429] : [429],
  );
});

test("start and stop take single addresses with their length, and without it where a node does", async () => {
  await using emulator = await start();
  expect((await signal(emulator, "start", "198.51.100.7")).text).toBe("ip_prefix invalid");
  expect((await signal(emulator, "start", "2001:db8::7")).text).toBe("ip_prefix invalid");
  expect((await signal(emulator, "start", "2001:db8::7/128")).text).toBe("ok");
  emulator.setDialect({ signalingAddress: "any" });
  expect((await signal(emulator, "start", "198.51.100.7")).text).toBe("ok");
  expect((await signal(emulator, "stop", "2001:db8::7")).text).toBe("ok");
  expect(emulator.signalings).toEqual({ c1: ["198.51.100.7/32"] });
});

test("a receiver may know IPv4 only, registered prefixes only, or no overlaps", async () => {
  await using emulator = await start({ signalingIpv6: "error" });
  expect((await signal(emulator, "start", "2001:db8::/64")).text).toBe("ip_prefix invalid");
  emulator.setDialect({ signalingPrefixes: "registered" });
  expect((await signal(emulator, "start", "198.51.100.7/32")).text).toBe("ip_prefix invalid");
  expect((await signal(emulator, "start", "198.51.100.0/24")).text).toBe("ok");
  emulator.setDialect({ signalingOverlap: "invalid" });
  expect((await signal(emulator, "start", "198.51.100.7/32")).text).toBe("ip_prefix invalid");
  expect((await signal(emulator, "start", "2001:db8::/64")).text).toBe("ok");
  expect((await signal(emulator, "start", "2001:db8::/32")).text).toBe("ip_prefix invalid");
  expect((await signal(emulator, "start", "2001:db8::/64")).text).toBe("cloud signaling already active");
  expect(emulator.signalings).toEqual({ c1: ["198.51.100.0/24", "2001:db8::/64"] });
});
