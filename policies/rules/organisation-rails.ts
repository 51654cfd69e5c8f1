import { z } from "zod";
import { DEFAULT_MAX_REMOVALS, SHARE_TEXT, uncovered } from "../../provider/model/limits";
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
        "List of `{ set, forbiddenPrefixes, requiredPrefixes, maxEntries, maxRemovals, maxChanges }`; all that match a set count (default none).",
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
 * `requiredPrefixes` of a resource, sets an absent or looser `maxEntries`, `maxRemovals` or `maxChanges`, and never changes entries.
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
    const limit = stricter(resource[name], limits);
    if (limit === undefined) continue;
    // A set without the argument has a default already.
    const hasStricter = name === "maxRemovals" && resource[name] === undefined && !isNumber(limit);
    if (!hasStricter || stricter(DEFAULT_MAX_REMOVALS, [limit]) !== undefined) lacks[name] = limit;
  }
  return lacks;
}

/** The strictest limit of the form of the resource's own that is stricter than that: a number of entries and a share cannot be compared. */
function stricter(own: Share | undefined, limits: readonly Share[]): Share | undefined {
  const form = isNumber(own ?? limits[0] ?? 0);
  const alike = limits.filter((limit) => isNumber(limit) === form);
  const least = Math.min(...alike.map(amountOf));
  return least < amountOf(own ?? Number.POSITIVE_INFINITY)
    ? alike.find((limit) => amountOf(limit) === least)
    : undefined;
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
