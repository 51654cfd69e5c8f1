// What a pack of policies says, right and wrong. The compiler is the test.
import { z } from "zod";
import {
  type Context,
  type Direction,
  type Entry,
  type Finding,
  type Kind,
  type Level,
  type LoadOptions,
  loadPolicyConfig,
  type Meaning,
  type Notes,
  NotYetKnown,
  type Offender,
  type PolicyConfig,
  PolicyConfigError,
  type PolicyConfigInput,
  type PolicyConfigIssue,
  parsePolicyConfig,
  type Report,
  type Resource,
  type ResourceMeta,
  type ResourceRule,
  type Role,
  type Rule,
  type Run,
  type RunOptions,
  readResource,
  resourceRule,
  rules,
  type SetResource,
  SignalingResource,
  type StackRule,
  type StackView,
  stackRule,
  startRun,
} from "../../../policies";

export const written: PolicyConfigInput = {
  sets: [{ pattern: "prefixset://*/blocked*", role: "block", direction: "source" }],
  ownedPrefixes: ["198.51.100.0/24"],
  exceptions: [{ rule: "max-entries", set: "prefixset://edge/*", until: "2026-12-31", reason: "moving" }],
  rules: { "max-entries": "disabled", naming: { level: "advisory", pattern: "^[a-z]+$" } },
};
// @ts-expect-error a set blocks or allows
export const noRole: PolicyConfigInput = { sets: [{ pattern: "prefixset://**", role: "deny" }] };
// @ts-expect-error an exception has a reason
export const noReason: PolicyConfigInput = { exceptions: [{ rule: "naming", until: "2026-12-31" }] };
// @ts-expect-error one of the levels
export const noLevel: PolicyConfigInput = { rules: { naming: "warning" } };
export const level: Level = "remediate";
export const loading: LoadOptions = { folder: "infrastructure" };
// @ts-expect-error a folder is looked in
export const noLoading: LoadOptions = { file: "packetfilter-policies.yaml" };
export const config: PolicyConfig = loadPolicyConfig(rules, loading);
export const ends: Date | undefined = config.exceptions[0]?.until.moment;
// @ts-expect-error what was read does not change
config.unknownSets = "mandatory";
export const parsed: PolicyConfig = parsePolicyConfig(written, rules);

export function issues(error: unknown): readonly PolicyConfigIssue[] {
  if (!(error instanceof PolicyConfigError)) throw error;
  // @ts-expect-error an issue has a path
  error.issues[0]?.place;
  return error.issues;
}

// A rule of one's own.
export const noEmptySet: ResourceRule = resourceRule({
  name: "no-empty-set",
  level: "advisory",
  description: "A set has an entry.",
  on: ["PrefixSet"],
  needs: ["role"],
  configure: [],
  config: z.strictObject({ least: z.number().default(1) }),
  example: { resources: [{ kind: "PrefixSet", name: "a", inputs: { arena: "edge", set: "a", entries: [] } }] },
  *judge({ url, entries }: SetResource, { settings, meaning }: Context<{ least: number }>): Generator<Finding> {
    const role: Role = meaning.role(url);
    // @ts-expect-error a set blocks or allows
    if (role === "deny") return;
    // @ts-expect-error its settings are those of `config`
    if (entries.length < settings.most) yield { problem: "few entries", remedy: "Declare one." };
    // @ts-expect-error a finding says what to do
    yield { problem: "a set without entries" };
  },
});
export const fewSets: StackRule = stackRule({
  name: "few-sets",
  level: "mandatory",
  description: "A stack has at most 100 sets.",
  needs: [],
  configure: [],
  config: z.strictObject({}),
  example: { resources: [] },
  *judge({ sets, signalings }: StackView) {
    if (sets.length + signalings.length > 100) yield { problem: "more than 100", remedy: "Make a second stack." };
    // @ts-expect-error a stack has no profiles
    stack.profiles;
  },
});
// @ts-expect-error a rule judges
export const idle: StackRule = stackRule({
  name: "idle",
  level: "advisory",
  description: "",
  needs: [],
  configure: [],
  config: z.strictObject({}),
  example: { resources: [] },
});
export const all: Rule[] = [...rules, noEmptySet, fewSets];
// @ts-expect-error a rule is no text
all.push("naming");

// What rules read.
export const kind: Kind = "CloudSignaling";
// @ts-expect-error one of the classes
export const noKind: Kind = "Provider";
export const meta: ResourceMeta = { kind: "PrefixSet", urn: "urn", name: "blocked", protect: false };
// @ts-expect-error a resource has a name
export const noMeta: ResourceMeta = { kind: "PrefixSet", urn: "urn", protect: false };
export function look(resource: Resource = readResource(meta, {}), meaning?: Meaning): readonly Offender[] {
  if (resource instanceof SignalingResource) {
    // @ts-expect-error a signaling has prefixes
    return resource.entries;
  }
  const set: SetResource = resource;
  const direction: Direction | undefined = meaning?.direction(set.url);
  // @ts-expect-error of source or destination
  if (direction === "both") return [];
  return set.entries.flatMap(({ prefix, value, notes }: Entry) => {
    const noted: Notes | undefined = notes;
    if (value === undefined) throw new NotYetKnown("entries");
    // @ts-expect-error a note has a reason
    return noted?.why ? [{ prefix, detail: "noted" }] : [];
  });
}
// @ts-expect-error an offender is a parsed prefix
export const offender: Offender = { prefix: "192.0.2.0/24" };

export const runOptions: RunOptions = { config, now: new Date(0), environment: {} };
// @ts-expect-error a moment
export const noRunOptions: RunOptions = { now: 0 };
export const run: Run = startRun(all, runOptions);
// @ts-expect-error what judges is given at the start
run.rules = [];
export const report: Report = { message: "3 of 120", level: "advisory" };
// @ts-expect-error a message may only be milder
export const noReport: Report = { message: "3 of 120", level: "disabled" };
