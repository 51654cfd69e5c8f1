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

/** The events, one after the other; between brackets all flushes so far. With a number of callers that the engine usually has. */
const STORIES: readonly [outcome: string, story: string, usual?: number][] = [
  [
    "begins the wait anew with each caller: 90 ms after the last, where none was announced",
    "submit a; wait 29; submit b; wait 89; nothing; wait 1; [a b]",
  ],
  [
    "gathers during a flush and never runs two at once",
    "submit a; wait 30; submit b c; wait 1000; [a]; end; submit d; wait 1000; [a] [b c d]",
  ],
  [
    "carries out what came during a flush, though no caller comes after it",
    "come a; wait 90; come b; end; wait 5000; [a] [b]",
  ],
  [
    "waits 90 ms where one of a group was announced and another was not",
    "announce a; come a b; wait 30; nothing; wait 60; [a b]",
  ],
  [
    "learns from one wait in vain how many callers the engine has, and waits for no more",
    "submit a1 b1 c1; wait 90; end; [a1 b1 c1]; submit a2 b2; wait 0; [a1 b1 c1]; submit c2; wait 0; " +
      "[a1 b1 c1] [a2 b2 c2]; end; submit a3 b3 c3; wait 0; [a1 b1 c1] [a2 b2 c2] [a3 b3 c3]",
  ],
  [
    "lets a caller that comes alone wait 90 ms, also after many others",
    "submit a b c d e f g h i j; wait 1000; end; submit late; wait 89; [a b c d e f g h i j]; wait 1; " +
      "[a b c d e f g h i j] [late]",
  ],
  [
    "waits 30 ms and no longer for a last group of which all callers were announced",
    "announce a b c d e; come a b c d e; wait 30; end; announce f g h; come f; wait 80; come g; wait 80; " +
      "come h; wait 29; [a b c d e]; wait 1; [a b c d e] [f g h]",
  ],
  [
    "lets a lone resource wait 30 ms from its check, since the engine may check another one",
    "announce a; wait 20; come a; wait 9; nothing; wait 1; [a]",
  ],
  [
    "does not close before a resource that was checked has come",
    "announce a b; come a; wait 89; nothing; come b; wait 30; [a b]",
  ],
  [
    "closes 30 ms after the last resource that was checked turned out to be as wanted",
    "announce changed equal1 equal2; come changed; wait 25; drop equal1; wait 25; drop equal2; wait 29; " +
      "nothing; wait 1; [changed]",
  ],
  [
    "waits for a caller that never comes no longer than for one that was not announced",
    "announce forbidden a; come a; wait 90; [a]",
  ],
  [
    "waits 30 ms once the usual number of callers is there, and learns from one more",
    "announce a b c held; come a b c; wait 29; nothing; wait 1; [a b c]; end; announce d e; come held d e; " +
      "wait 0; [a b c] [held d e]",
    3,
  ],
  [
    "goes on waiting where the engine goes on checking, as with a higher --parallel",
    "announce a b c d; come a b c; wait 29; announce e; wait 29; come d e; wait 29; " + "nothing; wait 1; [a b c d e]",
    3,
  ],
  [
    "does not take the usual number for all where more resources were checked",
    "announce a b c d e f; come a b c; wait 89; nothing; come d e f; wait 30; [a b c d e f]",
    3,
  ],
  [
    "learns nothing about the engine from a wait in which no other caller was announced",
    "announce a b; come a b; wait 30; end; announce c d e; come c d; wait 0; [a b]; come e; wait 30; " +
      "[a b] [c d e]",
  ],
];

it.each(STORIES.map(([outcome, story, usual]) => ({ outcome, story, usual })))("$outcome", async ({ story, usual }) => {
  const { group, announced, announce, come, flushes, pass, end } = bench({ usual });
  const steps: Readonly<Record<string, (...names: string[]) => unknown>> = {
    announce,
    come,
    submit: (...names) => submit(group, ...names),
    drop: (name = "") => announced.drop(name),
    wait: (ms) => pass(Number(ms)),
    end,
    nothing: () => expect(flushes).toEqual([]),
  };
  for (const step of story.split("; ")) {
    const [verb = "", ...names] = step.split(" ");
    if (verb.startsWith("[")) expect(flushes.map((one) => `[${one.join(" ")}]`).join(" ")).toBe(step);
    else await (steps[verb] as (typeof steps)[string])(...names);
  }
});

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

  it("counts a resource that is checked twice, as a replacement is, once", () => {
    const { announce, announced } = bench();
    announce("a", "a");
    expect(announced.size).toBe(1);
    expect([announced.take("a"), announced.take("a")]).toEqual([true, false]);
    expect(announced.size).toBe(0);
  });
});
