import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Runtime } from "../../provider/deployment/runtime";
import { readPrefixFile } from "../../provider/prefixes";
import { PrefixSetHandler } from "../../provider/resources/prefix-set/handler";
import { run } from "./support";

const START = Date.parse("2030-01-01T00:00:00Z");
const HOUR = 3_600_000;

/** A block or an unblock of some of 256 addresses, so many hours after the one before. */
const step = fc
  .record({
    after: fc.integer({ min: 0, max: 3 }),
    host: fc.constantFrom(0, 32, 64, 128, 192),
    free: fc.integer({ min: 4, max: 7 }),
    // 0: for ever.
    hours: fc.nat(6),
    act: fc.constantFrom("block", "block", "block", "force", "unblock"),
  })
  .map((one) => ({ ...one, first: one.host - (one.host % 2 ** one.free) }));

/** The addresses that a set has of a file at a time, which `check` decides as each `up` does. */
async function held(file: string, now: number): Promise<boolean[]> {
  const runtime = new Runtime({ env: {}, print: () => undefined, world: { wall: () => now } });
  const config: Record<string, unknown> = { endpoint: "http://192.0.2.10", detectDrift: "off" };
  runtime.configure((key) => config[key]);
  const entries = readPrefixFile(file, { allowEmpty: true });
  const allowEmpty = Object.keys(entries).length === 0 && { allowEmpty: true };
  const args = { arena: "edge", set: "blocked", entries, ...allowEmpty };
  const { inputs, problems } = new PrefixSetHandler(runtime).check({}, args);
  expect(problems).toEqual([]);
  const blocks = Object.keys(Object(inputs.entries)).map((prefix) =>
    /\.(\d+)\/(\d+)$/.exec(prefix)?.slice(1).map(Number),
  );
  return Array.from({ length: 256 }, (_, host) =>
    blocks.some(([first = 0, length = 32] = []) => host >= first && host < first + 2 ** (32 - length)),
  );
}

test("what block and unblock leave in a file is in the set, now and after each expiry, as long as the longest of them", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      const folder = await mkdtemp(join(tmpdir(), "packetfilter-expiry-"));
      try {
        let now = START;
        const model = new Map<string, { first: number; free: number; end: number }>();
        for (const { after, first, free, hours, act } of steps) {
          now += after * HOUR;
          const prefix = `192.0.2.${first}/${32 - free}`;
          const rest = ["--file", "blocks.yaml"];
          if (act === "unblock") {
            // Its exit code is 1 where a wider entry goes on to hold its addresses.
            await run(["unblock", prefix, ...rest], { folder, now: () => now });
            model.delete(prefix);
            continue;
          }
          const [end, earlier] = [hours === 0 ? Number.POSITIVE_INFINITY : now + hours * HOUR, model.get(prefix)];
          const time = hours === 0 ? ["--permanent"] : ["--for", `${hours}h`];
          const force = act === "force" ? ["--force"] : [];
          const args = ["block", prefix, "--create", "--reason", "flood", ...time, ...force, ...rest];
          expect(await run(args, { folder, now: () => now })).toMatchObject({ code: 0 });
          model.set(prefix, { first, free, end: act === "force" ? end : Math.max(end, earlier?.end ?? end) });
        }
        const ends = [...model.values()].map(({ end }) => end).filter((end) => end > now && end < Infinity);
        if (model.size === 0) return;
        for (const time of [now, ...ends, ...ends.map((end) => end - 1)]) {
          const expected = Array.from({ length: 256 }, (_, host) =>
            [...model.values()].some(({ first, free, end }) => end > time && host >= first && host < first + 2 ** free),
          );
          expect({ time, held: await held(join(folder, "blocks.yaml"), time) }).toEqual({ time, held: expected });
        }
      } finally {
        await rm(folder, { recursive: true });
      }
    }),
    { numRuns: 25 },
  );
});
