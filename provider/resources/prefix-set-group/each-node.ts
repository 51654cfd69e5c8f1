import { Slots } from "../../client/requester";
import type { Runtime } from "../../deployment/runtime";
import type { EventOf } from "../../messages/events";
import { isUnreachableNode } from "../../messages/remedy";
import { messageOf } from "../../model/errors";
import { groupBy } from "../../model/group";
import { formatUrl } from "../../model/resource-url";
import { count, NAMED, some } from "../../model/text";
import { SetLifecycle, UnfinishedWrite } from "../prefix-set/lifecycle";
import type { GroupInputs } from "./state";

/** Milliseconds between two messages about long work. */
const PROGRESS_MS = 30_000;

export interface NodeFailure {
  readonly node: string;
  readonly error: unknown;
}

/**
 * Works on many nodes, `atOnce` at a time, and returns the failures: one stops no other. Messages report the progress.
 *
 * @param work Name of the work in messages.
 */
export async function eachNode(
  {
    runtime,
    url,
    work,
    atOnce,
  }: { readonly runtime: Runtime; readonly url: string; readonly work: string; readonly atOnce: number },
  nodes: readonly string[],
  run: (node: string) => Promise<void>,
): Promise<NodeFailure[]> {
  const slots = new Slots(atOnce);
  const failures: NodeFailure[] = [];
  let done = 0;
  let reportedAt = runtime.now;
  const reportProgress = () => {
    if (runtime.now - reportedAt < PROGRESS_MS) return;
    reportedAt = runtime.now;
    const numbers = { done, of: nodes.length, failed: failures.length };
    runtime.notices.report({ kind: "progress", url, work, ...numbers });
  };
  await Promise.all(
    nodes.map(async (node) => {
      const release = await slots.acquire();
      // After a cancellation no further node is begun.
      if (runtime.cancelled.aborted) return release();
      try {
        await run(node);
        done += 1;
      } catch (error) {
        failures.push({ node, error });
      } finally {
        release();
        reportProgress();
      }
    }),
  );
  return failures;
}

/** Works on the sets of nodes; at the end, nodes with the same notice share a line. */
export async function eachSet(
  runtime: Runtime,
  what: string,
  { address, atOnce }: Pick<GroupInputs, "address" | "atOnce">,
  nodes: readonly string[],
  work: (node: string, lifecycle: SetLifecycle) => Promise<void>,
): Promise<NodeFailure[]> {
  const lifecycle = new SetLifecycle(runtime);
  const on = { runtime, url: formatUrl(address), work: what, atOnce };
  return runtime.notices.fold(() => eachNode(on, nodes, (node) => work(node, lifecycle)));
}

/** Texts about the failures; nodes that failed with the same error share one. */
export function failureTexts(failures: readonly NodeFailure[]): string[] {
  const texts = groupBy(failures, ({ error }) => messageOf(error));
  const namesOf = (group: readonly NodeFailure[]) => group.map(({ node }) => node);
  const all = [...texts].map(([text, group]) => (group.length > 1 ? `${text} (${some(namesOf(group))})` : text));
  if (all.length <= NAMED) return all;
  const rest = namesOf([...texts.values()].slice(NAMED).flat());
  return [
    ...all.slice(0, NAMED),
    `… and ${count(rest.length, "other node", "other nodes")} failed: ${rest.join(", ")}.`,
  ];
}

/** Remedy for a node of a group that does not answer. */
export const GONE_FROM_GROUP =
  'If it is gone for good, run "pulumi up" once without it in "nodes" and with onDestroy: "keep", which forgets it (docs/guides/many-nodes.md).';

/**
 * Separates failures of silent nodes from the others, if `maxUnreachable` allows that many silent ones.
 *
 * @param earlier Number of nodes that the run goes on without already.
 */
export function goOnWithout(
  runtime: Runtime,
  { address, maxUnreachable }: Pick<GroupInputs, "address" | "maxUnreachable">,
  failures: readonly NodeFailure[],
  outcome: EventOf<"notReached">["outcome"],
  earlier = 0,
): { failed: readonly NodeFailure[]; silent: readonly NodeFailure[] } {
  const silent = failures.filter(({ error }) => !(error instanceof UnfinishedWrite) && isUnreachableNode(error));
  if (silent.length === 0) return { failed: failures, silent };
  if (silent.length + earlier > maxUnreachable) {
    const [limit] = runtime.advice.of(
      `${count(silent.length + earlier, "node does", "nodes do")} not answer, and maxUnreachable allows ${maxUnreachable}. ${GONE_FROM_GROUP}`,
    );
    const silentFailures = new Set(silent);
    const failed = failures.map((failure) =>
      silentFailures.has(failure)
        ? { ...failure, error: new Error(`${messageOf(failure.error)} ${limit}`, { cause: failure.error }) }
        : failure,
    );
    return { failed, silent: [] };
  }
  runtime.notices.report({
    kind: "notReached",
    url: formatUrl(address),
    nodes: silent.map(({ node }) => node),
    outcome,
    allowed: maxUnreachable,
    reasons: failureTexts(silent),
  });
  return { failed: failures.filter((failure) => !silent.includes(failure)), silent };
}
