import { describe, expect, it } from "vitest";
import { KINDS, type Kind } from "./kinds";
import type { Scenario } from "./scenarios";
import { type Case, type Dialect, type Next, requestsOf, type Verdict, walk } from "./walk";

/** Cases at a time: most of each is waiting. */
const AT_A_TIME = 8;
/** One case of so many where a part is enough. */
const SHARE = 4;
const NEXT: readonly Next[] = ["same", "previous", "destroy"];

/**
 * All cases of a scenario: each kind at each request, once and until the run ends. A run that a single failure does not
 * harm needs no more than the same program again; the others are followed in turn by the same program, the previous one and
 * a destroy. `PACKETFILTER_WALK=all` follows each with all three.
 *
 * @param share one case of so many, and every death; `PACKETFILTER_WALK=all` takes all
 */
function casesOf(scenario: Scenario, requests: number, kinds: readonly Kind[], share: number): Case[] {
  const isTaken = ({ kind }: Case, index: number) =>
    process.env.PACKETFILTER_WALK === "all" || kind.death !== undefined || index % share === 0;
  const all = Array.from({ length: requests }, (_, index) => index + 1).flatMap((request) =>
    kinds.flatMap((kind, place): Case[] => {
      const turn = NEXT[(request + place) % NEXT.length] ?? "same";
      const nexts = process.env.PACKETFILTER_WALK === "all" ? NEXT : [turn];
      const lasting = nexts.map((next): Case => ({ scenario, kind, request, lasting: true, next }));
      return kind.death ? lasting : [{ scenario, kind, request, lasting: false, next: "same" }, ...lasting];
    }),
  );
  return all.filter(isTaken);
}

/**
 * One test for each scenario. Prints the size of the matrix and its result at the end.
 * @param size the number of cases; more where a node shows effects late or `PACKETFILTER_WALK` asks for more, never fewer
 * @param sampled scenarios of which a part of the cases is walked
 */
export function describeMatrix(
  title: string,
  size: number,
  scenarios: readonly Scenario[],
  dialect?: Dialect,
  sampled: readonly Scenario[] = [],
): void {
  const all: Verdict[] = [];
  let tried = 0;
  describe(title, () => {
    it.for([...scenarios, ...sampled])(
      "$name: every failure leaves the truth, and the next run converges",
      { timeout: 300_000 },
      async (scenario) => {
        const kinds = KINDS.filter((kind) => dialect?.shows?.(kind) ?? true);
        const cases = casesOf(
          scenario,
          await requestsOf(scenario, dialect),
          kinds,
          sampled.includes(scenario) ? SHARE : 1,
        );
        tried += cases.length;
        const verdicts = (await inParallel(cases, (one) => walk(one, dialect))).filter(({ met }) => met);
        all.push(...verdicts);
        const bad = verdicts.filter(({ problems }) => problems.length > 0);
        expect(bad.slice(0, 5).map((verdict) => `${verdict.title}: ${verdict.problems.join("; ")}`)).toEqual([]);
        // A kind that meets no request at all would prove nothing.
        for (const kind of kinds.filter(({ fault }) => fault?.cmd === undefined))
          expect(
            verdicts.map((verdict) => verdict.kind),
            kind.name,
          ).toContain(kind.name);
      },
    );

    it("needs no manual step after any of them", () => {
      const converged = all.filter(({ problems }) => problems.length === 0).length;
      const unharmed = all.filter((verdict) => verdict.unharmed).length;
      const steps = all.length - converged;
      console.log(
        `${title}: ${all.length} cases, ${unharmed} unharmed, ${converged} converged, manual steps = ${steps}`,
      );
      expect(steps).toBe(0);
      expect(tried).toBeGreaterThanOrEqual(size);
    });
  });
}

async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  return results;
}
