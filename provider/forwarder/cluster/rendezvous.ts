import { createHash } from "node:crypto";

/**
 * Which of the members should hold each node: the one with the highest hash of both names (rendezvous hashing), as long as it
 * has room. No member holds more than its even share, so that ten nodes on three members are 4, 3 and 3; a member that comes or
 * goes moves few nodes. The same on every machine that knows the same names.
 */
export function shareOut(nodes: readonly string[], members: readonly string[]): Map<string, string> {
  const owners = new Map<string, string>();
  if (members.length === 0) return owners;
  const sorted = [...members].sort();
  const least = Math.floor(nodes.length / sorted.length);
  // How many may hold one more than the others.
  let spare = nodes.length % sorted.length;
  const held = new Map(sorted.map((member) => [member, 0]));
  const wishes = [...nodes]
    .sort()
    .flatMap((node) => sorted.map((member) => ({ node, member, weight: weightOf(node, member) })))
    .sort((a, b) => (a.weight < b.weight ? 1 : -1));
  for (const { node, member } of wishes) {
    const holds = held.get(member) ?? 0;
    if (owners.has(node) || holds > least || (holds === least && spare === 0)) continue;
    if (holds === least) spare--;
    owners.set(node, member);
    held.set(member, holds + 1);
  }
  return owners;
}

function weightOf(node: string, member: string): string {
  return createHash("sha256").update(`${node}\n${member}`).digest("hex");
}
