import { z } from "zod";
import { outermost } from "../../provider/model/coverage";
import type { Prefix } from "../../provider/model/prefix";
import { embeddedIpv4 } from "../../provider/model/prefix-embedded";
import { setPattern } from "../config/values";
import { listOffenders } from "../message";
import { matchesAny } from "../pattern";
import { stackRule } from "../rule";
import { known } from "./known";
import { byNode } from "./one-set";

/** Limits the addresses, of the Internet and of the owned prefixes, that a stack blocks. */
export const blastRadius = stackRule({
  name: "blast-radius",
  level: "advisory",
  description:
    "The block sets of a stack together cut off no more addresses than the limits; an address counts at each node once.",
  needs: ["role"],
  configure: ["rules.blast-radius"],
  exceptionsBy: [],
  config: z.strictObject({
    ipv4Addresses: z
      .int()
      .min(0)
      .default(16_777_216)
      .describe("Highest number of IPv4 addresses (default 16777216, a /8)."),
    ipv6Networks: z
      .int()
      .min(0)
      .default(4_294_967_296)
      .describe("Highest number of IPv6 /64 networks (default 4294967296, a /32)."),
    ownedIpv4Addresses: z
      .int()
      .min(0)
      .default(1_024)
      .describe("Highest number of owned IPv4 addresses (default 1024)."),
    ownedIpv6Networks: z
      .int()
      .min(0)
      .default(65_536)
      .describe("Highest number of owned IPv6 /64 networks (default 65536, a /48)."),
    except: z.array(setPattern).default([]).describe("Patterns of sets that do not count, such as a list of bogons."),
  }),
  example: {
    config: {
      sets: [{ pattern: "prefixset://*/blocked", role: "block" }],
      ownedPrefixes: ["198.51.100.0/24"],
    },
    settings: { ipv4Addresses: 256 },
    resources: [
      {
        kind: "PrefixSet",
        name: "blocked",
        inputs: { arena: "edge", set: "blocked", entries: { "203.0.113.0/24": 1, "198.51.100.0/28": 1 } },
      },
    ],
  },

  *judge({ sets }, { settings, meaning }) {
    const { values, leftOut } = known(sets, (resource) => {
      const counts = meaning.role(resource.url) === "block" && !matchesAny(settings.except, resource.url);
      return counts && resource.nodes && resource.entries ? [resource] : [];
    });
    yield* leftOut;
    let all = NOTHING;
    const owned = outermost(meaning.ownedPrefixList).map((prefix) => ({ prefix, amount: NOTHING }));
    for (const { holders, nodes } of byNode(values.flat())) {
      const declared = holders.flatMap(({ entries }) => entries.map(({ prefix }) => prefix));
      all = plus(all, count(outermost(declared)), nodes);
      // Traffic of a translator or tunnel comes from the IPv4 addresses embedded in its own.
      const reached = outermost([...declared, ...declared.flatMap(embeddedIpv4)]);
      for (const one of owned) one.amount = plus(one.amount, count(within(reached, one.prefix)), nodes);
    }
    const hit = owned.filter(({ amount: { addresses, networks } }) => addresses + networks > 0n);
    const ownedSum = hit.reduce((sum, { amount }) => plus(sum, amount, 1), NOTHING);
    const exceeded = [
      over(all.addresses, settings.ipv4Addresses, "IPv4 addresses"),
      over(all.networks, settings.ipv6Networks, "IPv6 /64 networks"),
      over(ownedSum.addresses, settings.ownedIpv4Addresses, "owned IPv4 addresses"),
      over(ownedSum.networks, settings.ownedIpv6Networks, "owned IPv6 /64 networks"),
    ].filter((text) => text !== undefined);
    if (exceeded.length === 0) return;
    const hits = hit.map(({ prefix, amount }) => ({ prefix, detail: words(amount) }));
    yield {
      problem: `it blocks ${exceeded.join(" and ")}. In all it blocks ${words(all)}; owned prefixes among them: ${
        hits.length > 0 ? listOffenders(hits) : "none"
      }`,
      remedy: "Check the added entries, list sets of bogons in `except`, or raise the limit.",
    };
  },
});

/** Intersection of the prefixes with `block`. */
function within(prefixes: readonly Prefix[], block: Prefix): Prefix[] {
  return prefixes.flatMap((prefix) => (block.contains(prefix) ? [prefix] : prefix.contains(block) ? [block] : []));
}

interface Amount {
  readonly addresses: bigint;
  readonly networks: bigint;
}

const NOTHING: Amount = { addresses: 0n, networks: 0n };

function plus(sum: Amount, { addresses, networks }: Amount, times: number): Amount {
  return { addresses: sum.addresses + addresses * BigInt(times), networks: sum.networks + networks * BigInt(times) };
}

function count(prefixes: readonly Prefix[]): Amount {
  let addresses = 0n;
  let networks = 0n;
  const within64 = new Set<string>();
  for (const prefix of prefixes) {
    if (prefix.family === 4) addresses += prefix.size;
    else if (prefix.length <= 64) networks += prefix.size >> 64n;
    else within64.add(prefix.truncate(64).toString());
  }
  return { addresses, networks: networks + BigInt(within64.size) };
}

function over(amount: bigint, limit: number, what: string): string | undefined {
  return amount > BigInt(limit) ? `${amount} ${what}, more than ${limit}` : undefined;
}

function words({ addresses, networks }: Amount): string {
  const parts = [
    addresses > 0n ? `${addresses} IPv4 addresses` : undefined,
    networks > 0n ? `${networks} IPv6 /64 networks` : undefined,
  ].filter((part) => part !== undefined);
  return parts.length > 0 ? parts.join(" and ") : "nothing";
}
