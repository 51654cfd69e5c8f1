import { z } from "zod";
import { globalSet, type RuleSpec, ruleSchema } from "../emulator/rules/rule-schema";
import type { Rule } from "../model/mark";
import { resourceIn } from "../model/readable";
import type { PrefixSetUrl } from "../model/resource-url";

/** Arena and profile of a rule. */
interface RulePlace {
  readonly arena: string;
  readonly profile: string;
}

/**
 * The rules of a node as rules of a state. A rule whose record this package's rule engine understands, as those of another
 * emulator, is carried out by the copy; of any other only id and name are known, and its members are listed as they are.
 *
 * @param isCaptured True for a set that the copy holds.
 */
export function captureRules(
  rules: readonly Rule[],
  where: RulePlace,
  isCaptured: (url: PrefixSetUrl) => boolean,
): RuleSpec[] {
  const ids = new Set<number>();
  return rules.map((rule) => {
    const executable = asExecutable(rule);
    const hasItsSets = executable && setNames(executable).every((name) => setsOf(name, where).some(isCaptured));
    const unique = rule.id === undefined || !ids.has(rule.id);
    if (rule.id !== undefined) ids.add(rule.id);
    return hasItsSets && unique ? executable : asListed(rule, unique);
  });
}

/** Addresses of the sets in rules: as urls anywhere in a record, or by name where the engine understands it. */
export function setsNamedIn(rules: readonly Rule[], where: RulePlace): PrefixSetUrl[] {
  return rules.flatMap((rule) => {
    const executable = asExecutable(rule);
    const named = executable ? setNames(executable) : [];
    return [...named.flatMap((name) => setsOf(name, where)), ...texts(rule.extra ?? {}).flatMap(setUrl)];
  });
}

/** The set that a rule names by its address, or those that it may mean by a name: one of the profile before that of the arena. */
function setsOf(name: string, { arena, profile }: RulePlace): PrefixSetUrl[] {
  const elsewhere = globalSet(name);
  if (elsewhere) return [elsewhere];
  return [
    { kind: "prefixset", arena, profile, set: name },
    { kind: "prefixset", arena, set: name },
  ];
}

function asExecutable({ id, name, extra = {} }: Rule): RuleSpec | undefined {
  const { match, actions, ...rest } = extra;
  if (match === undefined && actions === undefined) return undefined;
  const candidate = { id, name, match, actions, ...(Object.keys(rest).length > 0 && { extra: rest }) };
  const result = ruleSchema.safeParse(JSON.parse(JSON.stringify(candidate)));
  return result.success ? result.data : undefined;
}

function asListed({ id, name, extra = {} }: Rule, unique: boolean): RuleSpec {
  const usable = unique && ruleSchema.shape.id.safeParse(id).success;
  const more = { ...(!usable && id !== undefined && { id }), ...extra };
  return {
    ...(usable && id !== undefined && { id }),
    ...(name !== undefined && { name }),
    ...(Object.keys(more).length > 0 && { extra: more }),
  };
}

const reference = z.looseObject({ set: z.looseObject({ name: z.string() }).optional(), not: z.unknown().optional() });

function setNames(rule: RuleSpec): string[] {
  const visit = (match: unknown): string[] => {
    const { set, not } = reference.parse(match);
    return [...(set ? [set.name] : []), ...(not === undefined ? [] : visit(not))];
  };
  return (rule.match ?? []).flatMap(visit);
}

/** Every text in a record, however deep. */
function texts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(texts) : [];
}

function setUrl(text: string): PrefixSetUrl[] {
  return (text.match(/prefixset:\/\/[^\s"'<>,;()]+/g) ?? []).flatMap((candidate) => {
    const url = resourceIn(candidate);
    return url?.kind === "prefixset" ? [url] : [];
  });
}
