import { attempt } from "../provider/model/errors";
import { Prefix } from "../provider/model/prefix";
import { withoutPrefixes } from "../provider/model/prefixes-in-text";
import { some } from "../provider/model/text";
import type { Need } from "./not-configured";
import { SECRET } from "./resource-base";
import { type Resource, SetResource } from "./resources";
import { type Finding, isResourceRule, type Offender, type Rule } from "./rule";

/**
 * The message of a finding: resource, what is wrong, offenders, remedy, rule, and where to configure it.
 * @param hidesPrefixes True if it must not name prefixes: then it only counts the offenders.
 */
export function findingMessage(
  rule: Rule,
  finding: Finding,
  offenders: readonly Offender[] | undefined,
  hidesPrefixes: boolean,
): string {
  const count = offenders && (finding.of === undefined ? offenders.length : `${offenders.length} of ${finding.of}`);
  const list = offenders === undefined || hidesPrefixes ? "" : `: ${listOffenders(offenders)}`;
  const counted = count === undefined ? "" : ` (${count})`;
  const text = `${finding.problem}${counted}${list}. ${finding.remedy}`;
  return `${subject(finding.resource)}: ${hidesPrefixes ? withoutPrefixes(text, SECRET) : text} ${where(rule)}`;
}

/** The first five offenders and the number of the others: `a, b, c, d, e and 7 more`. */
export function listOffenders(offenders: readonly Offender[]): string {
  // The engine orders entries by text, not by address.
  const sorted = [...offenders].sort((a, b) => Prefix.compare(a.prefix, b.prefix));
  return some(sorted.map(({ prefix, detail }) => (detail === undefined ? prefix.toString() : `${prefix} (${detail})`)));
}

/** Message of a rule that reads a property whose value only the update will know. */
export function unknownMessage(rule: Rule, property: string, resource: Resource | undefined): string {
  // The engine runs stack policies when all resources exist.
  const when = isResourceRule(rule) ? "judges it before it changes the resource" : "judges it at its end";
  return `${subject(resource)}: cannot be judged yet, since \`${property}\` is known only in the update, which ${when}. Rule ${rule.name}.`;
}

/** Message of a rule, once for a set, when the shared configuration lacks what it needs. */
export function notConfiguredMessage(need: Need, set: string | undefined, rules: readonly string[]): string {
  const silent = `the rules ${rules.join(", ")} say nothing about ${set === undefined ? "it" : "this set"}`;
  if (set === undefined) {
    return `\`${need}\`: not configured, so ${rules.length === 1 ? `the rule ${rules[0]} says nothing` : silent}. List them under \`${need}\` in packetfilter-policies.yaml.`;
  }
  const line = need === "role" ? 'role: "block" or "allow"' : 'direction: "source" or "destination"';
  return `${set}: not configured for this set, which has no ${need}: ${silent}. Add a pattern that matches it, with ${line}, under \`sets\` in packetfilter-policies.yaml.`;
}

/** Name of a resource in messages: `PrefixSet "blocked" (prefixset://edge/blocked)`. */
function subject(resource: Resource | undefined): string {
  if (resource === undefined) return "The stack";
  const url = urlOf(resource);
  return url === undefined ? nameOf(resource) : `${nameOf(resource)} (${url})`;
}

/** `PrefixSet "blocked"`, `PrefixSetGroup "blocked" at fra1, fra2`. */
export function nameOf(resource: Resource): string {
  const name = `${resource.meta.kind} "${resource.name}"`;
  const nodes = resource instanceof SetResource ? attempt(() => resource.nodeNames) : undefined;
  return nodes === undefined || nodes.length === 0 ? name : `${name} at ${some(nodes)}`;
}

/** The address of the resource's set, if it has one and it is known. */
export function urlOf(resource: Resource | undefined): string | undefined {
  if (!(resource instanceof SetResource)) return undefined;
  return attempt(() => resource.url);
}

function where(rule: Rule): string {
  const paths = rule.configure.map((path) => `\`${path}\``).join(" and ");
  // Settings that rules share are in the file only, since Pulumi's policy configuration is per policy.
  const isOwn = Object.keys(rule.config.shape).length > 0;
  return `Rule ${rule.name}, configured by ${paths} in packetfilter-policies.yaml${isOwn ? " or by --policy-pack-config" : ""}.`;
}
