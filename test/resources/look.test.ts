import { expect, it } from "vitest";
import { SharedReads } from "../../provider/apply/shared-reads";
import { RequestError } from "../../provider/client/errors";
import type { Connection } from "../../provider/deployment/connections";
import { Look, type Looked } from "../../provider/deployment/look";
import { Advice } from "../../provider/messages/advice";
import { Notices } from "../../provider/messages/notices";
import type { Settings } from "../../provider/settings/settings";

/**
 * Sets at nodes of their own, a look at them, and a clock that goes on when nothing else does.
 *
 * @param answers `undefined` for a node that is silent, `null` for one whose requests also do not end in time.
 * @param readMs Time that the process needs for an answer, during which it reads no other.
 */
function bench(
  count: number,
  answers: (node: number) => string | undefined | null,
  isNew = false,
  detectDrift = "auto",
  readMs = 0,
) {
  let now = 0;
  let isReadUntil = 0;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  const world = {
    monotonic: () => now,
    after: (ms: number, run: () => void) => {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
  };
  const asked: { node: number; at: number }[] = [];
  const printed: string[] = [];
  const looked = Array.from({ length: count }, (_, node): Looked<string> => {
    const label = `n${node}`;
    const reads = new SharedReads((options) => {
      asked.push({ node, at: now });
      const answer = answers(node);
      if (answer === null) return new Promise<never>(() => {});
      if (answer !== undefined && readMs === 0) return Promise.resolve(answer);
      const failure = { outcome: "unknown", endpoint: label, object: "set", operation: "list", tries: 1 } as const;
      // As the client does when its time is over.
      return new Promise<string>((resolve, reject) => {
        const end = () => reject(new RequestError(`Set on ${label}: no answer.`, failure));
        world.after((options?.until ?? Number.POSITIVE_INFINITY) - now, end);
        if (answer === undefined) return;
        isReadUntil = Math.max(isReadUntil, now) + readMs;
        world.after(isReadUntil - now, () => resolve(answer));
      });
    }, world);
    return { at: { endpoint: `http://${label}.example`, label } as Connection, url: "set", reads, isNew };
  });
  const say = { notices: new Notices((line) => printed.push(line)), advice: new Advice() };
  const look = new Look(world, say, () => ({ detectDrift }) as Settings);
  const lookAt = (one: Looked<string>): Promise<unknown> =>
    look
      .at(one, () => looked)
      .then(
        ({ there }) => there,
        ({ message }: Error) => message,
      );
  const during = async <T>(work: Promise<T>) => {
    let isOver = false;
    void work.finally(() => {
      isOver = true;
    });
    for (;;) {
      await new Promise(setImmediate);
      if (isOver) return work;
      const [next] = [...timers].sort((a, b) => a.at - b.at);
      if (!next) continue;
      timers.delete(next);
      now = Math.max(now, next.at);
      next.run();
    }
  };
  return {
    asked,
    printed,
    now: () => now,
    /** Looks at one set after the other, as the engine has one resource checked after the other. */
    async inTurn() {
      const seen: unknown[] = [];
      for (const one of looked) seen.push(await during(lookAt(one)));
      return seen;
    },
    /** Looks at all sets together, as a group does. */
    together: () => during(Promise.all(looked.map(lookAt))),
  };
}

it("where nothing was before, a silent node keeps nothing from being restored", async () => {
  const silent = bench(1, () => undefined, true);
  await silent.inTurn();
  expect(silent.printed).toEqual([
    "warning: n0 set cannot be read: n0 does not answer. Set on n0: no answer. What a create meets there is not known until the address answers.",
  ]);
});

it("a node that does not answer in time is said to be silent once, with the time", async () => {
  const silent = bench(1, () => null, true);
  await silent.inTurn();
  expect(silent.printed).toEqual([
    "warning: n0 set cannot be read: n0 does not answer. This run waited 2 s for it. What a create meets there is not known until the address answers.",
  ]);
});

it("sixteen silent nodes are asked once each, in two rounds: the first alone, and the others side by side", async () => {
  const silent = bench(16, () => undefined);
  expect(await silent.inTurn()).toEqual(Array.from({ length: 16 }, () => undefined));
  const rounds = new Map<number, number[]>();
  for (const { node, at } of silent.asked) rounds.set(at, [...(rounds.get(at) ?? []), node]);
  expect([...rounds.values()]).toEqual([[0], Array.from({ length: 15 }, (_, index) => index + 1)]);
  expect(silent.now()).toBeLessThanOrEqual(4_000);
  // Each is said, and once what comes of it.
  const [first = "", ...others] = silent.printed;
  expect(first).toMatch(
    /^warning: n0 set cannot be read: n0 does not answer\. .* restores nothing\. The next "pulumi up" does so, once/,
  );
  expect(others).toEqual(
    Array.from({ length: 15 }, (_, index) => {
      const node = `n${index + 1}`;
      return `warning: ${node} set cannot be read either: ${node} does not answer. Set on ${node}: no answer.`;
    }),
  );
});

it("a hundred nodes that answer are asked once each and are not waited for", async () => {
  const healthy = bench(100, (node) => `entries of n${node}`);
  expect(await healthy.inTurn()).toEqual(Array.from({ length: 100 }, (_, node) => `entries of n${node}`));
  expect(healthy.asked).toEqual(Array.from({ length: 100 }, (_, node) => ({ node, at: 0 })));
  expect([healthy.now(), healthy.printed]).toEqual([0, []]);
});

it("silent nodes among others cost these nothing: what was asked beside the first is there when its turn comes", async () => {
  const mixed = bench(20, (node) => (node % 4 === 0 ? undefined : "there"));
  expect(await mixed.inTurn()).toEqual(Array.from({ length: 20 }, (_, node) => (node % 4 === 0 ? undefined : "there")));
  expect(mixed.asked.map(({ node }) => node).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 20 }, (_, node) => node),
  );
  expect(new Set(mixed.asked.map(({ at }) => at)).size).toBe(2);
  expect(mixed.now()).toBeLessThanOrEqual(4_000);
});

it("a set is not asked for where that is off, and where it is required one that cannot be read is an error", async () => {
  const blind = bench(2, () => undefined, false, "off");
  expect(await blind.inTurn()).toEqual([undefined, undefined]);
  expect([blind.asked, blind.printed]).toEqual([[], []]);
  const strict = bench(1, () => undefined, false, "require");
  expect(await strict.inTurn()).toEqual([
    expect.stringContaining('packetfilter:detectDrift is "require", and n0 set cannot be read. '),
  ]);
});

it("of five hundred nodes none seems silent to a process that needs three times its patience to read their answers", async () => {
  const many = bench(500, () => "there", false, "auto", 12);
  expect(await many.together()).toEqual(Array.from({ length: 500 }, () => "there"));
  expect(many.asked.map(({ node }) => node)).toEqual(Array.from({ length: 500 }, (_, node) => node));
  expect(many.printed).toEqual([]);
});

it("five hundred silent nodes are asked within a second, and waited for together", async () => {
  const silent = bench(500, () => undefined);
  expect(await silent.together()).toEqual(Array.from({ length: 500 }, () => undefined));
  expect(silent.asked.map(({ node }) => node)).toEqual(Array.from({ length: 500 }, (_, node) => node));
  expect(Math.max(...silent.asked.map(({ at }) => at))).toBeLessThan(1_000);
  expect(silent.now()).toBeLessThanOrEqual(4_000);
});
