import { expect } from "vitest";
import { NodeClient } from "../../provider/client";
import { Runtime } from "../../provider/deployment/runtime";
import { Prefix } from "../../provider/model/prefix";
import { type PrefixSetUrl, parseUrl } from "../../provider/model/resource-url";
import { noteLine, readUndo } from "../../provider/probe/asking/undo";
import type { ProbeResult } from "../../provider/probe/finding";
import { type Drawn, drawn } from "./appliances/drawn";
import { probed, startDrawn } from "./appliances/probing";

const SET = "prefixset://edge/probe";

type Truth = Drawn["says"];

/** Observations that the generator's truth contradicts. */
const CONTRADICTIONS: Readonly<Record<string, (dialect: ProbeResult["dialect"], says: Truth) => boolean>> = {
  "insert-existing": ({ insertExisting }, { existing }) => insertExisting !== undefined && insertExisting !== existing,
  "delete-absent": ({ deleteAbsent }, { absent }) => deleteAbsent !== undefined && deleteAbsent !== absent,
  "empty-commit": ({ emptyCommit: found }, { emptyCommit }) => found !== undefined && found !== emptyCommit,
  "list-shows": ({ listShows }) => listShows === "staged",
  "commit-delay": ({ commitDelay = 0 }, { commitDelayMs }) =>
    Number(commitDelay) < Number(commitDelayMs) || Number(commitDelay) > 1.5 * Number(commitDelayMs) + 600,
  "most-entries": ({ maxEntriesPerRequest: most }, { maxEntries }) =>
    Number(most ?? 0) !== 0 && Number(most) !== maxEntries,
  "largest-value": ({ maxValue: found }, { maxValue }) => found !== undefined && found !== maxValue,
  "signaling-partial": ({ signalingPartial: found }, { partial }) =>
    found !== undefined &&
    found !== { none: "all-or-nothing", others: "valid-ones", before: "before" }[String(partial)],
};

/** Points of which the answer alone shows something: without an effect, a silent refusal is the answer of a success. */
const BY_ANSWER: ReadonlySet<string> = new Set(["delete-absent", "empty-commit", "insert-existing"]);

/** Refusals that no answer distinguishes from a success. */
const isSilent = ({ success, refusal }: Truth) => success === refusal;

/** The exit code of a probe with this result. */
function codeOf({ findings, left, stopped }: ProbeResult): number {
  if (left.length > 0) return 5;
  if (findings.some(({ beyond }) => beyond)) return 4;
  return stopped !== undefined || findings.some(({ found }) => found === "error") ? 1 : 0;
}

/** Probes the appliance of a seed, and judges what the probe left, said and wrote. */
export async function expectJudged(seed: number): Promise<void> {
  const strange = drawn(seed);
  const about = `seed ${seed}: ${JSON.stringify(strange.says)}`;
  await using appliance = await startDrawn(strange);
  let notes = "";
  const note = (one: Parameters<typeof noteLine>[0]) => {
    notes += noteLine(one);
  };
  const result = await probed(appliance, { note, limits: { entries: 100, bytes: 8_192, wholeMs: 900_000 } });
  const named = new Set(result.left.length > 0 ? [...readUndo(notes).inserted, ...readUndo(notes).started] : []);
  const kept = [...Object.keys(appliance.held("edge/probe")), ...appliance.signaled()];
  expect(
    kept.filter((prefix) => !named.has(prefix)),
    `${about} keeps what no note names`,
  ).toEqual([]);
  const isJudged = (point: string) => !(isSilent(strange.says) && BY_ANSWER.has(point));
  const observed = result.findings.filter(({ found, point }) => found === "observed" && isJudged(point));
  const wrong = observed.filter(({ point, dialect }) => CONTRADICTIONS[point]?.(dialect, strange.says));
  expect(wrong, about).toEqual([]);
  const code = codeOf(result);
  if (isSilent(strange.says) || code !== 0) return;
  await expectUsable({ endpoint: appliance.url, ...result.node }, appliance, about);
}

/** The written settings make a list, an insert, a change of a value and a delete exact. */
async function expectUsable(
  node: { endpoint: string },
  appliance: Awaited<ReturnType<typeof startDrawn>>,
  about: string,
): Promise<void> {
  const world = appliance.world();
  const runtime = new Runtime({ env: {}, print: () => {}, world });
  const { writer } = runtime.node({ ...node, commitCoalesceMs: 0 }).set(parseUrl(SET) as PrefixSetUrl);
  const key = (text: string) => Prefix.parse(text).toString();
  const write = (put: Record<string, number>, remove: readonly string[] = []) =>
    writer.submit({
      plan: () => ({
        put: new Map(Object.entries(put).map(([prefix, value]) => [key(prefix), value])),
        remove: new Set(remove.map(key)),
      }),
    });
  const client = new NodeClient(node, world);
  const listed = async () =>
    Object.fromEntries(
      (await client.listPrefixSet(parseUrl(SET) as PrefixSetUrl)).map((one) => [one.prefix.toString(), one.value]),
    );
  const steps: [Record<string, number>, readonly string[], Record<string, number>][] = [
    [{ "10.1.0.0/16": 5, "10.2.0.9/32": 1 }, [], { "10.1.0.0/16": 5, "10.2.0.9/32": 1 }],
    [{ "10.1.0.0/16": 6 }, [], { "10.1.0.0/16": 6, "10.2.0.9/32": 1 }],
    [{}, ["10.1.0.0/16", "10.2.0.9/32"], {}],
  ];
  for (const [put, remove, expected] of steps) {
    await write(put, remove);
    expect(await listed(), about).toEqual(expected);
    expect(appliance.held("edge/probe"), about).toEqual(expected);
  }
  await client.close();
}
