import type { NodeOptions, ReceiverOptions } from "../client/options";
import { systemWorld, type World } from "../client/world";
import { Prefix } from "../model/prefix";
import { parseUrl } from "../model/resource-url";
import type { Answers } from "../wire/answers";
import { readPrefixSetList } from "../wire/prefix-set-list";
import { Bench } from "./asking/bench";
import { cleanUp } from "./asking/clean-up";
import { Ending } from "./asking/ending";
import { elementsIn } from "./asking/listing";
import { Receiver } from "./asking/receiver";
import { Targets } from "./asking/targets";
import { WorkSet } from "./asking/work-set";
import type { LeftBehind } from "./finding";
import { hiding, NO_NODE, withoutSecrets } from "./probe";
import { solve } from "./shapes/search";
import { LIMITS } from "./timing";
import type { Undo } from "./undo";

/** How to reach whom a probe had asked; needed is what it wrote to. */
export interface CleanOptions {
  readonly node?: NodeOptions;
  readonly receiver?: ReceiverOptions;
  readonly signal?: AbortSignal;
  readonly world?: Partial<World>;
}

/**
 * Takes back what a probe that was killed has left: its entries, in every spelling, and its signalings, by what it had learnt
 * until then. Only prefixes that it had noted, and documentation prefixes, are removed.
 *
 * @returns what is left all the same. Empty: everything is as before.
 */
export async function clean(
  undo: Undo,
  { node: given, receiver, world = {}, signal }: CleanOptions,
): Promise<LeftBehind[]> {
  const { learnt } = undo;
  const answers = given?.answers ?? learnt?.node.answers;
  const node = { ...(given ?? NO_NODE), ...(answers && { answers }) };
  const set = undo.set === undefined ? undefined : parseUrl(undo.set);
  const ending = new Ending({ ...systemWorld, ...world }, LIMITS.wholeMs, signal);
  const bench = new Bench(new Targets(set ? [set] : []), node, LIMITS, world, ending);
  ending.clean();
  try {
    const { movedTo } = learnt ?? {};
    if (given && isSameOrigin(movedTo, given.endpoint)) bench.move(movedTo);
    if (given && set?.kind === "prefixset" && undo.inserted.length > 0) {
      bench.work = new WorkSet(set, bench, true);
      bench.work.inherit(undo.inserted);
      bench.learned.absentIsEmpty = learnt?.node.answers?.absent !== undefined;
      bench.learned.measuredDelay = learnt?.commitDelayMs;
      // A node that does not answer is asked again by what cleans up, and keeps no receiver from it.
      const list = await bench.list(set, { calm: true }).catch(() => undefined);
      const read = (some: Answers) => list && elementsIn(list, set, readPrefixSetList, some);
      const body = list?.body ?? "";
      bench.learned.learn(solve({ body, url: set, kind: "prefixset", before: bench.learned.answers }, read) ?? {});
    }
    if (receiver && undo.started.length > 0) {
      const own = receiver.answers ?? learnt?.receiver.answers;
      const [first = ""] = undo.started;
      bench.receiver = new Receiver({ ...receiver, ...(own && { answers: own }) }, Prefix.parse(first), world, ending);
      bench.receiver.inherit(undo.started);
      bench.receiver.delayMs = learnt?.statusDelayMs;
    }
    return withoutSecrets(await cleanUp(bench, 0), hiding(node, receiver));
  } finally {
    await bench.close();
  }
}

/** Credentials go to no other origin than the one that they were given for, whatever the notes say. */
function isSameOrigin(one: string | undefined, other: string): one is string {
  return one !== undefined && URL.canParse(one) && new URL(one).origin === new URL(other).origin;
}
