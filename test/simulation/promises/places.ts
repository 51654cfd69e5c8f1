import type { World } from "../simulation";
import { type Claim, isMutating, requestsOf } from "./model";
import type { Promised } from "./promise";

/** Nothing is removed at an address that neither the state nor the program names. */
export const placesAreAddresses: Promised = {
  number: 10,
  name: "a place is an address",
  judge: ({ world, record: { done }, before, now }) => {
    const named = new Set([
      ...machinesOf(world, before),
      ...machinesOf(world, now),
      ...done.before.resources.flatMap(({ outputs }) =>
        addressesIn(outputs).map((name) => world.nodes.get(name)?.name ?? name),
      ),
    ]);
    return [...world.machines.keys()].flatMap((machine) =>
      named.has(machine)
        ? []
        : requestsOf(world, done, machine)
            .filter(isMutating)
            .map(
              ({ cmd, op, index }) =>
                `request ${index}: ${cmd ?? op} at ${machine}, which neither state nor program names`,
            ),
    );
  },
};

function machinesOf(world: World, claims: readonly Claim[]): string[] {
  return claims.map((claim) => (claim.kind === "signal" ? claim.receiver : (world.nodes.get(claim.node)?.name ?? "")));
}

/** Machines whose addresses stand in outputs of a state. */
function addressesIn(outputs: object): string[] {
  return [...JSON.stringify(outputs).matchAll(/http:\/\/([a-z\d]+)\.example/g)].map(([, name = ""]) => name);
}
