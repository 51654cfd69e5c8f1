import { messageOf } from "../../model/errors";
import { formatUrl } from "../../model/resource-url";
import { count, some } from "../../model/text";
import { UnfinishedWrite } from "../prefix-set/lifecycle";
import { isUnreachableNode } from "../remedy";
import type { Runtime } from "../runtime";
import { failureTexts, type NodeFailure } from "./each-node";
import type { GroupInputs } from "./state";

/** The way out where a node of a group does not answer. */
export const GONE_FROM_GROUP =
  'If it is gone for good, run "pulumi up" once without it in "nodes" and with onDestroy: "keep", which forgets it (docs/guides/many-nodes.md).';

/** Parts nodes that do not answer, as far as the group may go on without them, from what failed. */
export function goOnWithout(
  runtime: Runtime,
  { address, maxUnreachable }: Pick<GroupInputs, "address" | "maxUnreachable">,
  failures: readonly NodeFailure[],
  fate: string,
): { failed: readonly NodeFailure[]; silent: readonly NodeFailure[] } {
  const silent = failures.filter(({ error }) => !(error instanceof UnfinishedWrite) && isUnreachableNode(error));
  if (silent.length === 0) return { failed: failures, silent };
  if (silent.length > maxUnreachable) {
    const limit = `${count(silent.length, "node does", "nodes do")} not answer, and maxUnreachable allows ${maxUnreachable}: that many may be left as they are. ${GONE_FROM_GROUP}`;
    const told = new Set(silent);
    const failed = failures.map((failure) =>
      told.has(failure)
        ? { ...failure, error: new Error(`${messageOf(failure.error)} ${limit}`, { cause: failure.error }) }
        : failure,
    );
    return { failed, silent: [] };
  }
  runtime.notices.warn(
    `Set ${formatUrl(address)} on ${some(silent.map(({ node }) => node))}: ${fate}, since the node does not answer, and maxUnreachable allows ${maxUnreachable}. The next "pulumi up" goes on there. ${failureTexts(silent).join(" ")}`,
  );
  return { failed: failures.filter((failure) => !silent.includes(failure)), silent };
}
