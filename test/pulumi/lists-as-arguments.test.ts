import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, expect, expectTypeOf, it, vi } from "vitest";
import * as pf from "../../provider";
import { type ListedEntry, Prefix } from "../../provider/client";
import { plainArguments } from "../../provider/pulumi/plain";

const registered = new Map<string, Record<string, unknown>>();
beforeAll(() =>
  pulumi.runtime.setMocks({
    newResource: ({ name, inputs, id }) => {
      registered.set(name, inputs);
      return { id: id ?? name, state: inputs };
    },
    call: () => ({}),
  }),
);
afterAll(() => pulumi.runtime.setAllConfig({}));

const prefix = Prefix.parse("192.0.2.0/24");
const list: ListedEntry[] = [{ prefix, value: 7, spelling: "192.0.2.0/24" }];
let sets = 0;

/** The entries with which the engine is asked to register a set. */
async function entriesOf(entries: pf.EntriesInput, options: Partial<pf.PrefixSetArgs> = {}): Promise<unknown> {
  const name = `set-${sets++}`;
  const set = new pf.PrefixSet(name, { arena: "edge", set: name, entries, ...options });
  await new Promise((resolve) => set.urn.apply(resolve));
  return registered.get(name)?.entries;
}

it("entries are given as functions of the package return them, and reach the engine as texts", async () => {
  const getPrefixSet = async (): ReturnType<typeof pf.getPrefixSet> => ({ "192.0.2.0/24": 7 });
  const record = { "192.0.2.0/24": 7 };
  expect(await entriesOf(await getPrefixSet())).toEqual(record);
  expect(await entriesOf(getPrefixSet())).toEqual(record);
  expect(await entriesOf(new Map([[prefix, 7]]))).toEqual(record);
  expect(await entriesOf(pf.parsePrefixes("192.0.2.0/24"))).toEqual({ "192.0.2.0/24": { value: 1 } });
  expect(await entriesOf(list)).toEqual(record);
  expect(await entriesOf(Promise.resolve(list))).toEqual(record);
  expect(await entriesOf(new Set([prefix]))).toEqual({ "192.0.2.0/24": 1 });
  const noted = { prefix: "192.0.2.0/24", value: 7, reason: "SYN flood" };
  expect(await entriesOf([noted])).toEqual({ "192.0.2.0/24": { value: 7, reason: "SYN flood" } });
  // The check merges or refuses what is there twice.
  expect(await entriesOf([noted, "192.0.2.0/24"])).toEqual([noted, "192.0.2.0/24"]);
});

it("prefixes are given parsed wherever a prefix stands, a group's nodes included", async () => {
  const group = new pf.PrefixSetGroup("group", {
    arena: "edge",
    set: "group",
    entries: {},
    nodes: { fra1: { entries: list } },
    forbiddenPrefixes: [prefix],
  });
  const entry = new pf.PrefixSetEntry("entry", { arena: "edge", set: "entry", prefix });
  const signaling = new pf.CloudSignaling("signaling", { prefixes: [prefix, "198.51.100.7"] });
  for (const { urn } of [group, entry, signaling]) await new Promise((resolve) => urn.apply(resolve));
  expect(registered.get("group")).toMatchObject({
    nodes: { fra1: { entries: { "192.0.2.0/24": 7 } } },
    forbiddenPrefixes: ["192.0.2.0/24"],
  });
  expect(registered.get("entry")?.prefix).toBe("192.0.2.0/24");
  expect(registered.get("signaling")?.prefixes).toEqual(["192.0.2.0/24", "198.51.100.7"]);
});

it("prefixes are texts again wherever they resolve: in an Output, a secret, an element, a provider", async () => {
  const record = { "192.0.2.0/24": 7 };
  expect(await entriesOf(pulumi.output("a").apply(() => list))).toEqual(record);
  const secret: unknown = await entriesOf(pulumi.secret(list) as unknown as pulumi.Output<ListedEntry[]>);
  expect(secret).toMatchObject({ value: record });
  expect(await entriesOf([Promise.resolve(prefix), pulumi.output("a").apply(() => prefix)])).toEqual([
    "192.0.2.0/24",
    "192.0.2.0/24",
  ]);
  const lost = new Map([[prefix, 7]]) as unknown as Record<string, number>;
  expect(await entriesOf(pulumi.output("a").apply(() => lost))).toEqual({ "192.0.2.0/24": 7 });
  const group = new pf.PrefixSetGroup("later", {
    arena: "edge",
    set: "later",
    entries: [],
    nodes: pulumi.output("a").apply(() => ({ fra1: { entries: list } })),
    requiredPrefixes: pulumi.output("a").apply(() => [prefix]),
  });
  const provider = new pf.Provider("eu", { forbiddenPrefixes: [prefix], requiredPrefixes: Promise.resolve([prefix]) });
  for (const { urn } of [group, provider]) await new Promise((resolve) => urn.apply(resolve));
  expect(registered.get("later")).toMatchObject({
    nodes: { fra1: { entries: record } },
    requiredPrefixes: ["192.0.2.0/24"],
  });
  expect(registered.get("eu")).toEqual({
    forbiddenPrefixes: '["192.0.2.0/24"]',
    requiredPrefixes: '["192.0.2.0/24"]',
  });
});

it("an address with a password in it is a secret of the provider, one without is shown", async () => {
  new pf.Provider("secret", { endpoint: "http://user:key@192.0.2.10", signalingUrl: "https://192.0.2.11" });
  await vi.waitFor(() => expect(registered.has("secret")).toBe(true));
  expect(registered.get("secret")).toEqual({
    endpoint: { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", value: expect.anything() },
    signalingUrl: "https://192.0.2.11",
  });
});

it("an empty record in an Output is taken where allowEmpty says that it is meant, or a resource has it", async () => {
  const lost = pulumi.output(new Map([["192.0.2.0/24", 7]])) as unknown as pulumi.Output<Record<string, number>>;
  const { entries } = plainArguments({ entries: lost }, 'PrefixSet "lost"');
  const parts = entries as unknown as Record<"isKnown" | "isSecret", Promise<unknown>> &
    Record<"promise" | "allResources", () => Promise<unknown>>;
  const known = await Promise.allSettled([parts.promise(), parts.isKnown, parts.isSecret, parts.allResources()]);
  expect(String((known[0] as PromiseRejectedResult).reason)).toContain(
    'PrefixSet "lost": entries is an Output of an empty object',
  );
  expect(await entriesOf(lost, { allowEmpty: true })).toEqual({});
  expect(await entriesOf(pulumi.output([]))).toEqual([]);
  expect(await entriesOf({})).toEqual({});
  const empty = new pf.PrefixSet("empty", { arena: "edge", set: "empty", entries: {} });
  expect(await entriesOf(empty.entries)).toEqual({});
});

it("what is no entries does not compile", () => {
  const set = (entries: pf.EntriesInput) => () => entries;
  // @ts-expect-error A text is one prefix at most.
  set("192.0.2.0/24");
  // @ts-expect-error Entries have numbers or contents.
  set({ "192.0.2.0/24": true });
  // @ts-expect-error A misspelt member.
  set({ "192.0.2.0/24": { valu: 1 } });
  // @ts-expect-error Prefixes alone are texts.
  set([1]);
  // @ts-expect-error An Output keeps nothing of a Map.
  set(pulumi.secret(new Map([["192.0.2.0/24", 1]])));
  // @ts-expect-error An Output keeps nothing of a Set.
  set(pulumi.output(new Set(["192.0.2.0/24"])));
  expectTypeOf<pf.PrefixSet["node"]>().not.toEqualTypeOf<pulumi.Output<unknown>>();
});

it("node and receiver are typed as they were given", () => {
  type Given = pulumi.Unwrap<pf.PrefixSet["node"]>;
  expectTypeOf<Extract<Given, string>>().toEqualTypeOf<string>();
  expectTypeOf<Exclude<Given, string | undefined>["endpoint"]>().toEqualTypeOf<string>();
  type Receiver = Exclude<pulumi.Unwrap<pf.CloudSignaling["receiver"]>, string | undefined>;
  expectTypeOf<Receiver["clientId"]>().toEqualTypeOf<string>();
});

it("what block --now sent goes with entries of a file to the engine, and into nothing that a program exports", async () => {
  const sent = "1 prefixset://edge/blocked http://192.0.2.10 http://192.0.2.11";
  const expires = "2030-01-31T18:00:00Z";
  const file = pf.parsePrefixes(`203.0.113.7: { expires: "${expires}", sent: ${sent} }`, { format: "yaml" });
  const [entry] = Object.values(file);
  const wanted = { "203.0.113.7/32": { value: 1, expires, sent } };
  expect(await entriesOf(file)).toEqual(wanted);
  expect(await entriesOf(pf.mergeEntries(file, ["192.0.2.0/24"]))).toMatchObject(wanted);
  expect(await entriesOf(pulumi.output("a").apply(() => file))).toEqual(wanted);
  expect(await entriesOf([{ prefix: "203.0.113.7", ...entry }])).toEqual({ "203.0.113.7": wanted["203.0.113.7/32"] });
  const one = new pf.PrefixSetEntry("sent", { arena: "edge", set: "sent", prefix: "203.0.113.7", ...entry });
  await new Promise((resolve) => one.urn.apply(resolve));
  expect(registered.get("sent")).toMatchObject({ expires, sent });
  const exported = await new Promise((resolve) => pulumi.output(file).apply(resolve));
  expect([exported, JSON.parse(JSON.stringify(file))]).toEqual([
    { "203.0.113.7/32": { value: 1, expires } },
    { "203.0.113.7/32": { value: 1, expires } },
  ]);
});
