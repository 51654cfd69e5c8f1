import { expect, test } from "vitest";
import { NodeClient } from "../../provider/client";
import { type DialectSettings, singleSwitchDialects, startEmulator } from "../../provider/emulator";
import { SWITCHES } from "../../provider/emulator/behaviour/dialect";
import { parseUrl } from "../../provider/model/resource-url";
import { AUTHORIZATION, drawn } from "./appliances/drawn";
import { probed, startDrawn } from "./appliances/probing";
import { expectRecognised, SHORT } from "./recognised";
import { expectRehearsed } from "./strange";
import { SET, STATE } from "./support";
import { UNKNOWABLE } from "./unknowable";

/** Switches that were found out. */
const known = new Set<string>();

async function recognise(...given: Parameters<typeof expectRecognised>) {
  const result = await expectRecognised(...given);
  for (const name of Object.keys(result.dialect)) known.add(name);
  return result;
}

/** Further ones run with `npm run test:long`. */
test.each(Array.from({ length: SHORT }, (_, seed) => seed))(
  "a node that answers as seed:%i is recognised, and an emulator from the result matches",
  async (seed) => void (await recognise(`seed:${seed}`)),
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
  await recognise(settings);
});

test.each(ALONE)("$name = $setting alone is found out", async ({ name, setting }) => {
  await recognise({ [name]: setting });
});

test.each<DialectSettings>([
  { ipv6: "error" },
  { maxValue: 100_000 },
  { nested: "merged" },
  { deleteSpelling: "listed", singleAddress: "bare", insertExisting: "error", refusedEntry: "rest" },
  { missingTable: "error" },
  { profilesEnvelope: "payload", rulesEnvelope: "array", nameKey: "title" },
  { listEnvelope: "payload.rows2", prefixKey: "subnet", lengthKey: "size", valueKey: "weight" },
  { markKeys: "address=who", marksEnvelope: "table" },
  { listFormat: "lines", entryForm: "string", singleAddress: "bare" },
  { listFormat: "ok-lines", lengthKey: "len" },
  { listFormat: "csv-head", prefixKey: "subnet", valueKey: "weight", addressForm: "hex" },
  { listFormat: "csv-head", addressForm: "range", rangeStartKey: "low", rangeEndKey: "high" },
  { profilesFormat: "lines", rulesFormat: "csv", marksFormat: "ok-lines" },
  { profilesFormat: "csv-head", rulesFormat: "csv-head", marksFormat: "csv-head" },
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
  await recognise(settings);
});

test.each(["prefixset://{arena}", "arena://{arena}"])(
  "settings that only the user knows, such as the commitUrl %s, are switches of the dialect, and its rehearsal is green",
  async (commitUrl) => {
    const { node, dialect } = await recognise(
      {
        ...{ commitUrl, markTypes: "shost=src-host,conn=flow" },
        ...{ markAge: "shown", markAgeUnit: "ms", markLifetimeUnit: "ms", idKey: "num", markKeys: "id=markid" },
      },
      {
        commitUrl,
        answers: {
          names: { id: { rules: "num", marks: "markid" } },
          markTypes: { shost: "src-host", conn: "flow" },
          units: { lifetime: "ms", age: "ms" },
        },
      },
    );
    await expectRehearsed({ dialect }, node, JSON.stringify({ node, dialect }));
    // Time stands still: a mark has its whole lifetime when it is listed.
    const wall = { now: () => 0, timer: () => () => {} };
    await using emulator = await startEmulator({ state: STATE, dialect: dialect as DialectSettings, wall });
    const client = new NodeClient({ ...node, endpoint: emulator.endpoint, markPace: "off" });
    const [mark] = await client.listMarks("edge", "web", "shost");
    expect(mark).toMatchObject({ address: "203.0.113.9", id: 30, value: 1234, lifetime: 3600, age: 0 });
    await client.close();
  },
);

/** Found where a module of the user's own reads lists, as in `templates.test.ts`, and where a refusal with status 200 asks for credentials. */
const ELSEWHERE = ["profilesTemplate", "rulesTemplate", "marksTemplate", "credentialsText"];

/** Appliances whose answers are texts that no form of the emulator has. */
test.each([14, 31, 44])("the texts of the strange appliance of seed %i are recorded", async (seed) => {
  await using appliance = await startDrawn(drawn(seed));
  const node = { endpoint: appliance.url, headers: { authorization: AUTHORIZATION } };
  const { dialect } = await probed(appliance, { node, urls: [SET, "profile://edge/web"].map(parseUrl) });
  expect(Object.keys(dialect).some((name) => /Text$|Template$/.test(name))).toBe(true);
  for (const name of Object.keys(dialect)) known.add(name);
});

test("every switch is found out by a probe above, or it is said why no client can", () => {
  const found = new Set([...known, ...ELSEWHERE, ...Object.keys(UNKNOWABLE)]);
  expect([...found].sort()).toEqual(Object.keys(SWITCHES).sort());
  expect(Object.values(UNKNOWABLE).filter((why) => why.length < 40)).toEqual([]);
});
