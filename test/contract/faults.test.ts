import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { NodeClient, SignalingClient } from "../../provider/client";
import { type Fault, startEmulator } from "../../provider/emulator";
import { GLOBAL, listed, prefixes, SECRET, STATE } from "./state";

/** Faults that a single repeat gets over. */
const passing: Fault[] = [
  { kind: "error", status: 500 },
  { kind: "error", status: 503, when: "after" },
  { kind: "error", status: 429, retryAfter: 1 },
  { kind: "reset" },
  { kind: "reset", when: "after" },
  { kind: "lost-answer" },
  { kind: "truncated" },
  { kind: "html" },
  { kind: "html", status: 200 },
  { kind: "html", status: 200, when: "after" },
  { kind: "silence" },
  { kind: "silence", when: "before" },
  { kind: "delay", delay: 20 },
  { kind: "refuse", delay: 20 },
  { kind: "restart", staged: "kept", delay: 20 },
  { kind: "clock-skew" },
];

/** Pauses are cut short, but an outage of some milliseconds must have time to end. */
const world = { sleep: (ms: number) => pause(Math.min(ms, 40)) };

describe.each(passing)("one fault %j", (fault) => {
  it.each(["list", "insert", "delete", "commit"] as const)("in %s changes nothing in the end", async (cmd) => {
    await using emulator = await startEmulator({ state: STATE });
    const node = new NodeClient({ endpoint: emulator.endpoint, timeoutMs: 150 }, world);
    emulator.fail({ ...fault, cmd });
    await node.insert(GLOBAL, [["192.0.2.0/24", 2]]);
    await node.delete(GLOBAL, ["203.0.113.0/24"]);
    await node.commit(GLOBAL);
    expect(listed(await node.listPrefixSet(GLOBAL))).toEqual({ "192.0.2.0/24": 2 });
    expect(emulator.prefixSet("prefixset://edge/blocked").applied).toEqual({ "192.0.2.0/24": 2 });
    await node.close();
  });

  it.each(["status", "start"] as const)("in %s leaves each prefix started once", async (op) => {
    await using emulator = await startEmulator({ state: STATE });
    const credentials = { url: emulator.signalingUrl, clientId: "c1", secretKey: SECRET };
    const signaling = new SignalingClient({ ...credentials, timeoutMs: 150 }, world);
    const wanted = prefixes("198.51.100.7", "198.51.100.9");
    emulator.fail({ ...fault, op });
    const { unseen, ...done } = await signaling.ensureActive(wanted);
    expect(done).toEqual({ started: wanted, already: [] });
    // A first status that fails keeps nothing from being started, and is told.
    if (unseen !== undefined)
      expect([op, unseen.message]).toEqual(["status", expect.stringContaining("Signaling status")]);
    expect(emulator.signalings.c1?.toSorted()).toEqual(wanted.map(String));
    await signaling.close();
  });
});

it("answers of an unknown shape are told and not repeated", async () => {
  await using emulator = await startEmulator({ state: STATE });
  const node = new NodeClient({ endpoint: emulator.endpoint }, world);
  emulator.fail({ kind: "unknown-shape", cmd: "list" });
  await expect(node.listPrefixSet(GLOBAL)).rejects.toMatchObject({ code: "unexpected-response", tries: 1 });
  expect(emulator.journal).toHaveLength(1);
  await node.close();
});

it("a full table is a refusal, once", async () => {
  await using emulator = await startEmulator({ state: STATE });
  const node = new NodeClient({ endpoint: emulator.endpoint }, world);
  emulator.fail({ kind: "full-table", cmd: "insert" });
  await expect(node.insert(GLOBAL, [["192.0.2.0/24", 1]])).rejects.toMatchObject({ outcome: "refused", status: 507 });
  expect(emulator.journal).toHaveLength(1);
  await node.close();
});
