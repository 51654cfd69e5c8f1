import { describe, expect, it } from "vitest";
import { GroupCommit } from "../../provider/apply/group-commit";
import { Announced, InFlight } from "../../provider/apply/in-flight";

/** Timers that fire when the test says so, and flushes that end when the test says so. */
/** A lone change waits 30 ms; the waits of the others follow from that. */
function bench({ usual }: { usual?: number } = {}) {
  let now = 0;
  const timers = new Set<{ at: number; run: () => void }>();
  const flushes: string[][] = [];
  const ends: (() => void)[] = [];
  const clock = {
    monotonic: () => now,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        const timer = { at: now + ms, run: resolve };
        timers.add(timer);
        signal?.addEventListener("abort", () => timers.delete(timer));
      }),
  };
  const inFlight = new InFlight(clock, usual);
  const announced = new Announced(inFlight);
  const group = new GroupCommit<string, string>(
    async (operations) => {
      flushes.push([...operations]);
      await new Promise<void>((resolve) => ends.push(resolve));
      return operations.map((operation) =>
        operation.startsWith("bad")
          ? { ok: false, error: new Error(`refused ${operation}`) }
          : { ok: true, value: operation },
      );
    },
    { commitCoalesceMs: 30, clock, inFlight, announced },
  );
  return {
    group,
    announced,
    inFlight,
    /** Checks come first, then the calls, as the engine does it. */
    announce(...names: string[]) {
      for (const name of names) announced.add(name);
    },
    /** Submits what was announced. */
    come(...names: string[]) {
      for (const name of names) void group.submit(name, { isAnnounced: announced.take(name) }).catch(() => {});
    },
    flushes,
    /** Lets time pass. */
    async pass(ms: number) {
      now += ms;
      for (const timer of [...timers].filter(({ at }) => at <= now)) {
        timers.delete(timer);
        timer.run();
      }
      await settled();
    },
    /** Ends the flush in flight. */
    async end() {
      ends.shift()?.();
      await settled();
    },
  };
}

async function settled() {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}

/** Submits and forgets the result. */
function submit(group: GroupCommit<string, string>, ...names: string[]) {
  for (const name of names) void group.submit(name).catch(() => {});
}

describe("group commit", () => {
  it("flushes callers that were not announced 90 ms after they came together, each with its own answer", async () => {
    const { group, flushes, pass, end } = bench();
    const answers = Promise.allSettled([group.submit("a"), group.submit("bad b"), group.submit("c")]);
    await pass(89);
    expect(flushes).toEqual([]);
    await pass(1);
    expect(flushes).toEqual([["a", "bad b", "c"]]);
    await end();
    expect(await answers).toEqual([
      { status: "fulfilled", value: "a" },
      { status: "rejected", reason: new Error("refused bad b") },
      { status: "fulfilled", value: "c" },
    ]);
  });

  it("begins the wait anew with each caller: 90 ms after the last, where none was announced", async () => {
    const { group, flushes, pass } = bench();
    submit(group, "a");
    await pass(29);
    submit(group, "b");
    await pass(89);
    expect(flushes).toEqual([]);
    await pass(1);
    expect(flushes).toEqual([["a", "b"]]);
  });

  it("gathers during a flush and never runs two at once", async () => {
    const { group, flushes, pass, end } = bench();
    submit(group, "a");
    await pass(30);
    submit(group, "b", "c");
    await pass(1_000);
    expect(flushes).toEqual([["a"]]);
    await end();
    submit(group, "d");
    await pass(1_000);
    expect(flushes).toEqual([["a"], ["b", "c", "d"]]);
  });

  it("carries out what came during a flush, though no caller comes after it", async () => {
    const { come, flushes, pass, end } = bench();
    come("a");
    await pass(90);
    come("b");
    await end();
    await pass(5_000);
    expect(flushes).toEqual([["a"], ["b"]]);
  });

  it("waits 90 ms where one of a group was announced and another was not", async () => {
    const { announce, come, flushes, pass } = bench();
    announce("a");
    come("a", "b");
    await pass(30);
    expect(flushes).toEqual([]);
    await pass(60);
    expect(flushes).toEqual([["a", "b"]]);
  });

  it("learns from one wait in vain how many callers the engine has, and waits for no more", async () => {
    const { group, flushes, pass, end } = bench();
    submit(group, "a1", "b1", "c1");
    await pass(90);
    await end();
    expect(flushes).toEqual([["a1", "b1", "c1"]]);
    submit(group, "a2", "b2");
    await pass(0);
    expect(flushes).toHaveLength(1);
    submit(group, "c2");
    await pass(0);
    expect(flushes.at(-1)).toEqual(["a2", "b2", "c2"]);
    await end();
    submit(group, "a3", "b3", "c3");
    await pass(0);
    expect(flushes.at(-1)).toEqual(["a3", "b3", "c3"]);
  });

  it("counts the callers of all groups together", async () => {
    const timers: (() => void)[] = [];
    const inFlight = new InFlight({
      monotonic: () => 0,
      sleep: () => new Promise((resolve) => timers.push(resolve)),
    });
    const flushes: string[][] = [];
    const flush = async (group: readonly string[]) => {
      flushes.push([...group]);
      return group.map((value) => ({ ok: true as const, value }));
    };
    const [one, two] = [
      new GroupCommit(flush, { commitCoalesceMs: 30, inFlight }),
      new GroupCommit(flush, { commitCoalesceMs: 30, inFlight }),
    ];
    submit(one, "a1");
    submit(two, "b1");
    for (const run of timers) run();
    await settled();
    submit(one, "a2");
    submit(two, "b2");
    await settled();
    expect(flushes).toEqual([["a1"], ["b1"], ["a2"], ["b2"]]);
  });

  it("follows the rhythm of many callers, up to a second", async () => {
    const { group, flushes, pass } = bench();
    for (let i = 0; i < 20; i += 1) {
      submit(group, `c${i}`);
      await pass(25);
    }
    expect(flushes).toEqual([]);
    await pass(224);
    expect(flushes).toEqual([]);
    await pass(1);
    expect(flushes.map((names) => names.length)).toEqual([20]);
  });

  it("lets the first of a group wait five seconds at most, however many others join", async () => {
    const { group, flushes, pass } = bench();
    submit(group, "a", "b", "c", "d");
    for (let i = 0; i < 62; i += 1) {
      await pass(80);
      submit(group, `e${i}`);
    }
    await pass(39);
    expect(flushes).toEqual([]);
    await pass(1);
    expect(flushes.map((names) => names.length)).toEqual([66]);
  });

  it("learns nothing from a wait that was cut short: it ended before a caller could be missed", async () => {
    const { group, flushes, pass, end } = bench();
    submit(group, "a", "b", "c", "d");
    for (let i = 0; i < 62; i += 1) {
      await pass(80);
      submit(group, `e${i}`);
    }
    await pass(40);
    await end();
    for (let i = 0; i < 66; i += 1) submit(group, `f${i}`);
    await pass(0);
    expect(flushes).toHaveLength(1);
    submit(group, "f66");
    await pass(1_000);
    expect(flushes.map((names) => names.length)).toEqual([66, 67]);
  });

  it("lets a caller that comes alone wait 90 ms, also after many others", async () => {
    const { group, flushes, pass, end } = bench();
    for (let i = 0; i < 10; i += 1) submit(group, `c${i}`);
    await pass(1_000);
    await end();
    submit(group, "late");
    await pass(90);
    expect(flushes.at(-1)).toEqual(["late"]);
  });

  it("gives the error of a flush that throws to every caller, and goes on", async () => {
    let calls = 0;
    const group = new GroupCommit<string, string>(
      async (operations) => {
        calls += 1;
        if (calls === 1) throw new Error("no list");
        return operations.map((value) => ({ ok: true, value }));
      },
      { commitCoalesceMs: 0 },
    );
    const first = await Promise.allSettled([group.submit("a"), group.submit("b")]);
    expect(first.map((result) => result.status)).toEqual(["rejected", "rejected"]);
    expect(await group.submit("c")).toBe("c");
  });
});

describe("group commit of what was announced", () => {
  it("waits 30 ms and no longer for a last group of which all callers are there", async () => {
    const { announce, come, flushes, pass, end } = bench();
    announce("a", "b", "c", "d", "e");
    come("a", "b", "c", "d", "e");
    await pass(30);
    await end();
    announce("f", "g", "h");
    come("f");
    await pass(80);
    come("g");
    await pass(80);
    come("h");
    await pass(29);
    expect(flushes).toEqual([["a", "b", "c", "d", "e"]]);
    await pass(1);
    expect(flushes.at(-1)).toEqual(["f", "g", "h"]);
  });

  it("lets a node of a resource of many wait 30 ms from its check, whatever other nodes are in flight", async () => {
    const { group, announced, announce, inFlight, flushes, pass } = bench();
    announce("node", "entry");
    inFlight.arrive();
    inFlight.arrive();
    await pass(30);
    void group.submit("node", { isAnnounced: announced.take("node"), isNode: true });
    await pass(30);
    expect(flushes).toEqual([]);
    void group.submit("entry", { isAnnounced: announced.take("entry") });
    await pass(0);
    expect(flushes).toEqual([]);
    await pass(30);
    expect(flushes).toEqual([["node", "entry"]]);

    const other = bench();
    other.announce("node");
    other.inFlight.arrive();
    await other.pass(30);
    void other.group.submit("node", { isAnnounced: other.announced.take("node"), isNode: true });
    await other.pass(0);
    expect(other.flushes).toEqual([["node"]]);
  });

  it("lets a lone resource wait 30 ms from its check, since the engine may check another one", async () => {
    const { announce, come, flushes, pass } = bench();
    announce("a");
    await pass(20);
    come("a");
    await pass(9);
    expect(flushes).toEqual([]);
    await pass(1);
    expect(flushes).toEqual([["a"]]);
  });

  it("does not close before a resource that was checked has come", async () => {
    const { announce, come, flushes, pass } = bench();
    announce("a", "b");
    come("a");
    await pass(89);
    expect(flushes).toEqual([]);
    come("b");
    await pass(30);
    expect(flushes).toEqual([["a", "b"]]);
  });

  it("closes 30 ms after the last resource that was checked turned out to be as wanted", async () => {
    const { announce, come, announced, flushes, pass } = bench();
    announce("changed", "equal 1", "equal 2");
    come("changed");
    await pass(25);
    announced.drop("equal 1");
    await pass(25);
    announced.drop("equal 2");
    await pass(29);
    expect(flushes).toEqual([]);
    await pass(1);
    expect(flushes).toEqual([["changed"]]);
  });

  it("waits while checks go on, five seconds at most", async () => {
    const { announce, come, announced, flushes, pass } = bench();
    announce("changed");
    come("changed");
    for (let i = 0; i < 249; i += 1) {
      announce(`equal ${i}`);
      await pass(20);
      announced.drop(`equal ${i}`);
    }
    expect(flushes).toEqual([]);
    await pass(20);
    expect(flushes).toEqual([["changed"]]);
  });

  it("waits for a caller that never comes no longer than for one that was not announced", async () => {
    const { announce, come, flushes, pass } = bench();
    announce("forbidden by a policy", "a");
    come("a");
    await pass(90);
    expect(flushes).toEqual([["a"]]);
  });

  it("waits 30 ms once the usual number of callers is there, and learns from one more", async () => {
    const { announce, come, flushes, end, pass } = bench({ usual: 3 });
    announce("a", "b", "c", "held");
    come("a", "b", "c");
    await pass(29);
    expect(flushes).toEqual([]);
    await pass(1);
    expect(flushes).toEqual([["a", "b", "c"]]);
    await end();
    announce("d", "e");
    come("held", "d", "e");
    await pass(0);
    expect(flushes.at(-1)).toEqual(["held", "d", "e"]);
  });

  it("goes on waiting where the engine goes on checking, as with a higher --parallel", async () => {
    const { announce, come, flushes, pass } = bench({ usual: 3 });
    announce("a", "b", "c", "d");
    come("a", "b", "c");
    await pass(29);
    announce("e");
    await pass(29);
    come("d", "e");
    await pass(29);
    expect(flushes).toEqual([]);
    await pass(1);
    expect(flushes).toEqual([["a", "b", "c", "d", "e"]]);
  });

  it("does not take the usual number for all where more resources were checked", async () => {
    const { announce, come, flushes, pass } = bench({ usual: 3 });
    announce("a", "b", "c", "d", "e", "f");
    come("a", "b", "c");
    await pass(89);
    expect(flushes).toEqual([]);
    come("d", "e", "f");
    await pass(30);
    expect(flushes).toEqual([["a", "b", "c", "d", "e", "f"]]);
  });

  it("learns nothing about the engine from a wait in which a caller of another group was announced", async () => {
    const { announce, come, inFlight, flushes, end, pass } = bench({ usual: 3 });
    const other = new Announced(inFlight);
    announce("a", "b", "c", "d", "e", "f", "g");
    come("a", "b", "c");
    await pass(50);
    other.add("z");
    await pass(40);
    expect(flushes).toEqual([["a", "b", "c"]]);
    await end();
    come("d", "e", "f");
    await pass(0);
    expect(flushes).toHaveLength(1);
  });

  it("learns nothing about the engine from a wait in which no other caller was announced", async () => {
    const { announce, come, flushes, end, pass } = bench();
    announce("a", "b");
    come("a", "b");
    await pass(30);
    await end();
    announce("c", "d", "e");
    come("c", "d");
    await pass(0);
    expect(flushes).toEqual([["a", "b"]]);
    come("e");
    await pass(30);
    expect(flushes.at(-1)).toEqual(["c", "d", "e"]);
  });

  it("counts a resource that is checked twice, as a replacement is, once", () => {
    const { announce, announced } = bench();
    announce("a", "a");
    expect(announced.size).toBe(1);
    expect([announced.take("a"), announced.take("a")]).toEqual([true, false]);
    expect(announced.size).toBe(0);
  });
});
