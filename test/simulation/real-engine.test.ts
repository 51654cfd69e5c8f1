import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RealEngine } from "./real-engine/engine";
import {
  brokenPromises,
  nonconforming,
  nonconformities,
  retold,
  STORIES_FOUND,
  seedsFrom,
  tryEach,
} from "./real-engine/seeds";
import type { Turn } from "./scenario";
import { scenarioOf } from "./story/found";

// Pulumi's own engine in a process, and real plugin processes, at real addresses. What is drawn is the same as in the simulated world.
const BUILDS_MS = 600_000;

let engine: RealEngine;
beforeAll(async () => {
  engine = await RealEngine.start();
}, BUILDS_MS);
afterAll(() => engine[Symbol.asyncDispose]());

test("without Go the engine cannot be built, and the error says so", async () => {
  const { ensureRealEngine } = await import("./real-engine/ensure.mjs");
  const home = mkdtempSync(join(tmpdir(), "packetfilter-no-go-"));
  const built = ensureRealEngine({ env: { PATH: home, PULUMI_HOME: home }, out: { write: () => true } });
  await expect(built).rejects.toThrow(/there is no go on PATH\. Install Go 1\.26 or later/);
  rmSync(home, { recursive: true });
});

test("what a plugin has noted as sent is over with a run that ends in order, though its process ends, too", async () => {
  const entry = {
    type: "PrefixSetEntry",
    name: "entry",
    args: { arena: "edge", set: "blocked", node: "n1", prefix: "192.0.2.0/25" },
  } as const;
  const up = (options: { replace?: string[] }): Turn => ({
    kind: "runs",
    runs: [{ stack: 0, command: "up", program: [entry], options, meanwhile: [] }],
  });
  // The engine compares nothing before it, and the create finds the entry of the first run.
  const replaced = scenarioOf({ turns: [up({}), up({ replace: ["entry"] })] }, "plugin");
  await using brief = await RealEngine.start(1);
  expect(await nonconforming(replaced, brief)).toEqual([]);
});

test("no fault that was found comes back", { timeout: 600_000 }, async () => {
  expect(await tryEach(engine, seedsFrom(1, STORIES_FOUND), retold)).toEqual([]);
});

test("every promise holds in fixed seeds", { timeout: 600_000 }, async () => {
  expect(await tryEach(engine, seedsFrom(1, 50), brokenPromises)).toEqual([]);
});

test("the simulated engine makes the same calls of the provider and leaves the same states", {
  timeout: 600_000,
}, async () => {
  expect(await tryEach(engine, seedsFrom(1, 50), nonconformities)).toEqual([]);
});
