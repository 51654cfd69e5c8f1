import { z } from "zod";
import { ALWAYS_ALLOWED, DEFAULT_MAX_REMOVALS, SHARE_TEXT, uncovered } from "../../provider/model/limits";
import { prefix, setPattern } from "../config/values";
import { entriesFinding } from "../entries-finding";
import { bindsSet } from "../pattern";
import { PrefixBuckets } from "../prefix-buckets";
import type { SetResource } from "../resources";
import { type Finding, resourceRule } from "../rule";

const share = z.union([z.int().min(0), z.string().regex(SHARE_TEXT, 'write a number, or a share as "20%"')]);

const rail = z.strictObject({
  set: setPattern.default("prefixset://**"),
  forbiddenPrefixes: z.array(prefix).default([]),
  requiredPrefixes: z.array(prefix).default([]),
  maxEntries: z.int().min(0).optional(),
  maxRemovals: share.optional(),
  maxChanges: share.optional(),
});
type Rail = z.output<typeof rail>;
type Share = z.output<typeof share>;

const RULE = {
  name: "organisation-rails",
  level: "advisory" as const,
  description:
    "Sets have the organisation's forbidden and required prefixes and its limits of entries, of removals and of other values, and keep to them; the level `remediate` puts them in.",
  on: ["PrefixSet", "PrefixSetEntry"] as const,
  needs: [],
  configure: ["rules.organisation-rails.rails"],
  config: z.strictObject({
    rails: z
      .array(rail)
      .default([])
      .describe(
        "List of `{ set, forbiddenPrefixes, requiredPrefixes, maxEntries, maxRemovals, maxChanges }`; all that match a set count (default none). In the program a number of more than 20 does not keep to a share, nor a share to a number.",
      ),
  }),
  example: {
    settings: { rails: [{ forbiddenPrefixes: ["198.51.100.0/24"], maxRemovals: "20%" }] },
    resources: [
      {
        kind: "PrefixSet" as const,
        name: "blocked",
        inputs: { arena: "edge", set: "blocked", entries: { "198.51.100.7/32": 1 } },
      },
    ],
  },
};

/**
 * Limits of an organisation on its sets. At the level `remediate` the rule extends `forbiddenPrefixes` and
 * `requiredPrefixes` of a resource, sets an absent or looser `maxEntries`, `maxRemovals` or `maxChanges`, and changes no entries.
 */
export const organisationRails = resourceRule({
  ...RULE,

  *judge(resource, { settings }) {
    const lacks = lacking(resource, settings.rails);
    const names = Object.keys(lacks);
    if (names.length > 0) {
      yield {
        problem: `it lacks the organisation's ${names.map((name) => `\`${name}\``).join(", ")}`,
        remedy: "Write them into the program, or set the level of this rule to `remediate`.",
      };
    }
    yield* broken(resource, settings.rails);
  },

  remediate(resource, { settings }) {
    const lacks = lacking(resource, settings.rails);
    return Object.keys(lacks).length === 0 ? undefined : lacks;
  },
});

/** The part of the rule that holds for entries without their set, such as those of a prefix file. */
export const organisationForbids = resourceRule({
  ...RULE,
  judge: (resource, { settings }) => overlapping(resource, railsOf(resource, settings.rails)),
});

function railsOf({ url }: SetResource, rails: readonly Rail[]): readonly Rail[] {
  return rails.filter(({ set }) => bindsSet(set, url));
}

/** Limits that the resource lacks or has looser, and prefixes that its lists do not cover. */
function lacking(resource: SetResource, rails: readonly Rail[]): Readonly<Record<string, unknown>> {
  const mine = railsOf(resource, rails);
  const lacks: Record<string, unknown> = {};
  for (const name of ["forbiddenPrefixes", "requiredPrefixes"] as const) {
    const demanded = mine.flatMap((one) => one[name]);
    const added = resource.isWhole || name === "forbiddenPrefixes" ? uncovered(demanded, resource[name]) : [];
    if (added.length > 0) lacks[name] = [...new Set(added.map(String))];
  }
  if (!resource.isWhole) return lacks;
  for (const name of ["maxEntries", "maxRemovals", "maxChanges"] as const) {
    const limits = mine.flatMap((one) => one[name] ?? []);
    const given = [resource[name] ?? []].flat().filter(isLimit);
    // A set without the argument has a default already.
    const [own = name === "maxRemovals" ? DEFAULT_MAX_REMOVALS : undefined] = given;
    if (own !== undefined && limits.every((limit) => isWithin(own, limit))) continue;
    if (limits.length > 0) lacks[name] = strictest([...limits, ...given]);
  }
  return lacks;
}

/**
 * True for a limit that is no looser than another, whatever a node holds. A share is never within a number. A number is within
 * a share if it is always allowed, or the share is all: the set may be smaller at its node than in the program.
 */
function isWithin(own: Share, limit: Share): boolean {
  if (isNumber(own) === isNumber(limit)) return amountOf(own) <= amountOf(limit);
  return isNumber(own) && (amountOf(own) <= ALWAYS_ALLOWED || amountOf(limit) >= 100);
}

/** The limit that is within all others, or where numbers meet shares the number that is always allowed. */
function strictest(limits: readonly Share[]): Share {
  return limits.find((one) => limits.every((limit) => isWithin(one, limit))) ?? ALWAYS_ALLOWED;
}

function isLimit(given: Share): boolean {
  return typeof given === "number" || SHARE_TEXT.test(given);
}

function isNumber(limit: Share): boolean {
  return !String(limit).endsWith("%");
}

function amountOf(limit: Share): number {
  return Number.parseFloat(String(limit));
}

// A remediation follows `check`, so the resource itself would check the added prefixes only when it writes. With this
// rule, the preview shows what the update would refuse.
function* broken(resource: SetResource, rails: readonly Rail[]): Generator<Finding> {
  const mine = railsOf(resource, rails);
  if (mine.length === 0) return;
  yield* overlapping(resource, mine);
  if (!resource.isWhole) return;
  const count = resource.entries.length;
  const most = Math.min(...mine.map(({ maxEntries = Number.POSITIVE_INFINITY }) => maxEntries));
  if (count > most) {
    yield { problem: `it holds ${count} entries, more than ${most}`, remedy: "Aggregate or split the set." };
  }
  const required = mine.flatMap((one) => one.requiredPrefixes);
  const prefixes = resource.entries.map(({ prefix }) => prefix);
  const missing = uncovered(required, prefixes);
  if (missing.length > 0) {
    yield {
      problem: "prefixes that the organisation requires and no entry covers",
      of: required.length,
      offenders: missing.map((prefix) => ({ prefix })),
      remedy: "Add them.",
    };
  }
}

function overlapping(resource: SetResource, rails: readonly Rail[]): Iterable<Finding> {
  const forbidden = PrefixBuckets.of(rails.flatMap((one) => one.forbiddenPrefixes));
  return entriesFinding(resource, {
    offence: ({ prefix }) => {
      const [other] = forbidden.reaching(prefix);
      return other && `${other.embedded ? `stands for ${other.embedded}, which ` : ""}overlaps ${other.value}`;
    },
    problem: "entries that overlap prefixes which the organisation forbids",
    remedy: "Remove them.",
  });
}
