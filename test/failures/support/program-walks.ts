import fc from "fast-check";
import { expect } from "vitest";
import type { Fault } from "../../../provider/emulator";
import { type Declared, MiniEngine } from "./engine";
import { KINDS } from "./kinds";
import { anyProgram } from "./programs";
import { gaps, heldBy, keptThroughout, wantedBy } from "./truth";
import { settled, stage } from "./walk";

const SEED = 4711;
/** Longer than any node waits with an effect. */
const LAG_MS = 1_000;
const IMPATIENT = { timeoutMs: 40, deadlineMs: 2_000 };

/** Ups until nothing is left to do: one, or two where something was adopted. Nothing is listed in between. */
async function up(engine: MiniEngine, program: readonly Declared[]): Promise<void> {
  const { errors } = await engine.up(program);
  expect(errors).toEqual([]);
  if ((await engine.preview(program)).steps.length > 0) expect((await engine.up(program)).errors).toEqual([]);
  expect((await engine.preview(program, { refresh: true })).steps).toEqual([]);
}

/** Each up leaves what its program says, and no commit in between removes wanted entries. */
export async function upsInTurn(numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyProgram, { minLength: 2, maxLength: 5 }),
      fc.integer({ min: 1, max: 16 }),
      async (programs, parallel) => {
        const { emulator, config } = await stage();
        await using _ = emulator;
        const engine = new MiniEngine(config, parallel);
        for (const program of programs) {
          const kept = keptThroughout(heldBy(emulator), program);
          const start = emulator.journal.length;
          await up(engine, program);
          expect(gaps(emulator, start, kept)).toEqual([]);
          expect(heldBy(emulator)).toEqual(wantedBy(program));
        }
        expect((await engine.destroy()).errors).toEqual([]);
        expect(heldBy(emulator)).toEqual(wantedBy([]));
      },
    ),
    { seed: SEED, numRuns },
  );
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

const kinds = KINDS.flatMap(({ fault, name }) => (fault && !name.includes("before the effect") ? [fault] : []));
const anyFault = fc
  .record({ fault: fc.constantFrom(...kinds), rate: fc.constantFrom(0.1, 0.3, 0.6), seed: fc.nat(1_000) })
  .map(({ fault, ...chance }): Fault => ({ ...fault, ...chance }));

/** After failures while operations run side by side the next up converges, the one after is empty, a destroy leaves nothing. */
export async function upsAfterFailures(numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      anyProgram,
      anyProgram,
      fc.array(anyFault, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 16 }),
      async (first, second, faults, parallel) => {
        const { emulator, config } = await stage();
        await using _ = emulator;
        const engine = new MiniEngine(config, parallel);
        await up(engine, first);
        const kept = keptThroughout(heldBy(emulator), second);
        const start = emulator.journal.length;
        for (const fault of faults) emulator.fail(fault);
        await engine.up(second, { timing: IMPATIENT });
        emulator.clearFaults();
        // Nothing of a fault is under way any more after its delay.
        await settled(emulator, Math.max(...faults.map(({ delay }) => Number(delay ?? 0))));
        expect(gaps(emulator, start, kept)).toEqual([]);
        await up(engine, second);
        expect(heldBy(emulator)).toEqual(wantedBy(second));
        expect((await engine.destroy()).errors).toEqual([]);
        expect(heldBy(emulator)).toEqual(wantedBy([]));
      },
    ),
    { seed: SEED, numRuns },
  );
}
