import { z } from "zod";
import {
  ALWAYS_ALLOWED,
  allowedOf,
  DEFAULT_MAX_REMOVALS,
  parseShareLimit,
  SHARE_TEXT,
  uncovered,
} from "../../provider/model/limits";
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
        "List of `{ set, forbiddenPrefixes, requiredPrefixes, maxEntries, maxRemovals, maxChanges }`; all that match a set count (default none). A number in the program is compared with a share by the declared entries; a share does not keep to a number.",
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
    // A set without the argument has a default already.
    const own = resource[name] ?? (name === "maxRemovals" ? DEFAULT_MAX_REMOVALS : undefined);
    const size = () => resource.entries.length;
    if (limits.every((limit) => isWithin(own, limit, size))) continue;
    // A number stays one: at a node with more entries than the program declares, a share may be more.
    const numbers = own !== undefined && parseShareLimit(own) && isNumber(own) ? [own] : [];
    lacks[name] = strictest([...limits, ...numbers], size);
  }
  return lacks;
}

/**
 * True for a limit that is no looser than another. A number of entries is compared with the share of the declared entries. A
 * share is never within a number: the set that shrinks may hold any number of entries at its node.
 */
function isWithin(own: Share | undefined, limit: Share, size: () => number): boolean {
  const parsed = own === undefined ? undefined : parseShareLimit(own);
  if (own === undefined || parsed === undefined) return false;
  if (isNumber(own) === isNumber(limit)) return amountOf(own) <= amountOf(limit);
  if (!isNumber(own)) return false;
  const isEach = amountOf(limit) >= 100;
  return isEach || amountOf(own) <= ALWAYS_ALLOWED || amountOf(own) <= entriesOf(limit, size);
}

/** The limit that is within all of some: the lowest share, or with a number among them a number. */
function strictest(limits: readonly Share[], size: () => number): Share | undefined {
  const numbers = limits.filter(isNumber).map(amountOf);
  const shares = limits.filter((limit) => !isNumber(limit));
  const share = shares.find((limit) => shares.every((other) => amountOf(limit) <= amountOf(other)));
  if (numbers.length === 0 || share === undefined) return share ?? Math.min(...numbers);
  return Math.min(...numbers, entriesOf(share, size));
}

/** Number of entries that a share of the declared ones allows. */
function entriesOf(share: Share, size: () => number): number {
  const parsed = parseShareLimit(share);
  return parsed ? allowedOf(parsed, size()) : 0;
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
