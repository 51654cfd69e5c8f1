import { expect, test } from "vitest";
import { NodeClient, Prefix, type PrefixSetUrl, parseUrl } from "../../provider/client";
import { connectEmulator, startEmulator, synFlood } from "../../provider/emulator";
import { BLOCKED } from "./calls";

const COPY = "prefixset://edge/copy";
const state = {
  arenas: {
    edge: {
      sets: { blocked: { "192.0.2.0/24": 3, "2001:db8::/32": 1 }, copy: {} },
      profiles: { web: { prefixes: ["198.51.100.0/24"] } },
    },
  },
};

test("what a list of a node and a parser of prefixes give are arguments of an emulator, here and from afar", async () => {
  await using emulator = await startEmulator({ state });
  await using remote = await connectEmulator(emulator.control);
  const node = new NodeClient({ endpoint: emulator.endpoint });
  const listed = await node.listPrefixSet(parseUrl(BLOCKED) as PrefixSetUrl);
  await node.close();

  emulator.change(COPY, { insert: listed });
  expect(emulator.prefixSet(COPY).applied).toEqual({ "192.0.2.0/24": 3, "2001:db8::/32": 1 });

  const one = Prefix.parse("203.0.113.7");
  await remote.change(COPY, { insert: [one, ["203.0.113.8", 2]], delete: listed.map(({ prefix }) => prefix) });
  expect(emulator.prefixSet(COPY).applied).toEqual({ "203.0.113.7/32": 1, "203.0.113.8/32": 2 });
  await remote.change(COPY, { insert: new Map([[one, { value: 4 }]]) });
  expect(emulator.prefixSet(COPY).applied).toMatchObject({ "203.0.113.7/32": 4 });

  const inside = Prefix.parse("198.51.100.9");
  expect([emulator.boundProfile(inside), await remote.boundProfile(inside)]).toEqual([
    "profile://edge/web",
    "profile://edge/web",
  ]);
  expect(await emulator.receiveTraffic(synFlood({ to: [inside], seed: 1 }), 3)).toMatchObject({ packets: 3 });
  expect(await remote.traffic({ kind: "synFlood", to: [inside], count: 3 })).toMatchObject({ packets: 3 });

  await fetch(`${emulator.endpoint}/fapi`, {
    method: "POST",
    body: JSON.stringify({ url: BLOCKED, cmd: "delete", data: [{ a: "192.0.2.0/24" }] }),
  });
  const covered = Prefix.parse("192.0.2.1");
  expect(emulator.requests({ contains: covered }).map(({ cmd }) => cmd)).toEqual(["delete"]);
  expect((await remote.expectRequests({ contains: covered }, 1)).map(({ cmd }) => cmd)).toEqual(["delete"]);
});

test("a state has what a list of a node gives as the entries of its sets", async () => {
  await using emulator = await startEmulator({ state });
  const node = new NodeClient({ endpoint: emulator.endpoint });
  const blocked = await node.listPrefixSet(parseUrl(BLOCKED) as PrefixSetUrl);
  await node.close();
  const copy = {
    arenas: { core: { sets: { blocked }, profiles: { web: { sets: { own: [Prefix.parse("192.0.2.7")] } } } } },
  };
  const held = {
    core: {
      sets: { blocked: { "192.0.2.0/24": 3, "2001:db8::/32": 1 } },
      profiles: { web: { sets: { own: { "192.0.2.7/32": 1 } } } },
    },
  };
  await using started = await startEmulator({ state: copy });
  await using remote = await connectEmulator(started.control);
  await using isolated = await remote.isolated({ label: "copy", state: copy });
  await remote.seed({ arenas: {} });
  expect(await isolated.state()).toMatchObject({ arenas: held });
  expect(started.state().arenas).toEqual({});
  await remote.seed(copy);
  expect(started.state()).toMatchObject({ arenas: held });
  await expect(startEmulator({ state: { arenas: { core: { sets: { blocked: ["192.0.2.1/24"] } } } } })).rejects.toThrow(
    "arenas.core.sets.blocked.192.0.2.1/24",
  );
});

test("what is none of the forms is refused as it was given", async () => {
  await using emulator = await startEmulator({ state });
  const change = (changes: object) => () => emulator.change(COPY, changes);
  expect(change({ insert: "192.0.2.0/24" })).toThrow("change(): insert: must be an object, not a text.");
  expect(change({ insert: [{ prefix: "192.0.2.0/24", value: "high" }] })).toThrow(
    "change(): insert.192.0.2.0/24: must be a number, not a text.",
  );
  expect(change({ delete: "192.0.2.0/24" })).toThrow("change(): delete: must be an array, not a text.");
  expect(() => emulator.signal("client-a", { start: [4 as never] })).toThrow(
    "signal(): start.0: must be a text, not 4.",
  );
});

test("what a test changes in its state object after the start does not come with a reset, or to an isolated emulator", async () => {
  const own = structuredClone(state);
  await using emulator = await startEmulator({ state: own });
  Object.assign(own.arenas.edge.sets.copy, { "203.0.113.0/24": 9 });
  emulator.reset();
  await using isolated = await emulator.isolated({ label: "copy" });
  expect([emulator, isolated].map((each) => each.prefixSet(COPY).applied)).toEqual([{}, {}]);
});
