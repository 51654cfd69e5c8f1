import { z } from "zod";
import { Prefix } from "../../provider/model/prefix";
import { embeddedIpv4 } from "../../provider/model/prefix-embedded";
import { setPattern } from "../config/values";
import { listOffenders } from "../message";
import { matchesAny } from "../pattern";
import { stackRule } from "../rule";
import { known } from "./known";

const SLASH_64 = 1n << 64n;

/** How much of the Internet, and how much of our own network, a stack cuts off. */
export const blastRadius = stackRule({
  name: "blast-radius",
  level: "advisory",
  description: "The block sets of a stack together cut off no more addresses than the limits.",
  needs: ["role"],
  configure: ["rules.blast-radius"],
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
    except: z.array(setPattern).default([]).describe("Patterns of sets that do not count, as a list of bogons."),
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
      if (meaning.role(resource.url) !== "block" || matchesAny(settings.except, resource.url)) return [];
      return resource.entries.map(({ prefix }) => prefix);
    });
    yield* leftOut;
    const declared = values.flat();
    const all = count(outermost(declared));
    // Traffic of a translator or tunnel comes from the IPv4 addresses for which its own stand.
    const reached = outermost([...declared, ...declared.flatMap(embeddedIpv4)]);
    const owned = meaning.ownedPrefixList.map((prefix) => ({ prefix, ...count(within(reached, prefix)) }));
    const hit = owned.filter(({ addresses, networks }) => addresses + networks > 0n);
    const ownedSum = {
      addresses: hit.reduce((sum, { addresses }) => sum + addresses, 0n),
      networks: hit.reduce((sum, { networks }) => sum + networks, 0n),
    };
    const exceeded = [
      over(all.addresses, settings.ipv4Addresses, "IPv4 addresses"),
      over(all.networks, settings.ipv6Networks, "IPv6 /64 networks"),
      over(ownedSum.addresses, settings.ownedIpv4Addresses, "owned IPv4 addresses"),
      over(ownedSum.networks, settings.ownedIpv6Networks, "owned IPv6 /64 networks"),
    ].filter((text) => text !== undefined);
    if (exceeded.length === 0) return;
    const hits = hit.map((one) => ({ prefix: one.prefix, detail: amount(one) }));
    yield {
      problem: `it blocks ${exceeded.join(" and ")}. In all it blocks ${amount(all)}; owned prefixes among them: ${
        hits.length > 0 ? listOffenders(hits) : "none"
      }`,
      remedy: "Look at what was added, except sets of bogons, or raise the limit.",
    };
  },
});

/** The prefixes that no other one contains, so that nothing is counted twice. */
function outermost(prefixes: Prefix[]): Prefix[] {
  const outer: Prefix[] = [];
  // In this order a prefix follows the one that contains it, or others inside that one.
  for (const prefix of prefixes.sort(Prefix.compare)) if (!outer.at(-1)?.contains(prefix)) outer.push(prefix);
  return outer;
}

/** What the prefixes have in common with `block`. */
function within(prefixes: readonly Prefix[], block: Prefix): Prefix[] {
  return prefixes.flatMap((prefix) => (block.contains(prefix) ? [prefix] : prefix.contains(block) ? [block] : []));
}

interface Amount {
  readonly addresses: bigint;
  readonly networks: bigint;
}

function count(prefixes: readonly Prefix[]): Amount {
  let addresses = 0n;
  let addresses6 = 0n;
  for (const prefix of prefixes) {
    if (prefix.family === 4) addresses += prefix.size;
    else addresses6 += prefix.size;
  }
  return { addresses, networks: (addresses6 + SLASH_64 - 1n) / SLASH_64 };
}

function over(amount: bigint, limit: number, what: string): string | undefined {
  return amount > BigInt(limit) ? `${amount} ${what}, more than ${limit}` : undefined;
}

function amount({ addresses, networks }: Amount): string {
  const parts = [
    addresses > 0n ? `${addresses} IPv4 addresses` : undefined,
    networks > 0n ? `${networks} IPv6 /64 networks` : undefined,
  ].filter((part) => part !== undefined);
  return parts.length > 0 ? parts.join(" and ") : "nothing";
}
