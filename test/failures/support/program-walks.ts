import fc from "fast-check";
import { expect } from "vitest";
import { type Declared, MiniEngine } from "./engine";
import { anyProgram } from "./programs";
import { gaps, heldBy, keptThroughout, wantedBy } from "./truth";
import { stage } from "./walk";

const SEED = 4711;
/** Longer than any node waits with an effect. */
const LAG_MS = 1_000;

/** Ups until nothing is left to do: one, or two where something was adopted. Nothing is listed in between. */
async function up(engine: MiniEngine, program: readonly Declared[]): Promise<void> {
  const { errors } = await engine.up(program);
  expect(errors).toEqual([]);
  if ((await engine.preview(program)).steps.length > 0) expect((await engine.up(program)).errors).toEqual([]);
  expect((await engine.preview(program, { refresh: true })).steps).toEqual([]);
}

/** Any dialect converges, sees drift and repairs it. */
export async function upsInAnyDialect(numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 100_000 }), anyProgram, anyProgram, async (seed, first, second) => {
      const { emulator, config } = await stage({ name: `seed:${seed}`, settings: `seed:${seed}` });
      await using _ = emulator;
      const engine = new MiniEngine(config);
      await up(engine, first);
      emulator.clock.advance(LAG_MS);
      const kept = keptThroughout(heldBy(emulator), second);
      const start = emulator.journal.length;
      await up(engine, second);
      // Where lists show what is staged, no list tells that a commit comes late.
      emulator.clock.advance(LAG_MS);
      expect(gaps(emulator, start, kept)).toEqual([]);
      expect(heldBy(emulator)).toEqual(wantedBy(second));
      const [single] = second.filter(({ type }) => type === "PrefixSetEntry");
      if (!single) return;
      emulator.change("prefixset://edge/partners", { delete: [String(single.args.prefix)] });
      expect((await engine.preview(second, { refresh: true })).steps).toEqual([`create ${single.name}`]);
      expect((await engine.up(second, { refresh: true })).errors).toEqual([]);
      emulator.clock.advance(LAG_MS);
      expect(heldBy(emulator)).toEqual(wantedBy(second));
    }),
    { seed: SEED, numRuns },
  );
}
