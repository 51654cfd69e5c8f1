import { messageOf } from "../../model/errors";
import { PartialFailure } from "../handler";
import { isUnreachableNode } from "../remedy";
import type { ResourceSet } from "../resource-set";
import type { Runtime } from "../runtime";
import type { PrefixSetInputs } from "./state";

/**
 * Goes on without a node that does not answer, as far as its fleet allows: then nothing was sent there, and a warning says so.
 * The next `up` goes on with it.
 *
 * @throws {Error} the given one otherwise, with the ways out where the node does not answer
 */
export function goOnWithout(runtime: Runtime, set: ResourceSet, { fleet, node }: FleetPlace, error: unknown): void {
  if (error instanceof PartialFailure || !isUnreachableNode(error)) throw error;
  if (!fleet) throw typeof node === "string" ? new Error(`${messageOf(error)} ${OF_A_FLEET}`, { cause: error }) : error;
  const { name, maxUnreachable } = fleet;
  const silent = runtime.countSilent(name, set.endpoint);
  if (silent > maxUnreachable) {
    throw new Error(
      `${messageOf(error)} ${silent} of the nodes of PrefixSetFleet "${name}" do not answer so far, and its maxUnreachable allows ${maxUnreachable}. ${OF_A_FLEET}`,
      { cause: error },
    );
  }
  runtime.notices.warn(
    `${set.label}: left as it is, since the node does not answer, and maxUnreachable of PrefixSetFleet "${name}" allows ${maxUnreachable}. The next "pulumi up" goes on there. ${messageOf(error)}`,
  );
}

type FleetPlace = Pick<PrefixSetInputs, "fleet" | "node">;

const OF_A_FLEET =
  'Of a PrefixSetFleet: maxUnreachable lets the other nodes go on without this one; a node that is gone for good is taken out of "nodes" (docs/guides/many-nodes.md), never with --target-dependents, which takes the waves after it along.';
