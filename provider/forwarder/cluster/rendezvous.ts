import { createHash } from "node:crypto";

/**
 * Which of the members should hold each node: of those that can poll it, the one with the highest hash of both names (rendezvous
 * hashing), as long as it has room. No member holds more than its even share, so that ten nodes on three members are 4, 3 and
 * 3, unless only it can poll a node; a member that comes or goes moves few nodes. The same on every machine that knows the same names.
 *
 * @param members With the nodes that each can poll.
 */
export function shareOut(
  members: readonly { readonly name: string; readonly nodes: readonly string[] }[],
): Map<string, string> {
  const owners = new Map<string, string>();
  if (members.length === 0) return owners;
  const nodes = [...new Set(members.flatMap((member) => member.nodes))].sort();
  const least = Math.floor(nodes.length / members.length);
  // Number of members that may hold one more than the others.
  let spare = nodes.length % members.length;
  const held = new Map(members.map(({ name }) => [name, 0]));
  const wishes = members
    .flatMap(({ name, nodes: own }) => own.map((node) => ({ node, name, weight: weightOf(node, name) })))
    .sort((a, b) => (a.weight < b.weight ? 1 : -1));
  for (const { node, name } of wishes) {
    const holds = held.get(name) ?? 0;
    if (owners.has(node) || holds > least || (holds === least && spare === 0)) continue;
    if (holds === least) spare--;
    owners.set(node, name);
    held.set(name, holds + 1);
  }
  // All who can poll them have their share already.
  for (const { node, name } of wishes) if (!owners.has(node)) owners.set(node, name);
  return owners;
}

function weightOf(node: string, member: string): string {
  return createHash("sha256").update(`${node}\n${member}`).digest("hex");
}
