import { expect } from "vitest";
import type { NodeOptions } from "../../provider/client";
import {
  type Dialect,
  type DialectSettings,
  deviations,
  dialect as parsed,
  type SwitchName,
} from "../../provider/emulator";
import type { ProbeResult } from "../../provider/probe/finding";
import { answersOf } from "./script";
import { expectExpressed } from "./strange";
import { probed, STATE, startNode, TOKEN, WITHOUT_SET } from "./support";

/** As many of the seeds are tried in `npm test`; the others, up to {@link ALL}, run with `npm run test:long`. */
export const SHORT = 6;
export const ALL = 30;

/** A probe recognises an emulator that answers so, and an emulator with the dialect that it found answers as that one. */
export async function expectRecognised(
  settings: DialectSettings | `seed:${number}`,
  given: Partial<NodeOptions> = {},
): Promise<Pick<ProbeResult, "node" | "dialect">> {
  const { truth, result, ...written } = await found(settings, given);
  await expectSameAnswers(truth, result);
  return written;
}

/** Switches that a probe always finds out, and that the answers to the requests below need not show. */
const UNSHOWN = ["markExpired", "maxEntriesPerRequest", "maxValue", "deleteCovers", "deleteSpelling"] as const;

/** The dialect that a probe of an emulator gives back, all that it did not find out at its default. */
async function found(settings: DialectSettings | `seed:${number}`, given: Partial<NodeOptions>) {
  const truth = parsed(settings);
  await using emulator = await startNode(settings, { state: truth.unknownSet === "made" ? WITHOUT_SET : STATE });
  const node = { endpoint: emulator.endpoint, headers: { authorization: `Bearer ${TOKEN}` }, ...given };
  const probe = await probed(emulator, { node });
  const { findings, dialect, node: written, stopped, left } = probe;
  const failed = findings.filter((finding) => finding.found === "error").map(({ point, node }) => `${point}: ${node}`);
  const about = `with ${JSON.stringify(deviations(truth))}`;
  expect({ failed, stopped, left }, about).toEqual({ failed: [], stopped: undefined, left: [] });
  expectExpressed(probe, given, about);
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
  // A status is asked for in the pace of the client, so a delay is measured as twice as long at most.
  expect(result.statusDelay, about).toBeGreaterThanOrEqual(truth.statusDelay);
  expect(result.statusDelay, about).toBeLessThanOrEqual(2 * truth.statusDelay + 100);
  const names: SwitchName[] = [
    ...UNSHOWN,
    ...(truth.listShows === "applied" ? (["commitDelay"] as const) : []),
    ...(truth.markPace === "node" ? (["markPace"] as const) : []),
  ];
  const shown = Object.fromEntries(names.map((name) => [name, truth[name]]));
  expect(result, about).toMatchObject(shown);
  return { truth, result, dialect, node: written };
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
