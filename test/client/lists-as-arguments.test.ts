import { expect, it } from "vitest";
import { NodeClient, Prefix, SignalingClient } from "../../provider/client";
import { startEmulator } from "../../provider/emulator";
import { aggregatePrefixes, countAddresses } from "../../provider/prefixes";

const BLOCKED = { kind: "prefixset", arena: "edge", set: "blocked" } as const;
const COPY = { kind: "prefixset", arena: "edge", set: "copy" } as const;
const held = { "192.0.2.0/25": 1, "192.0.2.128/25": 1, "2001:db8::/32": 7 };

it("what a node lists is inserted elsewhere, calculated with, and deleted, as it is", async () => {
  await using emulator = await startEmulator({ state: { arenas: { edge: { sets: { blocked: held, copy: {} } } } } });
  const client = new NodeClient({ endpoint: emulator.endpoint });
  const list = await client.listPrefixSet(BLOCKED);
  await client.insert(COPY, list);
  await client.commit(COPY);
  expect(emulator.prefixSet("prefixset://edge/copy").applied).toEqual(held);
  expect(Object.keys(aggregatePrefixes(list))).toEqual(["192.0.2.0/24", "2001:db8::/32"]);
  expect(countAddresses(list).ipv4).toBe(256n);
  await client.delete(COPY, await client.listPrefixSet(COPY));
  await client.insert(COPY, new Map([[Prefix.parse("203.0.113.7"), 2]]));
  await client.commit(COPY);
  expect(emulator.prefixSet("prefixset://edge/copy").applied).toEqual({ "203.0.113.7/32": 2 });
  await client.close();
});

it("a wrong entry is refused by its place, and nothing is sent", async () => {
  await using emulator = await startEmulator({ state: { arenas: { edge: { sets: { blocked: {} } } } } });
  const client = new NodeClient({ endpoint: emulator.endpoint });
  for (const [entries, message] of [
    [["192.0.2.0/24", { prefix: 7 }], "`entries[1]` is not a text with a prefix in it."],
    [
      [{ prefix: "192.0.2.0/24", value: "1" }],
      "Entry 192.0.2.0/24: the value 1 is not an integer from 0 to 4294967295.",
    ],
    ["192.0.2.0/24", "`entries` is neither an array of prefixes nor an object with prefixes as keys."],
    [{ "192.0.2.0/24": { vlaue: 7 } }, 'Entry 192.0.2.0/24: "vlaue" is no member of an entry.'],
    [{ "192.0.2.0/24": null }, "Entry 192.0.2.0/24: the value null is not an integer"],
    [{ "192.0.2.1": 1, "192.0.2.1/32": 2 }, "Entry 192.0.2.1/32 stands twice, with the values 1 and 2."],
  ] as const) {
    await expect(client.insert(BLOCKED, entries as never)).rejects.toThrow(message);
  }
  for (const [entries, message] of [
    [[7], "`entries[0]` is neither a text, a prefix nor"],
    [{ "192.0.2.0/24": 1 }, "`entries` is not a list: give an array"],
    ["192.0.2.0/24", "`entries` is not a list: give an array"],
  ] as const)
    await expect(client.delete(BLOCKED, entries as never)).rejects.toThrow(message);
  for (const url of [
    { ...BLOCKED, profle: "web" },
    { arena: "edge", set: "blocked" },
    { kind: "arena", arena: "edge" },
    { ...BLOCKED, set: undefined },
    { ...BLOCKED, arena: "a/b" },
    "prefixset://edge/blocked",
    null,
  ])
    await expect(client.listPrefixSet(url as never)).rejects.toThrow(TypeError);
  await expect(client.listProfiles("edge/web")).rejects.toThrow("has for arena a name that contains");
  await expect(client.listMarks("edge", "web", "shost", { userArena: "a\nb" })).rejects.toThrow(
    "`userArena` has characters that no header can carry.",
  );
  expect(emulator.journal).toEqual([]);
  await client.insert(BLOCKED, ["192.0.2.1", "192.0.2.1/32"]);
  expect(emulator.prefixSet("prefixset://edge/blocked").staged).toEqual({ "192.0.2.1/32": 1 });
  await client.close();
  await expect(client.commit(BLOCKED)).rejects.toThrow("The client is closed: make a new one for further requests.");
  await client.close();
});

it("what is active is started and stopped again as a status returns it, and texts are parsed", async () => {
  await using emulator = await startEmulator();
  const [client] = emulator.clients;
  if (!client) throw new Error("The emulator has a client.");
  const { clientId, secretKey } = client;
  const signaling = new SignalingClient({ url: emulator.signalingUrl, clientId, secretKey });
  expect(await signaling.ensureActive(["198.51.100.7"])).toMatchObject({ already: [] });
  const active = await signaling.status();
  await signaling.stop(active);
  await signaling.start(active);
  expect((await signaling.status()).map(String)).toEqual(["198.51.100.7/32"]);
  await expect(signaling.start(["198.51.100.7/24"])).rejects.toThrow("host bits");
  for (const prefixes of [{}, undefined, [5], "198.51.100.7"])
    await expect(signaling.stop(prefixes as never)).rejects.toThrow(/^`prefixes/);
  expect((await signaling.ensureInactive(new Set(active))).stopped.map(String)).toEqual(["198.51.100.7/32"]);
  await signaling.close();
});
