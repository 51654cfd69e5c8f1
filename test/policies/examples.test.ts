import type { ResourceValidationPolicy, StackValidationPolicy } from "@pulumi/policy";
import { describe, expect, test } from "vitest";
import * as policies from "../../policies/index";
import type { ExampleResource, Rule } from "../../policies/rule";
import { nativeToken, typeToken } from "../../provider/model/resource-kind";
import { NOW, reportsOf } from "./support";

const { parsePolicyConfig, policiesOf, rules } = policies;
const configOf = ({ name, example: { config = {}, settings = {} } }: Rule) => ({
  ...config,
  rules: { [name]: settings },
});

/** Messages of a policy of the pack about resources under these types, as the engine asks it. */
function said(rule: Rule, resources: readonly ExampleResource[], token: (kind: string) => string): string[] {
  const config = parsePolicyConfig(configOf(rule), rules);
  const [policy] = policiesOf([rule], { config, environment: {}, now: NOW });
  const asked = resources.map(({ kind, type = token(kind), name, protect = false, inputs }) => ({
    type,
    name,
    urn: `urn:pulumi:${rule.example.stack ?? "dev"}::infra::${type}::${name}`,
    props: structuredClone(inputs),
    opts: { protect },
    provider: { type: `pulumi:providers:${type.split(":")[0]}`, props: {} },
    getConfig: () => ({}),
    notApplicable: () => undefined,
  }));
  const messages: string[] = [];
  const report = (one: string | { message: string }) => messages.push(typeof one === "string" ? one : one.message);
  const { validateResource } = policy as ResourceValidationPolicy;
  if (typeof validateResource === "function") for (const one of asked) validateResource(one as never, report as never);
  else (policy as StackValidationPolicy).validateStack({ resources: asked, getConfig: () => ({}) } as never, report);
  return messages;
}

// The examples are what the documentation shows.
describe.each(rules)("$name", (rule) => {
  const { stack, resources } = rule.example;
  test("is broken by its example, of the plugin and also where it restores, in the same words", () => {
    const reports = reportsOf(rule, resources, { config: configOf(rule), ...(stack && { stack }) });
    expect(reports.length).toBeGreaterThan(0);
    for (const { message, level } of reports)
      expect([message, level]).toEqual([expect.stringContaining(`Rule ${rule.name}, configured by `), undefined]);
    const messages = reports.map(({ message }) => message);
    const restores = { restores: "1 missing entry: 0.0.0.0/0" };
    const restoring = resources.map((one) => ({ ...one, inputs: { ...one.inputs, ...restores } }));
    expect([said(rule, resources, typeToken), said(rule, restoring, typeToken)]).toEqual([messages, messages]);
    // The plugin serves no types but its own, so that none of its resources has a foreign one.
    if (rule.name !== "foreign-type") expect(said(rule, resources, nativeToken)).toEqual(messages);
  });

  // The example of the rails lacks arguments; their other findings are about prefixes.
  const { exceptionsBy = ["prefix", "set"], name } = rule;
  test.each(name === "organisation-rails" ? ["set"] : exceptionsBy)("has exceptions by %s", (member) => {
    const patterns = member === "set" ? ["prefixset://**"] : ["0.0.0.0/0", "::/0"];
    const exceptions = patterns.map((pattern) => ({ rule: name, [member]: pattern, until: "2099-01-01", reason: "x" }));
    expect(reportsOf(rule, resources, { config: { ...configOf(rule), exceptions }, ...(stack && { stack }) })).toEqual(
      [],
    );
  });
});

test("the package exports exactly its rules, by name", () => {
  const named = Object.values(policies).filter((one) => typeof one === "object" && "judge" in one);
  expect(new Set(named)).toEqual(new Set(rules));
  expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length);
});
