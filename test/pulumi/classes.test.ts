import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import * as pf from "../../provider";
import { inspect } from "../../provider/pulumi/inspection";

/** Registrations that the engine got, by name. */
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

const place = { arena: "edge", set: "blocked" };
const loose = <T>(args: T) => args as never;

function value<T>(output: pulumi.Output<T>): Promise<T> {
  return new Promise((resolve) => output.apply(resolve));
}

/** A resource with what the engine got of it. */
async function inputsOf(resource: pulumi.CustomResource, name: string): Promise<Record<string, unknown>> {
  await value(resource.urn);
  const { __provider: _, __said: __, ...inputs } = registered.get(name) ?? {};
  return Object.fromEntries(Object.entries(inputs).map(([key, input]) => [key, inTheClear(input)]));
}

/** The mocks pass secrets on in the form in which they travel. */
function inTheClear(input: unknown): unknown {
  const isSecret = typeof input === "object" && input !== null && pulumi.runtime.specialSigKey in input;
  return isSecret && "value" in input ? input.value : input;
}

it("warns of a key that nothing reads once in each of the programs that share a process", async () => {
  using warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();
  const program = async () => {
    pulumi.runtime.setAllConfig({ "packetfilter:colour": "red" });
    for (const one of [1, 2]) new pf.CloudSignaling(`colour-${one}`, { prefixes: [] });
  };
  const asOneOf = () =>
    asyncLocalStorage.run({ ...globalStore, config: {}, stackResource: undefined }, () =>
      pulumi.runtime.runInPulumiStack(program),
    );
  for (const _ of [1, 2]) await asOneOf();
  expect(warn.mock.calls).toEqual(Array(2).fill([expect.stringContaining('"packetfilter:colour" that nothing reads')]));
});

describe("a missing value", () => {
  it.each([
    ["of an entry", { "192.0.2.0/24": undefined }, 'entries["192.0.2.0/24"] is undefined'],
    ["of an entry that is null", { "192.0.2.0/24": 1, "192.0.2.9": null }, 'entries["192.0.2.9"] is null'],
    ["that is null", { "192.0.2.0/24": { value: null } }, 'entries["192.0.2.0/24"].value is null'],
    ["in an array", ["192.0.2.0/24", undefined], "entries[1] is undefined"],
    ["of all entries", undefined, "entries is undefined"],
  ])("%s ends the program, with its place, before anything is registered", (_, entries, place_) => {
    const make = () => new pf.PrefixSet("gap", loose({ ...place, entries }));
    expect(make).toThrow(`PrefixSet "gap": ${place_}: `);
    expect(make).toThrow(pulumi.RunError);
    expect(registered.has("gap")).toBe(false);
  });

  it("of an argument ends the program too; an optional one may be undefined", async () => {
    const entry = (more: object) => () => new pf.PrefixSetEntry("entry-gap", loose({ ...place, ...more }));
    expect(entry({ prefix: undefined })).toThrow('PrefixSetEntry "entry-gap": prefix is undefined: ');
    expect(entry({ prefix: "192.0.2.1", value: null })).toThrow('"entry-gap": value is null: ');
    expect(() => new pf.CloudSignaling("attack", loose({ prefixes: [undefined] }))).toThrow(
      'CloudSignaling "attack": prefixes[0] is undefined: ',
    );
    const fine = new pf.PrefixSet("fine", { ...place, entries: { "192.0.2.0/24": { value: undefined } } });
    expect(await inputsOf(fine, "fine")).toEqual({ ...place, entries: { "192.0.2.0/24": {} } });
  });

  it("that an Output resolves to is found when it resolves", async () => {
    const later = (entries: unknown) => inspect('PrefixSet "late"', "entries", entries, true);
    const nothing = pulumi.output(undefined);
    await expect(later({ "192.0.2.0/24": nothing })).rejects.toThrow('"late": entries["192.0.2.0/24"] is undefined: ');
    await expect(later(pulumi.output({ "192.0.2.0/24": nothing, "192.0.2.1": 1 }))).rejects.toThrow(pulumi.RunError);
    await expect(later(Promise.resolve(["192.0.2.0/24", null]))).rejects.toThrow("entries[1] is null");
    await expect(later({ "192.0.2.0/24": { value: nothing } })).resolves.toEqual([]);
    await expect(later(pulumi.secret({ "192.0.2.0/24": null }))).rejects.toThrow('"late": entries[…] is null');
  });
});

describe("a secret", () => {
  it("in entries is told apart by where it stands", async () => {
    const secret = <T>(of: T) => pulumi.secret(of);
    const parts = (entries: unknown) => inspect("a set", "entries", entries, true);
    expect(parts({ "192.0.2.0/24": { value: 1, reason: "plain" } })).toBe(undefined);
    expect(await parts({ "192.0.2.0/24": { reason: secret("why") } })).toEqual(["notes"]);
    expect(await parts({ "192.0.2.0/24": { value: secret(1) } })).toEqual(["entries"]);
    expect(await parts([secret("192.0.2.0/24")])).toEqual(["entries"]);
    expect(await parts(secret(["192.0.2.0/24"]))).toEqual(["entries"]);
    expect(await parts({ "192.0.2.0/24": pulumi.output(1) })).toEqual([]);
  });

  it("is named to the provider, which gets nothing more where nothing is", async () => {
    const entry = { ...place, prefix: "192.0.2.1" };
    const marked = new pf.PrefixSetEntry("marked", { ...entry, reason: pulumi.secret("why"), value: pulumi.output(1) });
    expect(await inputsOf(marked, "marked")).toMatchObject({ reason: "why", value: 1, __secret: ["reason"] });
    const plain = new pf.PrefixSetEntry("plain", { ...entry, prefix: "192.0.2.2", reason: pulumi.output("why") });
    expect(await inputsOf(plain, "plain")).toEqual({ ...place, prefix: "192.0.2.2", reason: "why" });
  });

  it("are the headers of the check of a rollout", async () => {
    const check = { url: "https://health.example/{node}", headers: { authorization: "Bearer canary" } };
    const rollout = { waves: [1], check };
    const group = new pf.PrefixSetGroup("waves", { ...place, set: "waves", entries: [], nodes: ["fra1"], rollout });
    await value(group.urn);
    // A secret within makes the whole argument one on its way.
    expect(Object.keys(registered.get("waves")?.rollout as object)).toContain(pulumi.runtime.specialSigKey);
    const open = { ...place, set: "open", entries: [], nodes: ["fra1"], rollout: { waves: [1] } };
    expect((await inputsOf(new pf.PrefixSetGroup("open", open), "open")).rollout).toEqual({ waves: [1] });
  });

  it("are the TLS settings of a connection, also as JSON", async () => {
    const tls = { cert: "c", key: "canary" };
    for (const [set, form] of Object.entries({ object: tls, text: JSON.stringify(tls) as never })) {
      const node = { endpoint: "https://192.0.2.10", tls: form };
      await value(new pf.PrefixSet(`tls-${set}`, { arena: "tls", set, entries: [], node }).urn);
      expect(Object.keys(registered.get(`tls-${set}`)?.node as object)).toContain(pulumi.runtime.specialSigKey);
    }
  });

  it("in the address of a node becomes the header that it is", async () => {
    const node = { endpoint: "http://admin:pass%20word@192.0.2.10:8080/fapi", headers: { "x-a": "b" } };
    const authorization = `Basic ${Buffer.from("admin:pass word").toString("base64")}`;
    const wanted = { endpoint: "http://192.0.2.10:8080/fapi", headers: { "x-a": "b", authorization } };
    const forms = {
      plain: node,
      whole: pulumi.output(node),
      part: { ...node, endpoint: pulumi.output(node.endpoint) },
    };
    for (const [name, form] of Object.entries(forms)) {
      const set = new pf.PrefixSet(`node-${name}`, { arena: name, set: "blocked", entries: [], node: form });
      expect((await inputsOf(set, `node-${name}`)).node).toEqual(wanted);
      const { headers } = await value(pulumi.output(set.node) as pulumi.Output<{ headers: object }>);
      expect(headers).toEqual(wanted.headers);
    }
    const own = { ...node, headers: { Authorization: "Bearer mine" } };
    const set = new pf.PrefixSet("node-own", { arena: "own", set: "blocked", entries: [], node: own });
    expect((await inputsOf(set, "node-own")).node).toMatchObject({ headers: { Authorization: "Bearer mine" } });
  });
});

describe("the outputs of a resource", () => {
  /** Outputs that stand on the resource itself, each with promises of its own. */
  const own = (resource: object) =>
    Object.entries(resource)
      .filter(([, member]) => pulumi.Output.isInstance(member))
      .map(([name]) => name)
      .sort();

  it("are made for what is given, and for what was left out when a program asks", async () => {
    const entry = new pf.PrefixSetEntry("few", { ...place, prefix: "192.0.2.77", reason: undefined });
    expect(own(entry)).toEqual(["__provider", "__said", "arena", "endpoint", "id", "prefix", "set", "url", "urn"]);
    for (const output of [entry.reason, entry.value, entry.node]) {
      expect(pulumi.Output.isInstance(output)).toBe(true);
      expect(await value<unknown>(output)).toBe(undefined);
    }
    const named = new pf.PrefixSetEntry("named", { ...place, prefix: "192.0.2.78", reason: "why", value: 7 });
    expect([await value(named.reason), await value(named.value)]).toEqual(["why", 7]);
    expect(own(named)).toEqual([...own(entry), "reason", "value"].sort());
  });

  it("are all there for a resource that is only looked up", () => {
    const found = new pf.PrefixSetEntry("found", { ...place, prefix: "192.0.2.79" }, { id: "any" });
    expect(own(found)).toEqual(expect.arrayContaining(["reason", "ticket", "value", "expires", "onDestroy"]));
  });
});
