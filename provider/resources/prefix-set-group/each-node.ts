import { Slots } from "../../client/requester";
import { messageOf } from "../../model/errors";
import { groupBy } from "../../model/group";
import { count, some } from "../../model/text";
import type { Runtime } from "../runtime";

/** Milliseconds between two messages about long work. What is quicker has none. */
const PROGRESS_MS = 30_000;

/** What went wrong at one node. */
export interface NodeFailure {
  readonly node: string;
  readonly error: unknown;
}

/**
 * Works on many nodes, so many at a time. A failure of one is no other's: all are worked on, and what failed is returned.
 * Twice a minute a message says how far it is.
 *
 * @param label How messages call the work's object.
 */
export async function eachNode(
  { runtime, label, atOnce }: { readonly runtime: Runtime; readonly label: string; readonly atOnce: number },
  nodes: readonly string[],
  work: (node: string) => Promise<void>,
): Promise<NodeFailure[]> {
  const slots = new Slots(atOnce);
  const failures: NodeFailure[] = [];
  let done = 0;
  let told = runtime.now;
  const tell = () => {
    if (runtime.now - told < PROGRESS_MS) return;
    told = runtime.now;
    const failed = failures.length > 0 ? `, ${failures.length} failed` : "";
    runtime.notices.info(`${label}: ${done} of ${count(nodes.length, "node", "nodes")} done${failed}`);
  };
  await Promise.all(
    nodes.map(async (node) => {
      const release = await slots.acquire();
      try {
        await work(node);
        done += 1;
      } catch (error) {
        failures.push({ node, error });
      } finally {
        release();
        tell();
      }
    }),
  );
  return failures;
}

/** So many failures are told in full; the other nodes are named. */
const TOLD = 5;

/** One sentence or more for each node that failed; nodes that failed with the same words share them. */
export function failureTexts(failures: readonly NodeFailure[]): string[] {
  const texts = groupBy(failures, ({ error }) => messageOf(error));
  const namesOf = (alike: readonly NodeFailure[]) => alike.map(({ node }) => node);
  const all = [...texts].map(([text, alike]) => (alike.length > 1 ? `${text} (${some(namesOf(alike))})` : text));
  if (all.length <= TOLD) return all;
  const rest = namesOf([...texts.values()].slice(TOLD).flat());
  return [
    ...all.slice(0, TOLD),
    `… and ${count(rest.length, "other node", "other nodes")} failed: ${rest.join(", ")}.`,
  ];
}
