import type { Sample } from "./figures";
import { measure, sentence } from "./measure";
import { BenchNode } from "./node";
import type { Peer, Session } from "./peer";
import { entriesOf, type Group, LATENCY_MS, type PeerName, partTitle, type Step } from "./plan";

type Outcome = Sample["outcome"];
interface Contestant {
  readonly peer: Peer;
  readonly set: string;
  readonly session: Session;
}

/** Seconds that requests which wait for one another may certainly take. */
const PATIENCE = 60;

/**
 * Measures one group once: the peers side by side, step by step, each in a folder and with a set of its own at one node. The one that
 * fails is out of this repetition, with the reason, and the others go on.
 *
 * @param repetition counts from 0; another peer begins in each, so that none is always the first.
 * @param onStep is told before each step what is about to happen.
 */
export async function runGroup(
  group: Group,
  peers: readonly Peer[],
  repetition: number,
  onStep: (title: string) => void,
): Promise<Sample[]> {
  const concerned = peers.filter(({ workloads }) => workloads.includes(group.workload));
  const results = new Map<PeerName, Map<Step, Outcome>>(concerned.map(({ name }) => [name, new Map()]));
  const note = (name: PeerName, step: Step, outcome: Outcome) => results.get(name)?.set(step, outcome);
  const able = concerned.filter((peer) => {
    const notRun = hindrance(peer, group);
    if (notRun === undefined) return true;
    for (const step of group.steps) note(peer.name, step, { notRun });
    return false;
  });

  await using node = await BenchNode.start(able.map(({ name }) => name));
  await using stack = new AsyncDisposableStack();
  let contestants: Contestant[] = [];
  for (const peer of rotated(able, repetition)) {
    onStep(`${partTitle(group)}: ${peer.name} prepares`);
    const task = { workload: group.workload, endpoint: node.endpoint, set: peer.name };
    try {
      contestants.push({ peer, set: peer.name, session: stack.use(await peer.prepare(task)) });
    } catch (error) {
      note(peer.name, "create", { failed: `it could not begin: ${sentence(error)}` });
    }
  }

  const before = entriesOf(group.size, false);
  const after = entriesOf(group.size, true);
  const held: Readonly<Record<Step, Record<string, number> | undefined>> = {
    create: before,
    nothing: before,
    change: after,
    refresh: undefined,
    destroy: {},
  };
  for (const step of group.steps) {
    const going: Contestant[] = [];
    for (const contestant of contestants) {
      const { peer, session, set } = contestant;
      onStep(`${partTitle(group)}: ${peer.name}, ${step}`);
      if (step === "create") await session.want(before);
      if (step === "change") await session.want(after);
      if (step === "refresh" && peer.asksNode) await node.drift(set, Object.keys(after)[0] as string);
      try {
        note(peer.name, step, await measure(node, peer, contestant, step, held[step]));
        going.push(contestant);
      } catch (error) {
        note(peer.name, step, { failed: sentence(error) });
      }
    }
    contestants = going;
  }

  const { workload, size, steps } = group;
  return [...results].flatMap(([peer, outcomes]) =>
    steps.map((step) => {
      const outcome = outcomes.get(step) ?? { notRun: "a step before it failed" };
      return { workload, size, peer, step, repetition, outcome };
    }),
  );
}

/** Why a peer does not take part. What it would certainly take is calculated from its requests and the latency, not measured. */
function hindrance({ absent, oneByOne }: Peer, { workload, size }: Group): string | undefined {
  const requests = oneByOne?.(workload, size) ?? 0;
  const seconds = Math.round((requests * LATENCY_MS) / 1_000);
  if (seconds <= PATIENCE) return absent?.();
  return `would take more than ${seconds} s (calculated: ${requests} requests, one after another, of ${LATENCY_MS} ms each)`;
}

function rotated<T>(all: readonly T[], by: number): T[] {
  const at = all.length === 0 ? 0 : by % all.length;
  return [...all.slice(at), ...all.slice(0, at)];
}
