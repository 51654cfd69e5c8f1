import { describe, expect, it } from "vitest";
import { NodeClient, RequestError, SignalingClient } from "../../provider/client";
import { NodeMemories } from "../../provider/client/world";
import {
  type DialectName,
  type DialectSettings,
  deviations,
  type Emulator,
  singleSwitchDialects,
  startEmulator,
} from "../../provider/emulator";
import { GLOBAL, LOCAL, listed, prefixes, SECRET, STATE } from "./state";

interface Clients {
  readonly emulator: Emulator;
  readonly node: NodeClient;
  readonly signaling: SignalingClient;
}

/** Runs `use` against an emulator of that dialect. A failure names the switches that differ from the default. */
async function within(dialect: DialectName | DialectSettings, use: (clients: Clients) => Promise<void>): Promise<void> {
  await using emulator = await startEmulator({ state: STATE, dialect });
  // Pauses move the emulator's clock, so that delayed effects happen without waiting for them.
  const sleep = async (ms: number) => emulator.clock.advance(Math.ceil(ms));
  const monotonic = () => emulator.clock.ms;
  const memories = new NodeMemories();
  const node = new NodeClient({ endpoint: emulator.endpoint }, { sleep, monotonic, memories });
  const credentials = { url: emulator.signalingUrl, clientId: "c1", secretKey: SECRET };
  const signaling = new SignalingClient(credentials, { sleep, monotonic });
  try {
    await use({ emulator, node, signaling });
  } catch (error) {
    throw new Error(`With the dialect ${JSON.stringify(deviations(emulator.dialect))}: ${String(error)}`, {
      cause: error,
    });
  } finally {
    await Promise.all([node.close(), signaling.close()]);
  }
}

/** All fourteen operations, as a caller uses them who reads what the node lists and settles what it refuses. */
async function roundTrip({ emulator, node, signaling }: Clients): Promise<void> {
  for (const set of [GLOBAL, LOCAL]) {
    const before = await node.listPrefixSet(set);
    expect(listed(before)).toEqual({ "203.0.113.0/24": 7 });
    await node.insert(set, [
      ["192.0.2.1/32", 1],
      ["198.51.100.0/24", 200],
    ]);
    await node.delete(
      set,
      before.map(({ spelling }) => spelling),
    );
    await node.commit(set);
    emulator.clock.advance(1_000);
    const after = await node.listPrefixSet(set);
    expect(listed(after)).toEqual({ "192.0.2.1/32": 1, "198.51.100.0/24": 200 });

    await node.delete(
      set,
      after.map(({ spelling }) => spelling),
    );
    await node.commit(set);
    emulator.clock.advance(1_000);
    expect(await node.listPrefixSet(set)).toEqual([]);
  }

  expect((await node.listProfiles("edge")).map(({ name }) => name)).toEqual(["web", "clean", "guarded"]);
  expect(await node.listRules("edge", "web")).toMatchObject([{ id: 30, name: "count sources" }]);
  expect(await node.listMarks("edge", "web", "shost")).toMatchObject([{ address: "203.0.113.9", id: 30, value: 1234 }]);
  expect(await node.listMarks("edge", "web", "dhost")).toMatchObject([{ address: "2001:db8::7", id: 31 }]);
  const pair = { source: "203.0.113.9", destination: "198.51.100.7" };
  expect(await node.listMarks("edge", "web", "sdhost")).toMatchObject([{ ...pair, id: 32, value: 6 }]);
  const [connection] = await node.listMarks("edge", "web", "conn");
  expect(connection).toMatchObject({ ...pair, sourcePort: 4711, destinationPort: 443, id: 33 });
  expect(connection?.extra).toBeUndefined();
  expect(await node.listMarks("edge", "clean", "conn")).toEqual([]);

  const [first, second] = [prefixes("198.51.100.7"), prefixes("198.51.100.8/31")];
  await signaling.start(first);
  emulator.clock.advance(1_000);
  const wanted = [...first, ...second];
  expect(await signaling.ensureActive(wanted)).toEqual({ started: second, already: first });
  expect(emulator.signalings.c1?.toSorted()).toEqual(wanted.map(String).toSorted());
  expect(await signaling.ensureInactive(second)).toEqual({ stopped: second, already: [] });
  expect(await signaling.ensureInactive(wanted)).toEqual({ stopped: first, already: second });
  expect(await signaling.status()).toEqual([]);
}

/** Errors are errors in every dialect, and never an empty list. */
async function refusals({ node, signaling }: Clients): Promise<void> {
  await expect(node.listPrefixSet({ ...GLOBAL, set: "nowhere" })).rejects.toBeInstanceOf(RequestError);
  await expect(node.listRules("edge", "nowhere")).rejects.toBeInstanceOf(RequestError);
  await expect(node.commit({ ...GLOBAL, arena: "nowhere" })).rejects.toBeInstanceOf(RequestError);
  await expect(signaling.start(prefixes("192.0.2.1"))).rejects.toMatchObject({ reason: "prefix-invalid" });
  await expect(signaling.stop(prefixes("198.51.100.9"))).rejects.toMatchObject({ reason: "not-active" });
  await expect(signaling.ensureActive(prefixes("198.51.100.9", "192.0.2.1"))).rejects.toMatchObject({
    code: "signaling-incomplete",
    reason: "prefix-invalid",
    verified: true,
  });
}

/** Refusals by kind: the dialect and the request that bring it about, and the node's words. */
const BLOCKED = "203.0.113.0/24";
const REFUSED: Record<string, [DialectSettings, (node: NodeClient) => Promise<unknown>, string]> = {
  unknown: [{}, (node) => node.listPrefixSet({ ...GLOBAL, set: "nowhere" }), "unknown prefix-set edge/nowhere"],
  exists: [{ insertExisting: "error" }, (node) => node.insert(GLOBAL, [[BLOCKED, 1]]), `exists: ${BLOCKED}`],
  absent: [{ deleteAbsent: "error" }, (node) => node.delete(GLOBAL, ["192.0.2.0/24"]), "not found: 192.0.2.0/24"],
  nothingStaged: [{ emptyCommit: "error" }, (node) => node.commit(GLOBAL), "nothing to commit"],
  refusedEntry: [{ ipv6: "error" }, (node) => node.insert(GLOBAL, [["2001:db8::/32", 1]]), "IPv6 is not supported"],
  tooLarge: [{ maxBodyBytes: 40 }, (node) => node.listPrefixSet(LOCAL), "the body is too large: at most 40 bytes"],
  userArena: [
    { userArena: "required" },
    (node) => node.listMarks("edge", "web", "shost"),
    "needs the header User-Arena",
  ],
  credentials: [{}, (node) => node.listPrefixSet(GLOBAL), "unauthorized"],
};

const SWITCHES = singleSwitchDialects();
/** The form of one kind of refusal shows only where that kind is refused: those have a walk of their own. */
const formOf = (name: string) => /^(.*)Form$/.exec(name)?.[1] ?? "";
const FORMS = SWITCHES.filter(({ name }) => formOf(name) in REFUSED);
const usable = SWITCHES.filter((it) => !it.refused && !FORMS.includes(it));

describe("every switch of the open points", () => {
  it.each(usable)("$name = $setting: all operations round trip", ({ name, setting }) =>
    within({ [name]: setting }, async (clients) => {
      await roundTrip(clients);
      await refusals(clients);
    }),
  );

  it("a format that is read by settings only is refused without them, and never an empty list", async () => {
    const quiet: unknown[] = [];
    for (const { name, setting } of SWITCHES.filter((it) => it.refused && it.name.endsWith("Format"))) {
      await within({ [name]: setting }, async (clients) => {
        const failure: unknown = await roundTrip(clients).catch((error: unknown) => error);
        // A start goes out all the same, and says what its status failed with.
        const { actual } = Object(failure) as { readonly actual?: { readonly unseen?: unknown } };
        if (!((actual?.unseen ?? failure) instanceof RequestError)) quiet.push([name, setting, failure]);
      });
    }
    expect(quiet).toEqual([]);
  });

  it("every kind of refusal in every form is an error at once, with the node's words", async () => {
    const node = { auth: { bearer: "t" }, state: STATE };
    await using emulator = await startEmulator(node);
    const connect = (headers = {}) =>
      new NodeClient(
        { endpoint: emulator.endpoint, userArena: "core", headers, markPace: "off" },
        { memories: new NodeMemories() },
      );
    const [client, stranger] = [connect({ authorization: "Bearer t" }), connect()];
    for (const { name, setting } of FORMS) {
      const [settings, request, words] = REFUSED[formOf(name)] ?? [];
      emulator.setDialect({ ...settings, [name]: setting });
      emulator.clearJournal();
      const failure = await request?.(name === "credentialsForm" ? stranger : client).catch((error) => error);
      expect({ name, setting, failure, requests: emulator.journal.length }).toMatchObject({
        failure: { name: "RequestError", outcome: "refused", message: expect.stringContaining(words ?? "") },
        requests: 1,
      });
    }
    expect(FORMS).toHaveLength(8 * 9);
    await Promise.all([client.close(), stranger.close()]);
  });

  it("statusWrongSecret = not-found is a wrong secret", () =>
    within({ statusWrongSecret: "not-found" }, async ({ emulator }) => {
      const client = new SignalingClient({ url: emulator.signalingUrl, clientId: "c1", secretKey: "wrong" });
      await expect(client.status()).rejects.toMatchObject({ reason: "secret-invalid", status: 404 });
      await client.close();
    }));
});

it.each(Array.from({ length: 50 }, (_, seed) => seed))("the random dialect seed:%i round trips", (seed) =>
  within(`seed:${seed}`, roundTrip),
);
