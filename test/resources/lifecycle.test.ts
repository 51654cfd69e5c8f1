import { describe, expect, it } from "vitest";
import { Runtime } from "../../provider/deployment/runtime";
import { startEmulator } from "../../provider/emulator";
import { PartialFailure } from "../../provider/engine/handler";
import type { JsonObject } from "../../provider/model/json";
import { PrefixSetHandler } from "../../provider/resources/prefix-set/handler";

const BLOCKED = "prefixset://edge/blocked";
const [A, B, C] = ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24"];

/** A node that holds a set, and deployments that know of each other by the state alone. */
async function bench(entries: Record<string, number>) {
  const emulator = await startEmulator({ state: { arenas: { edge: { sets: { blocked: entries } } } } });
  const printed: string[] = [];
  const print = (line: string) => void (/ declared$/.test(line) || printed.push(line));
  const deployment = () => {
    const runtime = new Runtime({ env: {}, print, world: { maxTries: 1 } });
    const config = { endpoint: emulator.endpoint, node: { commitCoalesceMs: 0 } };
    runtime.configure((key: string) => config[key as keyof typeof config]);
    return new PrefixSetHandler(runtime);
  };
  /** Checked inputs of a program. */
  const declared = (handler: PrefixSetHandler, entries: object, olds: JsonObject = {}, more: object = {}) => {
    const { inputs, problems } = handler.check(olds, { arena: "edge", set: "blocked", entries, ...more } as JsonObject);
    expect(problems).toEqual([]);
    return inputs;
  };
  const state = (entries: object, more: object = {}): JsonObject => ({
    ...{ arena: "edge", set: "blocked", entries: { ...entries }, url: BLOCKED, count: Object.keys(entries).length },
    endpoint: emulator.endpoint,
    ...more,
  });
  const held = () => emulator.prefixSet(BLOCKED).applied;
  return {
    emulator,
    printed,
    deployment,
    declared,
    state,
    held,
    [Symbol.asyncDispose]: () => emulator.close(),
  };
}

/** The state after a failure. */
async function keptBy(work: Promise<unknown>): Promise<JsonObject> {
  const error = await work.catch((reason: unknown) => reason);
  if (!(error instanceof PartialFailure)) throw error;
  return error.outputs;
}

describe("a create", () => {
  it("that adopts names one entry as one, and keeps what it found after a failure, too", async () => {
    await using node = await bench({ [B]: 2 });
    const handler = node.deployment();
    const inputs = node.declared(handler, { [A]: 1 }, {}, { onExisting: "adopt" });
    node.emulator.fail({ cmd: "commit", status: 503 });
    expect(await keptBy(handler.create(inputs))).toMatchObject({ entries: { [B]: 2 }, adopted: [B] });
    const { outs } = await node.deployment().create(inputs);
    expect(outs).toMatchObject({ entries: { [A]: 1, [B]: 2 }, adopted: [B] });
    expect(node.printed.join("\n")).toContain(`adopted 1 entry that the program does not declare: ${B}.`);
  });

  it("leaves a comparison to the engine where a text about restored entries is a line of its own", async () => {
    await using node = await bench({});
    const handler = node.deployment();
    const inputs = node.declared(handler, { [A]: 1 });
    const state = node.state({ [A]: 5 }, { adopted: [A] });
    expect(handler.diff(state, inputs)).toEqual({ changes: true });
    expect(handler.diff(state, { ...inputs, restores: `1 other value: ${A} has the value 5, not 1` })).toEqual({});
  });

  it("says whose the entries are that were there as declared, and what a destroy does with them", async () => {
    for (const [onDestroy, fate] of Object.entries({
      remove: 'a destroy removes it with the rest; onDestroy: "created" leaves it',
      keep: "a destroy leaves it",
      created: 'a destroy leaves it (onDestroy: "created")',
    })) {
      await using node = await bench({ [A]: 1 });
      const handler = node.deployment();
      const { outs } = await handler.create(node.declared(handler, { [A]: 1, [B]: 2 }, {}, { onDestroy }));
      expect(node.printed).toEqual([
        expect.stringContaining(
          `1 entry was already there as declared, before this resource: ${A}. It belongs to this resource now, and ${fate}.`,
        ),
      ]);
      await node.deployment().delete(BLOCKED, outs);
      expect(node.held()).toEqual({ remove: {}, keep: { [A]: 1, [B]: 2 }, created: { [A]: 1 } }[onDestroy]);
    }
    await using node = await bench({});
    const handler = node.deployment();
    await handler.create(node.declared(handler, { [A]: 1 }));
    expect(node.printed).toEqual([]);
  });
});

describe("a refresh", () => {
  it("keeps what is not settled, and names only what no program declared as found, and as there before the resource", async () => {
    await using node = await bench({ [A]: 1, [B]: 7, [C]: 3 });
    const read = (more: object) => node.deployment().read(BLOCKED, node.state({ [A]: 1, [B]: 2 }, more));
    const found = await read({ unsettled: [B] });
    const lost = { [B]: 2 };
    expect(found?.props).toEqual(
      node.state({ [A]: 1, [B]: 7, [C]: 3 }, { found: [C], existed: [C], lost, unsettled: [B] }),
    );
    // The inputs stay those of the program: a loss is no wish.
    expect(found?.inputs.entries).toEqual({ [A]: 1, [B]: 2, [C]: 3 });
    node.emulator.change(BLOCKED, { delete: [C] });
    const settled = await read({});
    expect(settled?.props).toEqual(node.state({ [A]: 1, [B]: 7 }, { lost }));
    expect((await read({ adopted: [A] }))?.props).toMatchObject({ found: [A] });
  });
});

describe("an update", () => {
  it("names other values and other entries that it left, each with its own words", async () => {
    const left = async (entries: Record<string, number>) => {
      await using node = await bench(entries);
      const handler = node.deployment();
      const olds = node.state({ [A]: 1 });
      await handler.update(BLOCKED, olds, node.declared(handler, { [A]: 1, [B]: 2 }, olds));
      return node.printed.flatMap(
        (line) => /: left (.*?)\. "pulumi preview --refresh" shows them/.exec(line)?.[1] ?? [],
      );
    };
    const undeclared = `entries that the program does not declare: ${C}`;
    expect(await left({ [A]: 1 })).toEqual([]);
    expect(await left({ [A]: 1, [C]: 3 })).toEqual([undeclared]);
    expect(await left({ [A]: 7 })).toEqual([`other values of ${A}`]);
    expect(await left({ [A]: 7, [C]: 3 })).toEqual([`${undeclared} and other values of ${A}`]);
  });
});

describe("a delete", () => {
  it("leaves what another resource of the program wants there, and says so", async () => {
    await using node = await bench({ [A]: 1, [B]: 1 });
    const handler = node.deployment();
    node.declared(handler, { [A]: 1 });
    await handler.delete(BLOCKED, node.state({ [A]: 1, [B]: 1 }));
    expect(node.held()).toEqual({ [A]: 1 });
    expect(node.printed[0]).toContain(
      `: 1 entry stays, since another resource of this stack declares or has adopted it: ${A}.`,
    );
  });
});
