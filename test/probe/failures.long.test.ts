import { describe, expect, test } from "vitest";
import type { Emulator } from "../../provider/emulator";
import { seededRandom } from "../../provider/emulator/time/random";
import { parseUrl } from "../../provider/model/resource-url";
import { noteLine, readUndo } from "../../provider/probe/asking/undo";
import { clean } from "../../provider/probe/clean";
import type { ProbeResult } from "../../provider/probe/finding";
import type { ProbeOptions } from "../../provider/probe/probe";
import { OWN, probed, SECRET, SET, startNode, TOKEN, worldOf } from "./support";

const KINDS = ["reset", "error", "silence", "lost-answer", "truncated", "html"] as const;

/** Nodes on which a clean-up is hard in different ways. */
const NODES = {
  default: {},
  strict: { insertExisting: "error", deleteAbsent: "error", emptyCommit: "error", commitDelay: 50, hostBits: "keep" },
} as const;

/** One fault at each request, drawn by seed, and each walk at one node; with `all` each fault, and each node. */
const ALL = process.env.PACKETFILTER_WALK === "all";

/** Milliseconds: hundreds of probes, on a machine that has other things to do. */
const TIME = ALL ? 600_000 : 180_000;

/** Of the lists only those of the set: what is written is what must be taken out. */
const short = (emulator: Emulator, options: Partial<ProbeOptions> = {}) =>
  probed(emulator, { urls: [parseUrl(SET)], limits: { entries: 20, bytes: 4_096 }, ...options });

function expectAsBefore(emulator: Emulator, { left }: ProbeResult, about: string): void {
  const { applied, staged } = emulator.prefixSet(SET);
  const active = emulator.signalings.c1 ?? [];
  expect({ applied, staged, active, left }, about).toEqual({ applied: {}, staged: {}, active: [], left: [] });
}

const walked = (chosen: keyof typeof NODES) => Object.entries(NODES).filter(([name]) => ALL || name === chosen);

describe.each(walked("default"))("at a node that is %s", (_, dialect) => {
  test(
    "a failure of any request leaves the set empty, nothing staged and nothing signaled",
    async () => {
      const random = seededRandom(4711);
      let total = 0;
      for (let index = 1; total === 0; index++) {
        const drawn = KINDS[Math.floor(random() * KINDS.length)] ?? "reset";
        for (const kind of ALL ? KINDS : [drawn]) {
          await using emulator = await startNode(dialect);
          const fault = emulator.fail({ kind, nth: index });
          const result = await short(emulator);
          expectAsBefore(emulator, result, `${kind} at request ${index}`);
          if (fault.hits === 0) total = index;
        }
      }
      expect(total).toBeGreaterThan(80);
    },
    TIME,
  );
});

describe.each(walked("strict"))("at a node that is %s", (_, dialect) => {
  test(
    "a probe that is told to end at any request does so, and clears up first",
    async () => {
      let ended = false;
      let index = 0;
      while (!ended) {
        index += 1;
        const stop = new AbortController();
        const onRequest = (count: number) => count === index && stop.abort();
        await using emulator = await startNode(dialect, { onRequest });
        const result = await short(emulator, { signal: stop.signal });
        expectAsBefore(emulator, result, `told to end at request ${index}`);
        ended = !stop.signal.aborted;
        if (!ended && result.stopped !== undefined) expect(result.stopped).toBe("it received a signal to end");
      }
      expect(index).toBeGreaterThan(80);
    },
    TIME,
  );
});

test.each([30, 45, 60, 75])(
  "a node that dies at request %i: the report says what may be left, and the notes take it back once it is there again",
  async (nth) => {
    await using emulator = await startNode({});
    const dead = emulator.fail({ kind: "reset", nth, times: 100_000 });
    let notes = "";
    const note: ProbeOptions["note"] = (one) => {
      notes += noteLine(one);
    };
    const { stopped, left, findings } = await short(emulator, { note });
    dead.remove();
    expect(stopped).toContain("connection lost");
    expect(findings.at(-1)).toMatchObject({ found: "skipped", node: "the probe ended before" });
    const { applied, staged } = emulator.prefixSet(SET);
    for (const prefix of Object.keys({ ...applied, ...staged })) expect(left[0]?.prefixes).toContain(prefix);
    expect(left[0]?.remedy).toContain(`Set ${SET} on ${emulator.endpoint} could not be cleaned up: `);
    expect(left[0]?.remedy).toContain(left[0]?.prefixes.join(", "));
    const node = { endpoint: emulator.endpoint, headers: { authorization: `Bearer ${TOKEN}` } };
    expect(await clean(readUndo(notes), { node, world: worldOf(emulator) })).toEqual([]);
    expect(emulator.prefixSet(SET)).toEqual({ applied: {}, staged: {} });
  },
);

test("--clean stops what was started though the node is dead, and says what the node may hold", async () => {
  await using emulator = await startNode({});
  emulator.signal("c1", { start: [OWN] });
  const begun = { endpoint: emulator.endpoint, set: SET, receiver: emulator.signalingUrl };
  const notes = [{ begun }, { insert: ["192.0.2.0/24"] }, { start: [OWN] }].map(noteLine).join("");
  emulator.fail({ kind: "reset", api: "node", times: 100_000 });
  const node = { endpoint: emulator.endpoint, headers: { authorization: `Bearer ${TOKEN}` } };
  const receiver = { url: emulator.signalingUrl, clientId: "c1", secretKey: SECRET };
  const left = await clean(readUndo(notes), { node, receiver, world: worldOf(emulator) });
  expect(left).toMatchObject([{ where: SET, prefixes: ["192.0.2.0/24"] }]);
  expect(emulator.signalings.c1 ?? []).toEqual([]);
});

test("a receiver that refuses to say what is active is asked again, and not taken for a quiet one", async () => {
  await using emulator = await startNode({});
  emulator.signal("c1", { start: [OWN] });
  const begun = { receiver: emulator.signalingUrl };
  const notes = [{ begun }, { start: [OWN] }].map(noteLine).join("");
  emulator.fail({ kind: "error", api: "signaling", status: 409, message: "busy", times: 5 });
  const receiver = { url: emulator.signalingUrl, clientId: "c1", secretKey: SECRET };
  expect(await clean(readUndo(notes), { receiver, world: worldOf(emulator) })).toEqual([]);
  expect(emulator.signalings.c1 ?? []).toEqual([]);
});

test("a set that another writer fills meanwhile is left with what is theirs, and the probe ends", async () => {
  const onRequest = (count: number) => count === 40 && emulator.change(SET, { insert: { "10.1.0.0/16": 5 } });
  await using emulator = await startNode({}, { onRequest });
  const { stopped, left } = await short(emulator);
  expect(stopped).toContain("lists 10.1.0.0/16, which the probe did not write");
  expect(left).toEqual([]);
  const theirs = { "10.1.0.0/16": 5 };
  expect(emulator.prefixSet(SET)).toEqual({ applied: theirs, staged: theirs });
});
