import { isMutating, requestsOf } from "./model";
import type { Promised } from "./promise";
import { everDeclared } from "./waves";

/** A node that leaves a group keeps what is declared until the node that takes its place holds it. */
export const replacedNodesAreFilledFirst: Promised = {
  number: 1,
  name: "no exposure while a node takes the place of another",
  judge: ({ world, record: { run, done, hasCompany }, before, now }) => {
    if (run.command !== "up" || hasCompany || done.wasKilled) return [];
    return run.program.flatMap(({ type, name, args }) => {
      if (type !== "PrefixSetGroup") return [];
      const url = `prefixset://${args.arena}/${args.set}`;
      const isIts = ({ resource, ...claim }: (typeof now)[number]) =>
        resource.name === name && claim.kind === "set" && claim.url === url;
      const nodesOf = (claims: typeof now) => claims.filter(isIts).flatMap((it) => (it.kind === "set" ? [it] : []));
      const [were, are] = [nodesOf(before), nodesOf(now)];
      const joining = are.filter(({ node }) => !were.some((it) => it.node === node));
      const leaving = were.filter(({ node }) => !are.some((it) => it.node === node));
      const isOpen = joining.some(({ node, entries }) => {
        const held = world.nodes.get(node)?.held(url) ?? {};
        const isNew = everDeclared(world, node, url, run.stack, done.began).length === 0;
        return isNew && Object.keys(entries).some((prefix) => !(prefix in held));
      });
      if (!isOpen) return [];
      return leaving.flatMap(({ node }) =>
        requestsOf(world, done, world.nodes.get(node)?.name ?? "")
          .filter((entry) => isMutating(entry) && entry.url === url && entry.cmd === "delete")
          .map(({ index }) => `request ${index}: ${node} is cleared, and a node that joins is not filled`),
      );
    });
  },
};
