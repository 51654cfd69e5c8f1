import { describe, expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { Notices } from "../../provider/messages/notices";
import { type Declared, MiniEngine } from "../failures/support/engine";

const [A, B] = ["192.0.2.0/24", "198.51.100.0/24"] as const;
const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index + 1}`);
const emptyNodes = (count: number) =>
  Promise.all(names(count).map(() => startEmulator({ state: { arenas: { edge: { sets: { blocked: {} } } } } })));
const settings = (nodes: readonly Emulator[], more: object = {}) =>
  Object.fromEntries(nodes.map(({ endpoint }, index) => [`n${index + 1}`, { endpoint, ...more }]));
const group = (count: number, entries: object): Declared => ({
  type: "PrefixSetGroup",
  name: "blocked",
  args: { arena: "edge", set: "blocked", entries, nodes: names(count), maxUnreachable: count },
});
const closed = (...nodes: readonly Emulator[][]) => Promise.all(nodes.flat().map((node) => node.close()));

describe("what many nodes have alike, each with addresses of its own,", () => {
  it("is said once when the nodes of a group move: five are named, the others counted", async () => {
    const [before, after] = [await emptyNodes(7), await emptyNodes(7)];
    const config: Record<string, unknown> = { nodes: settings(before), distinctNodes: true };
    const engine = new MiniEngine(config);
    await engine.up([group(7, { [A]: 1 })]);
    config.nodes = settings(after);
    const { errors, printed } = await engine.up([group(7, { [A]: 1, [B]: 1 })]);
    expect(errors).toEqual([]);
    const moved = printed.filter((line) => line.includes("now reached"));
    expect(moved).toHaveLength(1);
    expect(moved[0]).toMatch(/^warning: Set prefixset:\/\/edge\/blocked: 7 nodes are now reached at other addresses: /);
    expect(moved[0]).toContain(`n1 at ${after[0]?.endpoint} instead of ${before[0]?.endpoint}, `);
    expect(moved[0]?.match(/instead of/g)).toHaveLength(5);
    expect(moved[0]).toMatch(/ and 2 more\. What the former addresses hold stays there; /);
    await closed(before, after);
  });

  it("names the one node that moves as a set of its own does", async () => {
    const [before, after] = [await emptyNodes(2), await emptyNodes(1)];
    const config: Record<string, unknown> = { nodes: settings(before), distinctNodes: true };
    const engine = new MiniEngine(config);
    await engine.up([group(2, { [A]: 1 })]);
    config.nodes = settings([after[0] as Emulator, before[1] as Emulator]);
    const { printed } = await engine.up([group(2, { [A]: 1, [B]: 1 })]);
    expect(printed.filter((line) => line.includes("now reached"))).toEqual([
      `warning: Set prefixset://edge/blocked: the node is now reached at ${after[0]?.endpoint}. What ${before[0]?.endpoint} holds stays there; if that is another machine, clear it there (docs/guides/moving-and-retiring-nodes.md).`,
    ]);
    await closed(before, after);
  });

  it("is said once when a refresh goes on without nodes that do not answer", async () => {
    const nodes = await emptyNodes(3);
    const engine = new MiniEngine({ nodes: settings(nodes, { onUnreachable: "skip" }) });
    await engine.up([group(3, { [A]: 1 })]);
    await closed(nodes);
    const { errors, printed } = await engine.refresh();
    expect(errors).toEqual([]);
    const silent = printed.filter((line) => line.includes("not refreshed"));
    expect(silent).toHaveLength(1);
    expect(silent[0]).toMatch(
      /^warning: Set prefixset:\/\/edge\/blocked on n1, n2, n3: not refreshed, since they do not answer; their state is kept /,
    );
    expect(silent[0]?.match(/no connection/g)).toHaveLength(3);
  });

  it("waits for the last of several works, names its subjects in order, and is said at once where there is none", async () => {
    const printed: string[] = [];
    const notices = new Notices((line) => printed.push(line));
    const tell = (number: number) =>
      notices.report({ kind: "setAbsent", url: "prefixset://edge/blocked", at: `n${number}`, proof: "404" });
    const line = (names: string) =>
      `Set prefixset://edge/blocked on ${names} is not there any more (404): nothing is left to be removed.`;
    tell(1);
    await notices.fold(async () => {
      tell(4);
      await notices.fold(async () => tell(3));
      expect(printed).toEqual([line("n1")]);
      tell(2);
    });
    expect(printed).toEqual([line("n1"), line("n2, n3, n4")]);
  });
});
