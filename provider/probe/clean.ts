import type { NodeOptions, ReceiverOptions } from "../client/options";
import { Prefix } from "../model/prefix";
import { parseUrl } from "../model/resource-url";
import { cleanUp } from "./asking/clean-up";
import { solve } from "./asking/search";
import type { Undo } from "./asking/undo";
import type { LeftBehind } from "./finding";
import { type BenchOptions, NO_NODE, withBench } from "./with-bench";

/** Connections of the probe that was killed: at least those to which it wrote. */
interface CleanOptions extends Pick<BenchOptions, "signal" | "world"> {
  readonly node?: NodeOptions;
  readonly receiver?: ReceiverOptions;
}

/**
 * Removes the entries and signalings that a killed probe has left, in every spelling, by the settings that it had learnt
 * until then. It removes only prefixes of the notes, and documentation prefixes.
 *
 * @returns what is still left. Empty: everything is as before.
 */
export function clean(undo: Undo, { node, receiver, world, signal }: CleanOptions): Promise<LeftBehind[]> {
  const { learnt, inserted, started } = undo;
  const own = receiver && { ...receiver, answers: receiver.answers ?? learnt?.receiver.answers };
  const [first] = started;
  const options: BenchOptions = {
    node: { ...(node ?? NO_NODE), answers: node?.answers ?? learnt?.node.answers },
    urls: undo.set === undefined ? [] : [parseUrl(undo.set)],
    write: node !== undefined && inserted.length > 0,
    keep: true,
    receiver: own && first !== undefined ? { options: own, prefix: Prefix.parse(first) } : undefined,
    world,
    signal,
  };
  return withBench(options, async (bench) => {
    const { work, learned } = bench;
    const { movedTo } = learnt ?? {};
    bench.ending.clean();
    if (node && isSameOrigin(movedTo, node.endpoint)) bench.move(movedTo);
    if (work) {
      const { url } = work;
      work.inherit(inserted, undo.before.set, learnt?.isProved === true);
      learned.absentIsEmpty = learnt?.node.answers?.absent !== undefined;
      learned.measuredDelay = learnt?.commitDelayMs;
      // If the node does not answer, cleaning up asks again, and the receiver is still cleaned up.
      const list = await bench.list(url).catch(() => undefined);
      const found = list && solve({ answer: list, url, before: learned.answers });
      learned.record(found?.known ?? {});
    }
    bench.receiver?.inherit(started, undo.before.signaling, learnt?.statusDelayMs);
    return cleanUp(bench, 0);
  });
}

/** Credentials go only to the origin that they were given for, whatever the notes say. */
function isSameOrigin(one: string | undefined, other: string): one is string {
  return one !== undefined && URL.canParse(one) && new URL(one).origin === new URL(other).origin;
}
