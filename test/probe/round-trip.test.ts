import { expect, test } from "vitest";
import {
  type Dialect,
  type DialectSettings,
  deviations,
  dialect as parsed,
  singleSwitchDialects,
} from "../../provider/emulator";
import { SWITCHES } from "../../provider/emulator/behaviour/dialect";
import { POINTS } from "../../provider/probe/points";
import { UNKNOWABLE } from "../../provider/probe/unknowable";
import { answersOf } from "./script";
import { probed, STATE, startNode, WITHOUT_SET } from "./support";
import { visible } from "./visible";

/** The dialect that a probe of an emulator gives back, all that it did not find out at its default. */
async function found(settings: DialectSettings | `seed:${number}`): Promise<{ truth: Dialect; result: Dialect }> {
  const truth = parsed(settings);
  await using emulator = await startNode(settings, { state: truth.unknownSet === "made" ? WITHOUT_SET : STATE });
  const { findings, dialect, stopped, left } = await probed(emulator);
  const failed = findings.filter((finding) => finding.found === "error").map(({ point, node }) => `${point}: ${node}`);
  const about = `with ${JSON.stringify(deviations(truth))}`;
  expect({ failed, stopped, left }, about).toEqual({ failed: [], stopped: undefined, left: [] });
  // Where lists show what waits, the last commit may still be on its way.
  emulator.clock.advance(1_000);
  const { applied, staged } = emulator.prefixSet("prefixset://edge/probe");
  expect({ applied, staged, active: emulator.signalings.c1 ?? [] }, about).toEqual({
    applied: {},
    staged: {},
    active: [],
  });
  // Where lists of all tables count together, the first one that is turned away says so.
  const tooSoon = emulator.requests().filter((entry) => entry.tooSoon);
  expect(
    tooSoon.map(({ status }) => status),
    about,
  ).toEqual(truth.markPace === "node" ? [429] : []);
  const result = parsed(dialect);
  expect(visible(result), about).toEqual(visible(truth));
  return { truth, result };
}

/** Two emulators that answer sixty requests in the same way, status and body. */
async function expectSameAnswers(truth: Dialect, result: Dialect): Promise<void> {
  const answers = [];
  for (const settings of [truth, result]) {
    await using emulator = await startNode(settings, { state: truth.unknownSet === "made" ? WITHOUT_SET : STATE });
    emulator.clock.freeze("2026-12-01T00:00:00Z");
    answers.push(await answersOf(emulator));
  }
  expect(answers[0]?.length).toBeGreaterThanOrEqual(60);
  expect(answers[1], `with ${JSON.stringify(deviations(truth))}`).toEqual(answers[0]);
}

test.each(Array.from({ length: 30 }, (_, seed) => seed))(
  "a node that answers as seed:%i is recognised, and an emulator from the result matches",
  async (seed) => {
    const { truth, result } = await found(`seed:${seed}`);
    await expectSameAnswers(truth, result);
  },
);

/**
 * Dialects that differ from the default in every switch at once, and in which each alternative of each switch comes up.
 * So a form of refusal is always one that shows, since there is something to refuse.
 */
function covering(): DialectSettings[] {
  const byName = new Map<string, (string | number)[]>();
  for (const { name, setting, refused } of singleSwitchDialects()) {
    if (!refused) byName.set(name, [...(byName.get(name) ?? []), setting]);
  }
  const most = Math.max(...[...byName.values()].map((settings) => settings.length));
  return Array.from({ length: most }, (_, at) =>
    Object.fromEntries([...byName].map(([name, settings]) => [name, settings[at % settings.length]])),
  );
}

/** Each alternative of each switch alone; a part of them, if not all are asked for. */
const ALONE = process.env.PACKETFILTER_WALK === "all" ? singleSwitchDialects().filter(({ refused }) => !refused) : [];

test.each(covering())("alternatives of all switches together are found out: %o", async (settings) => {
  const { truth, result } = await found(settings);
  await expectSameAnswers(truth, result);
});

test.each(ALONE)("$name = $setting alone is found out", async ({ name, setting }) => {
  const { truth, result } = await found({ [name]: setting });
  await expectSameAnswers(truth, result);
});

test.each<DialectSettings>([
  { redirect: "301" },
  { redirect: "302" },
  { ipv6: "error" },
  { maxValue: 255 },
  { maxValue: 100_000 },
  { nested: "merged" },
  { deleteSpelling: "listed" },
  { deleteSpelling: "listed", singleAddress: "bare", insertExisting: "error", refusedEntry: "rest" },
  { missingTable: "error" },
  { statusWrongSecret: "empty" },
  { signalingPrefixes: "registered" },
  { profilesEnvelope: "payload", rulesEnvelope: "array", nameKey: "title", idKey: "number" },
  { listEnvelope: "payload.rows2", prefixKey: "subnet", lengthKey: "size", valueKey: "weight" },
  { markKeys: "address=who,value=hits", marksEnvelope: "table" },
  { listFormat: "ndjson" },
  { listFormat: "lines" },
  { listFormat: "lines", entryForm: "string", singleAddress: "bare" },
  { listFormat: "ok-lines", lengthKey: "len" },
  { listFormat: "csv" },
  { listFormat: "csv-head", prefixKey: "subnet", valueKey: "weight", addressForm: "hex" },
  { listFormat: "csv-head", addressForm: "range", rangeStartKey: "low", rangeEndKey: "high" },
  { profilesFormat: "lines", rulesFormat: "csv", marksFormat: "ok-lines" },
  { profilesFormat: "csv-head", rulesFormat: "csv-head", marksFormat: "csv-head" },
  { listEnvelope: "0.data" },
  { listEnvelope: "{arena}.{set}", listVerdict: "count" },
  { success: "code-1000", listVerdict: "code-1000" },
  { success: "code-1", errorForm: "code-in-body" },
  { errorForm: "code-in-body", unknownSet: "made" },
  { addressForm: "octets", prefixKey: "bytes", lengthKey: "size", valueForm: "hex" },
  { addressForm: "range", rangeStartKey: "low", rangeEndKey: "high", valueKey: "weight" },
  { statusFormat: "lines", statusEmpty: "empty" },
  { statusEnvelope: "state.now", statusName: "active", statusEmpty: "object", signalingSuccess: "code-1" },
  { statusName: "none", statusEmpty: "object" },
  { statusName: "none", statusEnvelope: "result", statusSingle: "text", statusEmpty: "not-found" },
])("what a client cannot work with, or only by settings, is found out, too: %o", async (settings) => {
  const { truth, result } = await found(settings);
  await expectSameAnswers(truth, result);
});

test("every switch is found out by a point, or it is said why no client can", () => {
  const findable = POINTS.flatMap(({ finds }) => finds);
  expect([...new Set([...findable, ...Object.keys(UNKNOWABLE)])].sort()).toEqual(Object.keys(SWITCHES).sort());
  expect(Object.values(UNKNOWABLE).filter((why) => why.length < 40)).toEqual([]);
});
