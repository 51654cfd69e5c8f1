import { expect, it } from "vitest";
import { Runtime } from "../../provider/deployment/runtime";
import { startEmulator } from "../../provider/emulator/index";
import { PrefixSetHandler } from "../../provider/resources/prefix-set/handler";

const SET = { arena: "edge", set: "blocked" };

/** A deployment on a machine whose calendar jumps ahead by a year at each look, and whose pauses pass at once. */
async function bench(dialect = {}, node: object = {}) {
  const emulator = await startEmulator({ state: { arenas: { edge: { sets: { blocked: {} } } } }, dialect });
  emulator.clock.freeze();
  let [year, now] = [2030, 0];
  const pass = (ms: number) => {
    now += ms;
    emulator.clock.advance(ms);
  };
  const world = { wall: () => Date.UTC(year++, 0), monotonic: () => now, sleep: async (ms: number) => pass(ms) };
  const warnings: string[] = [];
  const runtime = new Runtime({ env: {}, print: (line) => void warnings.push(line), world });
  const { endpoint } = emulator;
  runtime.configure((key: string) => ({ endpoint, node: { deadlineMs: 600, commitCoalesceMs: 0, ...node } })[key]);
  const sent = () => emulator.requests().map(({ cmd }) => cmd);
  return {
    emulator,
    warnings,
    pass,
    sent,
    handler: new PrefixSetHandler(runtime),
    [Symbol.asyncDispose]: () => emulator.close(),
  };
}

it("a list is shared for 30 seconds of the monotonic clock, whatever the calendar does", async () => {
  await using provider = await bench();
  for (const ms of [0, 29_999, 1]) {
    provider.pass(ms);
    await provider.handler.read("prefixset://edge/blocked", { ...SET, entries: {} });
  }
  expect(provider.sent()).toEqual(["list", "list"]);
});

it("a late commit is looked for until the deadline by the monotonic clock, whatever the calendar does", async () => {
  await using provider = await bench({ commitDelay: 3_600_000 });
  const late = provider.handler.create({ ...SET, entries: { "192.0.2.0/24": 1 } });
  await expect(late).rejects.toThrow(/after 350 ms the node's list does not show 1 entry/);
  // After the commit at 0, 50, 150 and 350 ms; the next pause would end past the deadline.
  expect(provider.sent()).toEqual(["list", "insert", "commit", "list", "list", "list", "list"]);
});

it("a commit that the node's own delay explains is waited for, and only then sent again", async () => {
  await using provider = await bench({}, { commitDelayMs: 2_000, deadlineMs: 5_000 });
  provider.emulator.fail({ cmd: "commit", kind: "stuck-commit", times: 1 });
  await provider.handler.create({ ...SET, entries: { "192.0.2.0/24": 1 } });
  // After the commit at 0, 50, 150, 350, 750 and 1 550 ms, and the first one beyond the delay.
  expect(provider.sent().slice(3)).toEqual([...Array(7).fill("list"), "insert", "commit", "list"]);
  expect(provider.warnings).toEqual([expect.stringContaining("1 change did not show after the commit")]);
});

it("a commit that shows within the node's delay is sent once, without a word", async () => {
  await using provider = await bench({ commitDelay: 1_000 }, { commitDelayMs: 2_000 });
  await provider.handler.create({ ...SET, entries: { "192.0.2.0/24": 1 } });
  expect(provider.sent()).toEqual(["list", "insert", "commit", ...Array(6).fill("list")]);
  expect(provider.warnings).toEqual([]);
});
