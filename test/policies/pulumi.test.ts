import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { ResourceValidationPolicy, StackValidationPolicy } from "@pulumi/policy";
import { describe, expect, test } from "vitest";
import { parsePolicyConfig, policiesOf, rules } from "../../policies/index";
import { Runtime } from "../../provider/deployment/runtime";
import { dynamicProvider } from "../../provider/engine/dynamic-provider";
import { PrefixSetHandler } from "../../provider/resources/prefix-set/handler";
import { ask } from "./ask";
import { UNKNOWN } from "./support";

const folder = join(__dirname, "../../policies");

const policies = () =>
  policiesOf(rules, { config: parsePolicyConfig({}, rules), environment: {} }) as ResourceValidationPolicy[];
const named = (all: readonly ResourceValidationPolicy[], name: string) =>
  all.find((one) => one.name === name) as ResourceValidationPolicy;
const set = (entries: unknown) => ({ arena: "edge", set: "blocked", entries });

describe("rules as policies of Pulumi", () => {
  test("have name, description, level and schema of their rule", () => {
    expect(policies().map(({ name, enforcementLevel }) => [name, enforcementLevel])).toEqual(
      rules.map(({ name, level }) => [name, level]),
    );
    expect(named(policies(), "signaling-count").configSchema).toEqual({
      properties: {
        limit: { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: expect.any(String) },
      },
    });
  });

  test("have the level of the configuration", () => {
    const config = parsePolicyConfig(
      { rules: { naming: "mandatory", "organisation-rails": { level: "remediate" } } },
      rules,
    );
    const all = policiesOf(rules, { config, environment: {} });
    expect(all.find(({ name }) => name === "naming")?.enforcementLevel).toBe("mandatory");
    expect(all.find(({ name }) => name === "organisation-rails")?.enforcementLevel).toBe("remediate");
  });

  test("judge a group by what its nodes hold", () => {
    const group = { ...set({ "192.0.2.0/24": 1 }), nodes: { fra1: {}, ams1: { entries: { "0.0.0.0/0": 1 } } } };
    const type = "pulumi-nodejs:dynamic/packetfilter:PrefixSetGroup";
    expect(ask(named(policies(), "prefix-length"), group, type).violations).toEqual([
      { message: expect.stringMatching(/^PrefixSetGroup "blocked" at ams1 .*\(1 of 2\): 0\.0\.0\.0\/0/) },
    ]);
  });

  // The engine starts the same process for every dynamic type, and shows a policy no provider text.
  test("judge what is ours under another type, and say so", () => {
    const other = "pulumi-nodejs:dynamic/other:Thing";
    const said = (name: string, properties: object, type = other) =>
      ask(named(policies(), name), properties, type).violations.map(({ message }) => message);
    const everything = set({ "0.0.0.0/0": 1 });
    expect(said("prefix-length", everything)).toEqual([expect.stringContaining("the default route")]);
    for (const properties of [
      everything,
      { arena: "edge", set: "blocked", prefix: "192.0.2.0/24" },
      { ...everything, nodes: { fra1: {} } },
      { prefixes: ["192.0.2.0/24"], reason: "flood" },
      { prefixes: UNKNOWN },
    ])
      expect(said("foreign-type", properties)).toEqual([expect.stringContaining(`the type "${other}"`)]);
    // A group under the type of a set: what its nodes have of their own would not be judged.
    const group = { ...set({}), nodes: { fra1: { entries: { "0.0.0.0/0": 1 } } } };
    const type = "pulumi-nodejs:dynamic/packetfilter:PrefixSet";
    expect(said("prefix-length", group, type)).toEqual([expect.stringContaining("the default route")]);
    expect(said("foreign-type", group, type)).toEqual([expect.stringContaining("the class PrefixSetGroup")]);
    expect(said("foreign-type", everything, type)).toEqual([]);
    // A program may give any type to the provider process of dynamic resources.
    const byProvider = (name: string, type: string) =>
      ask(named(policies(), name), everything, type, {}, "pulumi:providers:pulumi-nodejs").violations;
    expect(byProvider("prefix-length", "aws:s3/bucket:Bucket")).toHaveLength(1);
    expect(byProvider("foreign-type", "aws:s3/bucket:Bucket")).toHaveLength(1);
    expect(byProvider("prefix-length", "packetfilter:index:CloudSignaling")).toHaveLength(1);
    // And a plugin may be known to the engine by another name.
    const renamed = ["packetfilter:index:PrefixSet", {}, "pulumi:providers:other"] as const;
    expect(ask(named(policies(), "prefix-length"), everything, ...renamed).violations).toHaveLength(1);
    // Of another provider, dynamic or not.
    const theirs = { prefixes: ["192.0.2.0/24"], region: "eu-central-1" };
    expect(ask(named(policies(), "foreign-type"), theirs, other).notApplicable).toBeDefined();
    expect(ask(named(policies(), "foreign-type"), everything, "aws:ec2/list:List").notApplicable).toBeDefined();
  });

  test("report a finding at their own level, and a notice as advisory", () => {
    const lengths = named(policies(), "prefix-length");
    expect(ask(lengths, set({ "0.0.0.0/0": 1 })).violations).toEqual([
      { message: expect.stringContaining("the default route") },
    ]);
    expect(ask(lengths, set(UNKNOWN)).violations).toEqual([
      expect.objectContaining({
        enforcementLevel: "advisory",
        message: expect.stringContaining("cannot be judged yet"),
      }),
    ]);
  });

  test("judge what they are handed, also when the same resource comes again with other properties", () => {
    const all = policies();
    for (const name of ["prefix-length", "require-reason", "naming"]) ask(named(all, name), set({ "0.0.0.0/0": 1 }));
    expect(ask(named(all, "prefix-length"), set({ "192.0.2.0/24": 1 })).violations).toEqual([]);
    expect(ask(named(all, "prefix-length"), set({ "::/0": 1 })).violations).toHaveLength(1);
  });

  test("judge nothing whose own check failed: its entries are as the program wrote them", async () => {
    const runtime = new Runtime({ env: {}, print: () => undefined });
    runtime.configure((key) => ({ endpoint: "http://127.0.0.1:9", detectDrift: "off" })[key as "endpoint"]);
    const provider = dynamicProvider(new PrefixSetHandler(runtime), runtime);
    const entry = { value: 1, reason: "SYN flood" };
    const program = (bad: string) =>
      set({
        "192.0.2.0/25": entry,
        "192.0.2.128/25": entry,
        "198.51.100.0/24": entry,
        "203.0.113.0/24": entry,
        [bad]: 1,
      });
    const config = { sets: [{ pattern: "prefixset://*/blocked", role: "block" as const }] };
    const all = policiesOf(rules, {
      config: parsePolicyConfig(config, rules),
      environment: {},
    }) as ResourceValidationPolicy[];

    const refused = await provider.check({}, program("192.0.2.0/33"));
    expect(refused.failures).toHaveLength(1);
    // That it is unjudged is said by one, since a program may write what the check leaves.
    const unjudged = { message: expect.stringContaining("no rule judges it, since its own check refused it") };
    for (const policy of all) {
      const said = policy.name === "readable" ? [unjudged] : [];
      if (policy.validateResource) expect(ask(policy, refused.inputs).violations).toEqual(said);
    }
    const hidden = await provider.check({}, { ...set({ "0.0.0.0/0": 1 }), refusedByCheck: true });
    expect(hidden.failures).toEqual([expect.objectContaining({ reason: expect.stringContaining("refusedByCheck") })]);
    const { inputs } = await provider.check({}, program("2001:db8::/32"));
    expect(ask(named(all, "require-reason"), inputs).violations).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/\(1 of 5\): 2001:db8::\/32/) }),
    ]);
  });

  test("say for which types they are", () => {
    const signaling = named(policies(), "signaling-length");
    expect(ask(signaling, set({}))).toEqual({
      violations: [],
      notApplicable: "This policy is for pulumi-nodejs:dynamic/packetfilter:CloudSignaling",
    });
  });

  test("of stacks skip resources of other packages", () => {
    const policy = policies().find(({ name }) => name === "exclusive-owner") as unknown as StackValidationPolicy;
    const foreign = {
      type: "random:index:Id",
      props: set({ "0.0.0.0/0": 1 }),
      urn: "urn:pulumi:dev::infra::random:index:Id::x",
      name: "x",
      opts: { protect: false },
    };
    const report = () => expect.unreachable();
    policy.validateStack(
      { resources: [foreign], getConfig: () => ({}), stackTags: new Map() } as never,
      report as never,
    );
  });
});

// The documentation shows a program.
const QUOTING = ["readme.ts"];

test("rules know nothing of Pulumi", () => {
  const files = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((file) => file.endsWith(".ts") && !QUOTING.includes(file));
  const importing = files.filter((file) =>
    /from "(@pulumi\/|.*\/provider(\/index|\/pulumi\/.*)?")/.test(readFileSync(join(folder, file), "utf8")),
  );
  expect(importing.sort()).toEqual(["pack.ts", "pulumi/config-schema.ts", "pulumi/policies.ts", "pulumi/unwrap.ts"]);
});

test("a remediation adds to a list of the resource, whose secret members stay secret", async () => {
  const { deserializeProperties, serializeProperties } = createRequire(__filename)("@pulumi/policy/deserialize.js");
  const { Struct } = await import("google-protobuf/google/protobuf/struct_pb.js");
  const secret = (value: unknown) => ({
    "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
    value,
  });
  const forbiddenPrefixes = [secret("203.0.113.0/24"), "2001:DB8::/32"];
  const rails = { rails: [{ forbiddenPrefixes: ["198.51.100.0/24", "203.0.113.0/28"] }] };
  const config = parsePolicyConfig({ rules: { "organisation-rails": { level: "remediate", ...rails } } }, rules);
  const policy = named(
    policiesOf(rules, { config, environment: {} }) as ResourceValidationPolicy[],
    "organisation-rails",
  );
  const given = Struct.fromJavaScript({ ...set({ "192.0.2.0/24": 1 }), forbiddenPrefixes } as never);
  const props = deserializeProperties(given, true);
  const type = "pulumi-nodejs:dynamic/packetfilter:PrefixSet";
  const args = {
    type,
    urn: "urn:pulumi:dev::infra::x::blocked",
    name: "blocked",
    opts: {},
    props,
    getConfig: () => ({}),
  };
  const changed = await policy.remediateResource?.(args as never);
  expect(await serializeProperties(changed)).toMatchObject({
    forbiddenPrefixes: [...forbiddenPrefixes, "198.51.100.0/24"],
  });
});
