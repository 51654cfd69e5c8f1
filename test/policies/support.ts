import { describe, expect, test } from "vitest";
import { rules } from "../../policies/all-rules";
import { parsePolicyConfig } from "../../policies/config/load";
import type { PolicyConfigInput } from "../../policies/config/schema";
import { judgeResource, judgeStack, type Report } from "../../policies/judge";
import { readResource, readResources, SetResource, SignalingResource } from "../../policies/resources";
import {
  type ExampleResource,
  isResourceRule,
  kindsOf,
  type ResourceRule,
  type Rule,
  type StackRule,
} from "../../policies/rule";
import { settingsOf } from "../../policies/settings";
import { startRun } from "../../policies/start-run";
import { typeToken } from "../../provider/model/resource-kind";

/** The marker that the engine sends for a text that a preview cannot know. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** When all tests take place. */
export const NOW = new Date("2026-06-15T12:00:00Z");

export interface Case {
  readonly config?: PolicyConfigInput;
  readonly stack?: string;
  /** The stack configuration as a provider gets it. */
  readonly stackConfig?: Record<string, unknown>;
  readonly now?: Date;
  readonly environment?: Record<string, string>;
}

/** A run of all rules with this configuration. */
export function runOf({ config = {}, now = NOW, environment = {} }: Case = {}) {
  return startRun(rules, { config: parsePolicyConfig(config, rules), now, environment });
}

function urnOf({ kind, name, type = typeToken(kind) }: ExampleResource, stack = "dev"): string {
  return `urn:pulumi:${stack}::infra::${type}::${name}`;
}

export function resourceOf(resource: ExampleResource, stack = "dev", stackConfig?: Record<string, unknown>) {
  const { kind, name, protect = false, inputs } = resource;
  return readResource({ kind, name, protect, urn: urnOf(resource, stack), config: stackConfig }, inputs);
}

function resourcesOf(resource: ExampleResource, { stack, stackConfig: config, environment }: Case) {
  const { kind, name, protect = false, inputs } = resource;
  return readResources({ kind, name, protect, urn: urnOf(resource, stack), config, environment }, inputs);
}

/** Findings of one rule for resources; a resource rule is asked about each in turn. */
export function reportsOf(rule: Rule, resources: readonly ExampleResource[], options: Case = {}): Report[] {
  const run = runOf(options);
  const settings = settingsOf(rule, run.config);
  const read = resources.map((resource) => resourcesOf(resource, options));
  if (isResourceRule(rule)) {
    const kinds = kindsOf(rule);
    return resources.flatMap(({ kind }, index) =>
      kinds.includes(kind) ? judgeResource(rule as ResourceRule, read[index] ?? [], settings, run) : [],
    );
  }
  const all = read.flat();
  const sets = all.filter((resource) => resource instanceof SetResource);
  const signalings = all.filter((resource) => resource instanceof SignalingResource);
  return judgeStack(rule as StackRule, { sets, signalings }, settings, run);
}

/** The same, messages only. */
export function messagesOf(...args: Parameters<typeof reportsOf>): string[] {
  return reportsOf(...args).map(({ message }) => message);
}

/** Tests of one rule: resources that it is asked about, and a part of each message; none where they pass. */
export function judges(
  rule: Rule,
  options: Case,
  cases: readonly (readonly [
    title: string,
    asked: ExampleResource | readonly ExampleResource[],
    found?: string | readonly string[],
    options?: Case,
  ])[],
): void {
  describe(rule.name, () => {
    for (const [title, asked, found = [], own = options] of cases)
      test(title, () => {
        const parts = [found].flat().map((part) => expect.stringContaining(part));
        expect(messagesOf(rule, [asked].flat(), own)).toEqual(parts);
      });
  });
}

/** A `PrefixSet` with inputs as they are after `check`. */
export function prefixSet(inputs: Record<string, unknown> = {}, name = "blocked"): ExampleResource {
  const { protect = false, ...rest } = inputs;
  return {
    kind: "PrefixSet",
    name,
    protect: protect as boolean,
    inputs: { arena: "edge", set: "blocked", entries: { "203.0.113.0/24": 1 }, ...rest },
  };
}

/** A `PrefixSetGroup` with inputs as they are after `check`: nodes by name. */
export function prefixSetGroup(inputs: Record<string, unknown> = {}, name = "blocked"): ExampleResource {
  return {
    kind: "PrefixSetGroup",
    name,
    inputs: { arena: "edge", set: "blocked", entries: { "203.0.113.0/24": 1 }, nodes: { fra1: {} }, ...inputs },
  };
}

export function prefixSetEntry(inputs: Record<string, unknown> = {}, name = "entry"): ExampleResource {
  return {
    kind: "PrefixSetEntry",
    name,
    inputs: { arena: "edge", set: "blocked", prefix: "203.0.113.4/32", value: 1, ...inputs },
  };
}

export function signaling(prefixes: unknown, name = "attack", inputs: Record<string, unknown> = {}): ExampleResource {
  return { kind: "CloudSignaling", name, inputs: { prefixes, ...inputs } };
}
