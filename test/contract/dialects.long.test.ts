import { describe, expect, it } from "vitest";
import {
  NodeClient,
  type NodeOptions,
  type ReceiverOptions,
  RequestError,
  SignalingClient,
} from "../../provider/client";
import { NodeMemories } from "../../provider/client/world";
import {
  type DialectName,
  type DialectSettings,
  deviations,
  type Emulator,
  type SwitchName,
  singleSwitchDialects,
  startEmulator,
} from "../../provider/emulator";
import { membersOf } from "../../provider/model/json";
import { GLOBAL, LOCAL, listed, prefixes, SECRET, STATE } from "./state";

interface Clients {
  readonly emulator: Emulator;
  readonly node: NodeClient;
  readonly signaling: SignalingClient;
}

/** Runs `use` against an emulator of that dialect. A failure names the switches that differ from the default. */
async function within(
  dialect: DialectName | DialectSettings,
  use: (clients: Clients) => Promise<void>,
  nodeOptions: Partial<NodeOptions> = {},
  receiverOptions: Partial<ReceiverOptions> = {},
): Promise<void> {
  await using emulator = await startEmulator({ state: STATE, dialect });
  // Pauses move the emulator's clock, so that delayed effects happen without waiting for them.
  const sleep = async (ms: number) => emulator.clock.advance(Math.ceil(ms));
  const monotonic = () => emulator.clock.ms;
  const memories = new NodeMemories();
  const node = new NodeClient({ endpoint: emulator.endpoint, ...nodeOptions }, { sleep, monotonic, memories });
  const credentials = { url: emulator.signalingUrl, clientId: "c1", secretKey: SECRET };
  const signaling = new SignalingClient({ ...credentials, ...receiverOptions }, { sleep, monotonic });
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
async function roundTrip({ emulator, node, signaling }: Clients, ruleName = "count sources"): Promise<void> {
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
  expect(await node.listRules("edge", "web")).toMatchObject([{ id: 30, name: ruleName }]);
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

/** Settings that read lists in lines whose fields have no names. */
const COLUMNS = {
  rules: { id: 0, name: 1 },
  marks: {
    ...{ id: 0, value: 1, lifetime: 2, source: 3, destination: 4 },
    ...{ sourcePort: 5, destinationPort: 6, protocol: 7 },
  },
} as const;

/** Settings of dialects that a client cannot read without any. */
const READ_BY: Partial<Record<SwitchName, Record<string, Settings>>> = {
  listFormat: {
    ndjson: { node: { format: "ndjson", empty: "" } },
    lines: { node: { format: "lines", columns: COLUMNS, empty: "" } },
    "ok-lines": { node: { format: "lines", columns: COLUMNS } },
    csv: { node: { format: "csv", columns: COLUMNS, empty: "" } },
    "csv-head": { node: { format: "csv" } },
  },
  profilesFormat: everyFormat("profiles"),
  rulesFormat: everyFormat("rules"),
  marksFormat: everyFormat("marks"),
  listEnvelope: {
    "0.data": { node: { path: "0.data" } },
    "{arena}.{set}": {
      node: { path: { prefixset: "{arena}.{set}", profiles: "{arena}", rules: "{arena}", marks: "{arena}" } },
    },
  },
  listVerdict: { "code-1000": { node: { success: { member: "code", values: [1000] } } } },
  success: { "code-1": { node: { success: { member: "code", values: [1] } } } },
  statusFormat: { lines: { receiver: { format: "lines", empty: "" } } },
  statusEnvelope: { "state.now": { receiver: { path: "state.now" } } },
  statusName: { active: { receiver: { name: "active" } }, none: { receiver: { empty: "{}" } } },
  statusEmpty: { object: { receiver: { empty: "{}" } }, empty: { receiver: { empty: "" } } },
  signalingSuccess: { "code-1": { receiver: { success: { member: "code", values: [1] } } } },
};

interface Settings {
  readonly node?: NodeOptions["answers"];
  readonly receiver?: ReceiverOptions["answers"];
}

function everyFormat(kind: "profiles" | "rules" | "marks"): Record<string, Settings> {
  const columns = kind === "profiles" ? {} : { columns: { [kind]: COLUMNS[kind] } };
  const settings = (format: "ndjson" | "lines" | "csv", more: object = columns): Settings => ({
    node: { format: { [kind]: format }, ...more, empty: "" },
  });
  return {
    ndjson: settings("ndjson", {}),
    lines: settings("lines"),
    "ok-lines": settings("lines"),
    csv: settings("csv"),
    "csv-head": settings("csv", {}),
  };
}

const SWITCHES = singleSwitchDialects();
const BY_SETTINGS = SWITCHES.flatMap(({ name, setting }) => {
  const settings = READ_BY[name]?.[setting];
  return settings ? [{ name, setting, settings }] : [];
});
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

  it.each(BY_SETTINGS)("$name = $setting: all operations round trip by settings", ({ name, setting, settings }) =>
    within(
      { [name]: setting },
      async (clients) => {
        // Between blanks a name with one is cut.
        const isCut = /^(list|rules)Format$/.test(name) && String(setting).endsWith("lines");
        await roundTrip(clients, isCut ? "count" : undefined);
        await refusals(clients);
      },
      settings.node && { answers: settings.node },
      settings.receiver && { answers: settings.receiver },
    ),
  );

  it("what is read by settings only is refused without them, and never an empty list", async () => {
    const quiet: unknown[] = [];
    for (const { name, setting } of BY_SETTINGS) {
      await within({ [name]: setting }, async (clients) => {
        const failure = await roundTrip(clients).catch((error: unknown) => error);
        // A start or stop goes out all the same, and says what its status failed with.
        const compared = membersOf(membersOf(failure).actual);
        const told = compared.unseen ?? failure;
        if (!(told instanceof RequestError)) quiet.push([name, setting, failure]);
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

  it("hostBits = keep: entries with host bits are understood, and deleted in the node's own spelling", () =>
    within({ hostBits: "keep" }, async ({ node, emulator }) => {
      await fetch(`${emulator.endpoint}/fapi`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ url: "prefixset://edge/empty", cmd: "insert", data: [{ p: "192.0.2.77/24", v: 3 }] }),
      });
      const set = { ...GLOBAL, set: "empty" };
      await node.commit(set);
      const [entry] = await node.listPrefixSet(set);
      expect(entry).toMatchObject({ value: 3, spelling: "192.0.2.77/24" });
      expect(String(entry?.prefix)).toBe("192.0.2.0/24");
      await node.delete(set, [entry?.spelling ?? ""]);
      await node.commit(set);
      expect(emulator.prefixSet("prefixset://edge/empty").applied).toEqual({});
    }));

  it("statusWrongSecret = empty: the start tells the truth", () =>
    within({ statusWrongSecret: "empty" }, async ({ emulator }) => {
      const client = new SignalingClient({ url: emulator.signalingUrl, clientId: "c1", secretKey: "wrong" });
      await expect(client.ensureActive(prefixes("198.51.100.7"))).rejects.toMatchObject({ reason: "secret-invalid" });
      await client.close();
    }));

  it("statusWrongSecret = not-found is a wrong secret", () =>
    within({ statusWrongSecret: "not-found" }, async ({ emulator }) => {
      const client = new SignalingClient({ url: emulator.signalingUrl, clientId: "c1", secretKey: "wrong" });
      await expect(client.status()).rejects.toMatchObject({ reason: "secret-invalid", status: 404 });
      await client.close();
    }));

  it("signalingPartial = valid-ones: a refused start may have had part of its effect", () =>
    within({ signalingPartial: "valid-ones" }, async ({ signaling }) => {
      const [one, two] = [prefixes("198.51.100.7"), prefixes("198.51.100.9")];
      await signaling.start(one);
      await expect(signaling.start([...one, ...two])).rejects.toMatchObject({ reason: "already-active" });
      expect(await signaling.ensureActive([...one, ...two])).toEqual({ started: [], already: [...one, ...two] });
    }));

  it("signalingPrefixes = registered: what lies within a registered prefix is refused, the prefix itself is not", () =>
    within({ signalingPrefixes: "registered" }, async ({ signaling }) => {
      await expect(signaling.ensureActive(prefixes("198.51.100.7"))).rejects.toMatchObject({
        reason: "prefix-invalid",
      });
      const whole = prefixes("198.51.100.0/24");
      expect(await signaling.ensureActive(whole)).toEqual({ started: whole, already: [] });
    }));

  it("signalingOverlap = invalid: a prefix around an active one is refused at once", () =>
    within({ signalingOverlap: "invalid" }, async ({ signaling, emulator }) => {
      await signaling.start(prefixes("198.51.100.7"));
      await expect(signaling.ensureActive(prefixes("198.51.100.0/24"))).rejects.toMatchObject({
        code: "signaling-incomplete",
        reason: "prefix-invalid",
        verified: true,
      });
      expect(emulator.signalings.c1).toEqual(["198.51.100.7/32"]);
    }));

  it.each(["table", "node"] as const)("markPace = %s: lists that would come too soon wait for their turn", (markPace) =>
    within({ markPace }, async ({ node, emulator }) => {
      for (const type of ["shost", "shost", "dhost"] as const) await node.listMarks("edge", "web", type);
      const answered = emulator.requests({ status: 200 });
      expect(answered.map(({ type }) => type)).toEqual(["shost", "shost", "dhost"]);
      expect(answered.filter(({ tooSoon }) => tooSoon)).toEqual([]);
    }),
  );

  it("missingTable = error: the table fails, and is never an empty list", () =>
    within({ missingTable: "error" }, async ({ node }) => {
      expect(await node.listMarks("edge", "web", "conn")).toHaveLength(1);
      await expect(node.listMarks("edge", "clean", "conn")).rejects.toMatchObject({
        status: 404,
        message: expect.stringContaining("unknown table conn of edge/clean"),
      });
    }));

  it.each<[DialectSettings, NodeOptions["answers"]]>([
    [{}, { absent: "empty" }],
    [{ unknownForm: "code-in-body" }, { absent: { member: "code", values: [404] } }],
    [{ unknownForm: "json-200" }, { absent: { text: "unknown prefix-set" } }],
    [{ unknownForm: "text", unknownStatus: 410 }, { absent: { status: 410 } }],
  ])("%j: a set that is not there is an empty one where answers.absent says so", (settings, answers) =>
    within(
      { unknownSet: "made", ...settings },
      async ({ node }) => {
        const set = { ...GLOBAL, set: "new" };
        expect(await node.listPrefixSet(set)).toEqual([]);
        await node.insert(set, [["192.0.2.0/24", 1]]);
        await node.commit(set);
        expect(listed(await node.listPrefixSet(set))).toEqual({ "192.0.2.0/24": 1 });
      },
      { answers },
    ),
  );

  it("an envelope and names of another kind are refused with their settings, never read as records of another shape", () =>
    within({ listEnvelope: "reply.chains", nameKey: "label", idKey: "number" }, async ({ node, emulator }) => {
      const at = "Describe it by answers.path.";
      await expect(node.listProfiles("edge")).rejects.toThrow(at);
      await expect(node.listRules("edge", "web")).rejects.toThrow(at);
      emulator.setDialect({ nameKey: "label", idKey: "number" });
      await expect(node.listRules("edge", "web")).rejects.toThrow("Describe it by answers.names.");
    }));

  it("lengthKey: an address beside its length is read with it, as a netmask too", async () => {
    for (const lengthForm of ["number", "netmask"] as const) {
      await within({ lengthKey: "mask", lengthForm }, async ({ node, emulator }) => {
        emulator.change("prefixset://edge/blocked", { insert: { "0.0.0.0/0": 1, "192.0.2.9": 2, "2001:db8::/33": 3 } });
        expect(listed(await node.listPrefixSet(GLOBAL))).toEqual(
          emulator.prefixSet("prefixset://edge/blocked").applied,
        );
      });
    }
  });

  it("lists in envelopes and names of their own are read by their settings", () =>
    within(
      {
        listEnvelope: "payload.rows2",
        profilesEnvelope: "array",
        rulesEnvelope: "chain",
        marksEnvelope: "table.hot",
        prefixKey: "subnet",
        lengthKey: "size",
        valueKey: "weight",
        nameKey: "title",
        idKey: "number",
        markKeys: "address=host,source=from,destination=to,id=number,value=weight,lifetime=left,protocol=l4",
        markAge: "shown",
      },
      roundTrip,
      {
        answers: {
          path: { prefixset: "payload.rows2", rules: "chain", marks: "table.hot" },
          names: {
            ...{
              prefix: "subnet",
              prefixLength: "size",
              value: "weight",
              name: "title",
              id: "number",
              address: "host",
            },
            ...{ source: "from", destination: "to", lifetime: "left", protocol: "l4" },
          },
        },
      },
    ));
});

it.each(Array.from({ length: 50 }, (_, seed) => seed))("the random dialect seed:%i round trips", (seed) =>
  within(`seed:${seed}`, roundTrip),
);
