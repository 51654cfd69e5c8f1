import { z } from "zod";
import { SHARE_TEXT, uncovered } from "../../provider/model/limits";
import type { Prefix } from "../../provider/model/prefix";
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

/**
 * Limits of an organisation on its sets. At the level `remediate` the rule extends `forbiddenPrefixes` and
 * `requiredPrefixes` of a resource, sets an absent `maxEntries`, `maxRemovals` or `maxChanges`, and never changes entries.
 */
export const organisationRails = resourceRule({
  name: "organisation-rails",
  level: "advisory",
  description:
    "Sets have the organisation's forbidden and required prefixes and its limits of entries, of removals and of other values, and keep to them; the level `remediate` puts them in.",
  on: ["PrefixSet", "PrefixSetEntry"],
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
        kind: "PrefixSet",
        name: "blocked",
        inputs: { arena: "edge", set: "blocked", entries: { "198.51.100.7/32": 1 } },
      },
    ],
  },

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

/** The properties that replace the resource's own. */
function lacking(resource: SetResource, rails: readonly Rail[]): Readonly<Record<string, unknown>> {
  const mine = rails.filter(({ set }) => bindsSet(set, resource.url));
  const lacks: Record<string, unknown> = {};
  const forbidden = united(
    resource.forbiddenPrefixes,
    mine.flatMap((one) => one.forbiddenPrefixes),
  );
  if (forbidden.length > resource.forbiddenPrefixes.length) lacks.forbiddenPrefixes = forbidden.map(String);
  if (!resource.isWhole) return lacks;
  const required = united(
    resource.requiredPrefixes,
    mine.flatMap((one) => one.requiredPrefixes),
  );
  if (required.length > resource.requiredPrefixes.length) lacks.requiredPrefixes = required.map(String);
  for (const name of ["maxEntries", "maxRemovals", "maxChanges"] as const) {
    const limit = mine.find((one) => one[name] !== undefined)?.[name];
    if (limit !== undefined && resource[name] === undefined) lacks[name] = limit;
  }
  return lacks;
}

// A remediation follows `check`, so the resource itself would check the added prefixes only when it writes. With this
// rule, the preview shows what the update would refuse.
function* broken(resource: SetResource, rails: readonly Rail[]): Generator<Finding> {
  const mine = rails.filter(({ set }) => bindsSet(set, resource.url));
  if (mine.length === 0) return;
  const forbidden = PrefixBuckets.of(mine.flatMap((one) => one.forbiddenPrefixes));
  yield* entriesFinding(resource, {
    offence: ({ prefix }) => {
      const [other] = forbidden.reaching(prefix);
      return other && `${other.embedded ? `stands for ${other.embedded}, which ` : ""}overlaps ${other.value}`;
    },
    problem: "entries that overlap prefixes which the organisation forbids",
    remedy: "Remove them.",
  });
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

function united(own: readonly Prefix[], added: readonly Prefix[]): readonly Prefix[] {
  const all = new Map([...own, ...added].map((prefix) => [prefix.toString(), prefix]));
  return [...all.values()];
}
