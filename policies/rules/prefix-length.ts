import { z } from "zod";
import { wideFamilies } from "../../provider/model/coverage";
import type { Prefix } from "../../provider/model/prefix";
import { entriesFinding } from "../entries-finding";
import { resourceRule } from "../rule";
import { specialPurpose } from "../special-purpose-lookup";

/** Shortest prefix in any set by default, in bits. */
export const SHORTEST_BY_DEFAULT = { ipv4: 8, ipv6: 16 } as const;

const bounds = (bits: number, shortest?: number) =>
  z
    .strictObject({
      shortest:
        shortest === undefined ? z.int().min(1).max(bits).optional() : z.int().min(1).max(bits).default(shortest),
      longest: z.int().min(1).max(bits).optional(),
    })
    .refine(({ shortest = 1, longest = bits }) => shortest <= longest, "allows no length: shortest is above longest");

const perRole = z.strictObject({ ipv4: bounds(32).optional(), ipv6: bounds(128).optional() }).optional();

/** Refuses a default route, by one or several entries, and lengths outside those for the family and the role of the set. */
export const prefixLength = resourceRule({
  name: "prefix-length",
  level: "mandatory",
  description:
    "Entries of a set are not default routes, cover together no more than a quarter of a family unless its shortest is 1, and are neither shorter nor longer than their family and the set's role allow.",
  on: ["PrefixSet", "PrefixSetEntry"],
  needs: [],
  configure: ["rules.prefix-length"],
  config: z.strictObject({
    ipv4: bounds(32, SHORTEST_BY_DEFAULT.ipv4)
      .prefault({})
      .describe("Lengths of IPv4 prefixes in any set: `shortest` (default 8), `longest`."),
    ipv6: bounds(128, SHORTEST_BY_DEFAULT.ipv6)
      .prefault({})
      .describe("Lengths of IPv6 prefixes in any set: `shortest` (default 16), `longest`."),
    block: perRole.describe("Other lengths for sets with the role block: `ipv4`, `ipv6`."),
    allow: perRole.describe("Other lengths for sets with the role allow: `ipv4`, `ipv6`."),
  }),
  example: {
    settings: { ipv4: { shortest: 24 } },
    resources: [
      {
        kind: "PrefixSet",
        name: "blocked",
        inputs: { arena: "edge", set: "blocked", entries: { "192.0.2.0/23": 1, "203.0.113.0/24": 1 } },
      },
    ],
  },

  *judge(resource, { settings, meaning }) {
    const role = meaning.roleIfAny(resource.url);
    const own = role && settings[role];
    const limits = { 4: { ...settings.ipv4, ...own?.ipv4 }, 6: { ...settings.ipv6, ...own?.ipv6 } };
    const offence = ({ prefix }: { readonly prefix: Prefix }) =>
      problem(prefix, limits[prefix.family], role === "block");
    yield* entriesFinding(resource, {
      offence,
      problem: "entries with a prefix length that is not allowed",
      remedy: "Write the intended prefixes, or change the limits.",
    });
    const others = resource.entries.filter((entry) => offence(entry) === undefined);
    const tooWide = wideFamilies(others.map(({ prefix }) => prefix.toString())).filter(
      (family) => limits[family].shortest !== 1,
    );
    if (tooWide.length > 0)
      yield {
        problem: `its ${tooWide.map((family) => `IPv${family}`).join(" and ")} entries together cover more than a quarter of all addresses`,
        remedy: "Write the intended prefixes, or allow it with shortest: 1 for the family.",
      };
  },
});

function problem(
  prefix: Prefix,
  { shortest, longest }: { shortest?: number; longest?: number },
  isBlockSet: boolean,
): string | undefined {
  if (prefix.length === 0) return "the default route";
  if (longest !== undefined && prefix.length > longest) return `longer than /${longest}`;
  if (shortest === undefined || prefix.length >= shortest) return undefined;
  // A block set may hold bogons shorter than any customer's prefix, such as 240.0.0.0/4.
  return isBlockSet && specialPurpose(prefix) ? undefined : `shorter than /${shortest}`;
}
