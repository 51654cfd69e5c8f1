import { randomInt } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RealEngine } from "./real-engine/engine";
import { brokenPromises, nonconformities, seedsFrom, type Trial, tryEach } from "./real-engine/seeds";

const [FIXED, FRESH] = [150, 50];

let engine: RealEngine;
beforeAll(async () => {
  engine = await RealEngine.start();
}, 600_000);
afterAll(() => engine[Symbol.asyncDispose]());

/** Seeds that no shorter test has, and new ones, which are printed: what they find can be repeated. */
async function tryMany(trial: Trial): Promise<string[]> {
  const fresh = randomInt(1_000, 2 ** 31 - FRESH);
  const seeds = [...seedsFrom(51, FIXED), ...seedsFrom(fresh, FRESH)];
  const began = performance.now();
  const wrong = await tryEach(engine, seeds, trial);
  const minutes = (performance.now() - began) / 60_000;
  console.log(`new seeds ${fresh} to ${fresh + FRESH - 1}; ${Math.round(seeds.length / minutes)} seeds a minute`);
  return wrong;
}

test("every promise holds in many seeds", { timeout: 1_200_000 }, async () => {
  expect(await tryMany(brokenPromises)).toEqual([]);
});

test("the simulated engine makes the same calls and leaves the same states in many seeds", {
  timeout: 1_200_000,
}, async () => {
  expect(await tryMany(nonconformities)).toEqual([]);
});
