import type { Declared } from "../scenario";
import type { Random } from "../world/random";
import type { Design } from "./programs";

/** Check of the health of each node, which the seed decides. */
export const HEALTH = { url: "http://health.example/{node}" } as const;
/** Another check, which every node passes. */
const FORMALITY = { url: "http://health.example/other/{node}" } as const;

type Rollout = Readonly<Record<string, unknown>> & { readonly waves: { readonly canary?: readonly string[] } };

/** The group of a program. */
export function groupOf({ resources }: Design): Declared | undefined {
  return resources.find(({ type }) => type === "PrefixSetGroup");
}

/** The group with another check than the one of the nodes' health, with none, or without waves; or with that one again. */
export function anotherCheck(random: Random, group: Declared): Declared {
  const { rollout, ...args } = group.args as { rollout?: Rollout };
  const { waves = [1, 2], check, checkTimeoutMs: _, ...rest } = { ...rollout };
  const withCheck = (it: object | undefined) => ({
    ...group,
    args: { ...args, rollout: { ...rest, waves, ...(it && { check: it, checkTimeoutMs: 12_000 }) } },
  });
  if ((check as { url?: string } | undefined)?.url !== HEALTH.url) return withCheck(HEALTH);
  switch (random.weighted({ other: 3, none: 2, noWaves: 1 })) {
    case "other":
      return withCheck(FORMALITY);
    case "none":
      return withCheck(undefined);
    case "noWaves":
      return { ...group, args };
  }
}

/** The group with its nodes in another order: one that came later is the first. */
export function otherWaves(random: Random, group: Declared): Declared {
  const { rollout, nodes } = group.args as { rollout?: Rollout; nodes: readonly string[] };
  if (!rollout) return group;
  const waves = { canary: [random.pick(nodes)], size: random.int(1, 2) };
  return { ...group, args: { ...group.args, rollout: { ...rollout, waves } } };
}

/** The group under another name, known or not to be the same. */
export function renamed(random: Random, group: Declared): Declared {
  const name = group.name.endsWith("-2") ? group.name.slice(0, -2) : `${group.name}-2`;
  const { aliases: _, ...options } = group.options ?? {};
  return { ...group, name, options: { ...options, ...(random.chance(0.3) && { aliases: [group.name] }) } };
}

/** The nodes of a group after one has left, one has joined, or one has taken the place of another; more often than not the ill one. */
export function otherNodes(
  random: Random,
  nodes: readonly string[],
  ill: string,
  all: readonly string[],
): readonly string[] {
  const free = all.filter((node) => !nodes.includes(node));
  const joins = free.length > 0 && random.chance(0.6) ? [random.pick(free)] : [];
  const leaver = nodes.includes(ill) && random.chance(0.6) ? ill : random.pick(nodes);
  const stay = joins.length > 0 && random.chance(0.3) ? nodes : nodes.filter((node) => node !== leaver);
  const now = [...stay, ...joins];
  return now.length > 0 ? now : nodes;
}

/** The group with other nodes; the first one is the canary where the former one has left. */
export function withNodes(group: Declared, nodes: readonly string[]): Declared {
  const { rollout } = group.args as { rollout?: Rollout };
  const canary = rollout?.waves.canary;
  const isLeft = rollout && canary?.some((node) => !nodes.includes(node));
  const now = isLeft ? { rollout: { ...rollout, waves: { ...rollout.waves, canary: nodes.slice(0, 1) } } } : {};
  return { ...group, args: { ...group.args, nodes, ...now } };
}
