import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LiveConfig } from "../../provider/forwarder/config/config";
import { passUntil } from "./support/clock";
import { profilesOf, recordsIn, scene } from "./support/forward";
import { httpSink } from "./support/http-sink";

const LARGE = "9007199254740993";
const stateOf = (marks: readonly (readonly [last: number, id: number, value: number, lifetime: number])[]) =>
  profilesOf({
    web: marks.map(([last, id, value, lifetime]) => ({ address: `203.0.113.${last}`, id, value, lifetime })),
  });

test("a sink takes the records of some ids, values and lifetimes, and all that says that marks are gone", async () => {
  const file = (name: string, only: object) => ({ name, type: "file" as const, path: name, only });
  const sinks = [
    file("all", { arenas: ["edge"] }),
    file("ids", { ids: [7, LARGE] }),
    file("values", { values: ["2"] }),
    file("long", { minLifetime: 2_000 }),
    file("none", { ids: [1] }),
  ];
  const state = stateOf([
    [1, 7, 1, 600],
    [2, 8, 2, 600],
    [3, 8, 1, 3_000],
  ]);
  const { forwarder, clock, emulator, config, folder } = await scene(state, { sinks });
  const told = (name: string) =>
    recordsIn(readFileSync(join(folder, name), "utf8")).map(
      ({ event, address }) => `${event} ${address?.split(".").at(-1)}`,
    );
  const sent = (sink: string) => forwarder.metrics.get("sent_records_total", { sink });
  const delivered = (counts: Record<string, number>) =>
    passUntil(() => Object.entries(counts).every(([sink, count]) => sent(sink) === count), clock);
  await delivered({ all: 3, ids: 1, values: 1, long: 1 });
  expect(["all", "ids", "values", "long"].map(told)).toEqual([
    ["added 1", "added 2", "added 3"],
    ["added 1"],
    ["added 2"],
    ["added 3"],
  ]);

  // A reload may ask for others; what is gone is told to each sink that may know of it.
  const next = { ...config, sinks: [...sinks.slice(0, 1), file("ids", { ids: [8] }), ...sinks.slice(2)] };
  expect(await forwarder.reload(await LiveConfig.ofObject(next, {}, folder))).toBe(true);
  emulator.seed(stateOf([[2, 8, 3, 600]]));
  await delivered({ all: 6, ids: 4, values: 3, long: 3, none: 2 });
  expect(told("all").slice(3).sort()).toEqual(["changed 2", "gone 1", "gone 3"]);
  expect(
    ["ids", "values", "long", "none"].map((name) =>
      told(name)
        .filter((line) => !line.startsWith("added"))
        .sort(),
    ),
  ).toEqual([
    ["changed 2", "gone 1", "gone 3"],
    ["gone 1", "gone 3"],
    ["gone 1", "gone 3"],
    ["gone 1", "gone 3"],
  ]);
});

test("what a reload leaves out is not delivered any more, also where it was read from the spool before", async () => {
  let release = (): void => {};
  const first = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { url, bodies } = await httpSink(async () => {
    await first;
    return [204];
  });
  const sinkOf = (profile: string) => ({ name: "web", type: "http" as const, url, only: { profiles: [profile] } });
  const { forwarder, clock, emulator, config, folder } = await scene(stateOf([[1, 7, 1, 600]]), {
    sinks: [sinkOf("web")],
  });
  await passUntil(() => bodies.length === 1, clock);
  emulator.seed(stateOf([[1, 7, 2, 600]]));
  await passUntil(() => forwarder.status.sinks[0]?.records === 2, clock);
  const narrowed = await LiveConfig.ofObject({ ...config, sinks: [sinkOf("other")] }, {}, folder);
  expect(await forwarder.reload(narrowed)).toBe(true);
  release();
  const later = clock.monotonic() + 10_000;
  await passUntil(() => clock.monotonic() > later, clock);
  expect(bodies).toHaveLength(1);
});
