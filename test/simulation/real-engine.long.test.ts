import { randomInt } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RealEngine } from "./real-engine/engine";
import { brokenPromises, nonconformities, seedsFrom, type Trial, tryEach } from "./real-engine/seeds";

const FIXED = 150;
/** New seeds: none by default, so that a run is red for a change and never by chance. */
const FRESH = Number(process.env.SIMULATION_FRESH ?? 0);

let engine: RealEngine;
beforeAll(async () => {
  engine = await RealEngine.start();
}, 600_000);
afterAll(() => engine[Symbol.asyncDispose]());

/** Seeds that no shorter test has, and new ones, which are printed: their findings can be repeated. */
async function tryMany(trial: Trial): Promise<string[]> {
  const fresh = randomInt(1_000, 2 ** 30);
  const seeds = [...seedsFrom(51, FIXED), ...seedsFrom(fresh, FRESH)];
  const began = performance.now();
  const wrong = await tryEach(engine, seeds, trial);
  const minutes = (performance.now() - began) / 60_000;
  console.log(`${FRESH} new seeds from ${fresh}; ${Math.round(seeds.length / minutes)} seeds a minute`);
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
