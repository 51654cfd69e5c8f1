import { expect, it } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { PrefixSetHandler } from "../../provider/resources/prefix-set/handler";
import { Runtime } from "../../provider/resources/runtime";

const SET = { arena: "edge", set: "blocked" };

/** A deployment on a machine whose calendar jumps ahead by a year at each look, and whose pauses pass at once. */
async function bench(dialect = {}) {
  const emulator = await startEmulator({ state: { arenas: { edge: { sets: { blocked: {} } } } }, dialect });
  let [year, now] = [2030, 0];
  const pass = (ms: number) => {
    now += ms;
  };
  const world = { wall: () => Date.UTC(year++, 0), monotonic: () => now, sleep: async (ms: number) => pass(ms) };
  const runtime = new Runtime({ env: {}, print: () => {}, world });
  runtime.configure((key: string) => ({ endpoint: emulator.endpoint, deadlineMs: 600, commitCoalesceMs: 0 })[key]);
  const sent = () => emulator.requests().map(({ cmd }) => cmd);
  return { pass, sent, handler: new PrefixSetHandler(runtime), [Symbol.asyncDispose]: () => emulator.close() };
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
  await expect(late).rejects.toThrow(/after 600 ms the node's list does not show 1 entry/);
  // After the commit at 0, 50, 150 and 350 ms; the next pause would end past the deadline.
  expect(provider.sent()).toEqual(["list", "insert", "commit", "list", "list", "list", "list"]);
});
