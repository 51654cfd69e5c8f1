import { describe, expect, it } from "vitest";
import { Runtime } from "../../provider/deployment/runtime";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { PrefixSetHandler } from "../../provider/resources/prefix-set/handler";
import { PrefixSetEntryHandler } from "../../provider/resources/prefix-set-entry/handler";

const BLOCKED = "prefixset://edge/blocked";

/** A state with a set at this node, and a deployment that destroys it. */
async function bench(entries: Record<string, number>) {
  const emulator = await startEmulator({ state: { arenas: { edge: { sets: { blocked: entries } } } } });
  const printed: string[] = [];
  const runtime = new Runtime({ env: {}, print: (line) => void printed.push(line) });
  runtime.configure((key: string) => ({ endpoint: emulator.endpoint, node: { commitCoalesceMs: 0 } })[key]);
  const state = (more: Record<string, unknown> = {}) => ({
    arena: "edge",
    set: "blocked",
    entries: { "192.0.2.0/24": 1, "203.0.113.0/24": 1 },
    url: BLOCKED,
    count: 2,
    endpoint: emulator.endpoint,
    ...more,
  });
  const destroy = (more?: Record<string, unknown>) => new PrefixSetHandler(runtime).delete(BLOCKED, state(more));
  return { emulator, runtime, printed, destroy, state, [Symbol.asyncDispose]: () => emulator.close() };
}

const sent = (emulator: Emulator) =>
  emulator.requests().map(({ cmd, entries }) => (entries ? `${cmd} ${entries}` : cmd));

describe("destroying a set", () => {
  it("removes what the state knows, leaves the rest and names it", async () => {
    await using stack = await bench({ "192.0.2.0/24": 1, "203.0.113.0/24": 1, "198.51.100.0/24": 1 });
    await stack.destroy();
    expect(stack.emulator.prefixSet(BLOCKED).applied).toEqual({ "198.51.100.0/24": 1 });
    expect(stack.printed).toEqual([
      expect.stringContaining(": 2 entries were removed with the resource: 192.0.2.0/24, 203.0.113.0/24."),
      expect.stringMatching(/^warning: .*left 198\.51\.100\.0\/24, which this stack did not know/),
    ]);
  });

  it("with onDestroy: created removes what the resource inserted, sure of it or not, and names the rest once", async () => {
    await using stack = await bench({ "192.0.2.0/24": 1, "203.0.113.0/24": 1 });
    const unsettled = ["192.0.2.0/24", "203.0.113.0/24"];
    await stack.destroy({ onDestroy: "created", existed: ["192.0.2.0/24"], unsettled });
    expect(stack.emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 1 });
    expect(stack.printed).toEqual([
      expect.stringContaining(
        ': left 1 entry that was there before this resource (onDestroy: "created"): 192.0.2.0/24.',
      ),
      expect.stringContaining(": 1 entry was removed with the resource: 203.0.113.0/24."),
    ]);
  });

  it("does not call unknown what the stack declares at another address, which may be the same machine", async () => {
    await using stack = await bench({ "192.0.2.0/24": 1, "198.51.100.0/24": 1 });
    const node = { endpoint: stack.emulator.endpoint.replace("127.0.0.1", "localhost") };
    const inputs = { arena: "edge", set: "blocked", node, entries: ["198.51.100.0/24"] };
    expect(await new PrefixSetHandler(stack.runtime).check({}, inputs)).not.toHaveProperty("failures");
    await stack.destroy({ entries: { "192.0.2.0/24": 1 }, count: 1 });
    expect(stack.emulator.prefixSet(BLOCKED).applied).toEqual({ "198.51.100.0/24": 1 });
    expect(stack.printed.slice(1)).toEqual([
      expect.stringContaining(": 1 entry was removed with the resource: 192.0.2.0/24."),
      expect.stringContaining(
        "1 entry stays, since another resource of this stack declares or has adopted it: 198.51.100.0/24.",
      ),
    ]);
  });

  it("takes it for empty already when a second list agrees after a commit, and says what was gone", async () => {
    await using stack = await bench({});
    await stack.destroy();
    expect(sent(stack.emulator)).toEqual(["list", "delete 2", "commit", "list"]);
    expect(stack.printed).toEqual([
      expect.stringMatching(/was empty already, .*: 192\.0\.2\.0\/24, 203\.0\.113\.0\/24 were gone before this run/),
    ]);
  });

  it("names entries that the list before the removal lacked", async () => {
    await using stack = await bench({ "192.0.2.0/24": 1 });
    await stack.destroy();
    expect(stack.printed).toEqual([
      expect.stringMatching(/did not show 1 entry of this resource: 203\.0\.113\.0\/24\. There is nothing to do/),
      expect.stringContaining("1 entry was removed with the resource: 192.0.2.0/24."),
    ]);
  });

  it("sends nothing with onDestroy: keep, and says what it leaves", async () => {
    await using stack = await bench({ "192.0.2.0/24": 1, "203.0.113.0/24": 1 });
    await stack.destroy({ onDestroy: "keep" });
    expect(sent(stack.emulator)).toEqual([]);
    expect(stack.printed).toEqual([
      `Set prefixset://edge/blocked on ${stack.emulator.endpoint}: left 2 entries (onDestroy: "keep").`,
    ]);
  });

  it("is refused with a newer version's word in the state, until an up gives a known one", async () => {
    await using stack = await bench({ "192.0.2.0/24": 1, "203.0.113.0/24": 1 });
    const newer = stack.state({ onDestroy: "detach" });
    await expect(stack.destroy({ onDestroy: "detach" })).rejects.toThrow(
      /^The state of PrefixSet prefixset:\/\/edge\/blocked: onDestroy is "detach", .* give onDestroy in the program/,
    );
    await expect(new PrefixSetHandler(stack.runtime).read(BLOCKED, newer)).rejects.toThrow(/onDestroy is "detach"/);
    expect(sent(stack.emulator)).toEqual([]);

    const handler = new PrefixSetHandler(stack.runtime);
    const { arena, set, entries } = newer;
    const { inputs } = handler.check(newer, { arena, set, entries, onDestroy: "keep" });
    expect(handler.diff(newer, inputs)).toEqual({});
    const { outs } = await handler.update(BLOCKED, newer, inputs);
    await handler.delete(BLOCKED, outs);
    expect(stack.emulator.prefixSet(BLOCKED).applied).toEqual(entries);
  });

  it("is done where the node lists the arena and not the set: absent is what was asked for", async () => {
    await using stack = await bench({});
    await stack.destroy({ set: "blokced" });
    await stack.destroy({ profile: "web" });
    const entry = { arena: "edge", set: "partners", prefix: "192.0.2.0/24", endpoint: stack.emulator.endpoint };
    await new PrefixSetEntryHandler(stack.runtime).delete("", entry);
    const proof = "the node lists the profiles of edge, and";
    const gone = (url: string, why: string) =>
      `Set ${url} on ${stack.emulator.endpoint} is not there any more (${proof} ${why}): nothing is left to be removed.`;
    expect(stack.printed).toEqual([
      gone("prefixset://edge/blokced", "answers 404 to this set"),
      gone("prefixset://edge/web/blocked", "web is not among them"),
      gone("prefixset://edge/partners", "answers 404 to this set"),
    ]);
  });

  it("is an error when the node does not know the arena, either: another machine may answer there", async () => {
    await using stack = await bench({});
    await expect(stack.destroy({ arena: "egde" })).rejects.toThrow(
      /prefixset:\/\/egde\/blocked.*If the node has no such set any more/,
    );
  });

  it("says that a destroy has the credentials of the last up, where those are refused", async () => {
    await using stack = await bench({ "192.0.2.0/24": 1, "203.0.113.0/24": 1 });
    stack.emulator.fail({ status: 401, times: 2 });
    const rotated =
      /Refresh and destroy use the configuration of the last "pulumi up".* plain "pulumi up" .*--run-program\. A provider resource that left the program together with this one keeps its old credentials: put it back/;
    await expect(stack.destroy()).rejects.toThrow(rotated);
    await expect(new PrefixSetHandler(stack.runtime).read(BLOCKED, stack.state())).rejects.toThrow(rotated);
  });

  it("says nothing of strangers where its own entries stay, since they may be those of another address", async () => {
    await using stack = await bench({ "192.0.2.0/24": 1, "203.0.113.0/24": 1 });
    const node = { endpoint: stack.emulator.endpoint.replace("127.0.0.1", "localhost"), commitCoalesceMs: 0 };
    const { arena, set, entries } = stack.state();
    new PrefixSetHandler(stack.runtime).check({}, { arena, set, entries, node });
    await stack.destroy();
    expect(stack.printed).toEqual([
      expect.stringContaining(": 2 entries declared"),
      expect.stringContaining("2 entries stay, since"),
    ]);
  });
});
