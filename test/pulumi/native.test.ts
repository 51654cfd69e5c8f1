import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PrefixSet, Provider } from "../../provider";
import { waitsForOthers } from "../../provider/pulumi/declared";

const SET = { arena: "edge", set: "blocked", entries: { "192.0.2.0/24": 1 }, node: { endpoint: "http://192.0.2.20" } };
const registered: string[] = [];

beforeAll(() =>
  pulumi.runtime.setMocks({
    newResource: ({ name, type, inputs }) => {
      registered.push(`${type} ${name}`);
      return { id: name, state: inputs };
    },
    call: () => ({}),
  }),
);
afterAll(() => pulumi.runtime.disconnect());

/** A component whose set has the provider that its parent was given. */
class Edge extends pulumi.ComponentResource {
  readonly blocked: PrefixSet;

  constructor(name: string, provider: Provider) {
    super("example:index:Edge", name, {}, { providers: { packetfilter: provider } });
    this.blocked = new PrefixSet(`${name}-blocked`, SET, { parent: this });
  }
}

const settled = (resource: pulumi.CustomResource) => new Promise((resolve) => resource.urn.apply(resolve));

test("components with a provider each may have a set of the same name, and one provider has it once", async () => {
  const [eu, us] = [new Provider("eu", { maxRemovals: 5 }), new Provider("us", { maxRemovals: 5 })];
  for (const { blocked } of [new Edge("east", eu), new Edge("west", us)]) await settled(blocked);
  expect(registered.filter((one) => one.startsWith("packetfilter:"))).toEqual([
    "packetfilter:index:PrefixSet east-blocked",
    "packetfilter:index:PrefixSet west-blocked",
  ]);
  expect(() => new Edge("south", eu)).toThrow(/both own the whole set/);
});

test("a set that depends on sets of this package, dynamic ones or the plugin's, waits for no others", () => {
  const provider = new Provider("far", {});
  const native = new PrefixSet("native", { ...SET, set: "partners" }, { provider });
  const dynamic = new PrefixSet("dynamic", { ...SET, set: "partners" });
  expect(waitsForOthers({ dependsOn: [native, dynamic] })).toBe(false);
  expect(waitsForOthers({ dependsOn: [native, provider] })).toBe(true);
});
