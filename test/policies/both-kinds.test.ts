import type { ResourceValidationPolicy, StackValidationPolicy } from "@pulumi/policy";
import { describe, expect, test } from "vitest";
import { parsePolicyConfig, policiesOf, rules } from "../../policies/index";
import type { Rule } from "../../policies/rule";
import { nativeToken, typeToken } from "../../provider/model/resource-kind";
import { NOW } from "./support";

type Token = (kind: string) => string;

/** Findings of a policy of the pack for the rule's example, as the engine asks it about resources of this kind. */
function said(rule: Rule, token: Token): string[] {
  const { config = {}, settings = {}, stack = "dev", resources } = rule.example;
  const parsed = parsePolicyConfig({ ...config, rules: { [rule.name]: settings } }, rules);
  const [policy] = policiesOf([rule], { config: parsed, environment: {}, now: NOW });
  const asked = resources.map(({ kind, type = token(kind), name, protect = false, inputs }) => ({
    type,
    name,
    urn: `urn:pulumi:${stack}::infra::${type}::${name}`,
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

// The plugin serves no types but its own, so that none of its resources has a foreign one.
const both = rules.filter(({ name }) => name !== "foreign-type");

describe.each(both.map((rule) => [rule.name, rule] as const))("%s", (_, rule) => {
  test("stops a resource of the plugin with the words that stop a dynamic one", () => {
    const dynamic = said(rule, typeToken);
    expect(dynamic.length).toBeGreaterThan(0);
    expect(said(rule, nativeToken)).toEqual(dynamic);
  });
});
