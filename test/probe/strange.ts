import { expect } from "vitest";
import { NodeClient, SignalingClient } from "../../provider/client";
import { nodeSchema, parseOptions } from "../../provider/client/options";
import type { World } from "../../provider/client/world";
import { Runtime } from "../../provider/deployment/runtime";
import { type DialectSettings, dialect as parsed, startEmulator } from "../../provider/emulator";
import { seededRandom } from "../../provider/emulator/time/random";
import { heldSet } from "../../provider/import/source";
import { type PrefixSetUrl, parseUrl } from "../../provider/model/resource-url";
import { noteLine, readUndo } from "../../provider/probe/asking/undo";
import { exitCode, type ProbeResult } from "../../provider/probe/finding";
import { POINTS } from "../../provider/probe/points";
import { PrefixSetHandler } from "../../provider/resources/prefix-set/handler";
import { CLIENT } from "./appliances/appliance";
import { AUTHORIZATION, type Drawn, drawn } from "./appliances/drawn";
import { cleaned, killedAt, probed, startDrawn } from "./appliances/probing";
import { span, spelt } from "./appliances/spans";
import { STATE, worldOf } from "./support";

const SET = "prefixset://edge/probe";
const HEADERS = { authorization: AUTHORIZATION };

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
  "trailing-slash": ({ trailingSlash: found }, { slash }) =>
    found !== { taken: "any", refused: "strict" }[String(slash)],
  "duplicate-members": ({ duplicateMembers: found }, { twice }) =>
    found !== { taken: "last", refused: "error" }[String(twice)],
  "content-encoding": ({ contentEncoding: found }, { encoding }) =>
    found !== { taken: "ignored", refused: "refused" }[String(encoding)],
  "user-arena": ({ userArena: found }, { userArena }) => found !== userArena,
  "refused-entry": ({ refusedEntry: found }) => found !== undefined && found !== "nothing",
  nested: ({ nested: found }, { nested }) => found !== (nested === "apart" ? "apart" : undefined),
  "delete-covers": ({ deleteCovers: found }) => found !== "exact",
  "delete-spelling": ({ deleteSpelling: found }) => found !== "any",
  "host-bits": ({ hostBits: found }) => found !== "mask",
  ipv6: ({ ipv6: found }) => found !== "error",
  "repeated-entry": ({ repeatedEntry: found }, { existing }) =>
    found !== undefined && found !== { overwrite: "last", error: "error", ignored: "first" }[String(existing)],
  "signaling-within": ({ signalingPrefixes: found }) => found !== "within",
  "signaling-address": ({ signalingAddress: found }) => found !== "cidr",
  "signaling-overlap": ({ signalingOverlap: found }) => found !== "accepted",
  "status-wrong-secret": ({ statusWrongSecret: found }) => found !== "error",
  "signaling-partial": ({ signalingPartial: found }, { partial }) =>
    found !== undefined &&
    found !== { none: "all-or-nothing", others: "valid-ones", before: "before" }[String(partial)],
};

/** Points of which the answer alone shows something: without an effect, a silent refusal is the answer of a success. */
const BY_ANSWER: ReadonlySet<string> = new Set(["delete-absent", "empty-commit", "insert-existing"]);

/** Refusals that no answer distinguishes from a success, of the node and of the receiver. */
const isSilent = ({ success, refusal }: Truth) => success === refusal;
const isMute = ({ started, denied, status }: Truth) => started === denied || (denied === "empty" && status === "lines");

/** True for switches that stand as they do by default, but for a delay that is that of the network. */
function isUsual({ commitDelay: _, ...switches }: ProbeResult["dialect"]): boolean {
  const usual: object = parsed({});
  return Object.entries(switches).every(([name, value]) => Reflect.get(usual, name) === value);
}

/** Everything that a probe wrote was expressed by a finding, and each finding has a place alone, with settings that its point decides about. */
export function expectExpressed(
  { findings, node, receiver, dialect }: ProbeResult,
  given: object,
  about: string,
): void {
  const paths = (settings: object, path = ""): string[] =>
    Object.entries(settings).flatMap(([name, value]) =>
      /^(answers|receiver)(\.(names|path|format|columns|answers))?$/.test(path + name) && typeof value === "object"
        ? paths(value, `${path}${name}.`)
        : [path + name],
    );
  const isDeclared = (one: string, all: readonly string[]) =>
    all.some((path) => path === one || path.startsWith(`${one}.`));
  const said = new Set(paths(given));
  for (const finding of findings) {
    const { point, settings, receiver: told, dialect: switches, expressed, found } = finding;
    const { settles = [] } = POINTS.find(({ name }) => name === point) ?? {};
    const own = paths({ ...settings, ...(Object.keys(told).length > 0 && { receiver: told }) });
    expect(
      own.filter((path) => !isDeclared(path, settles)),
      `${about} ${point}`,
    ).toEqual([]);
    const [isWritten, isPlayed] = [own.length > 0, Object.keys(switches).length > 0];
    const isAlone = {
      setting: isWritten,
      dialect: isPlayed && !isWritten,
      // As a client assumes without a setting, and as the emulator does without a switch.
      contract: !isWritten && isUsual(switches),
      beyond: exitCode({ findings: [finding], left: [] }) === 4,
      unknown: !isWritten && !isPlayed && found !== "observed",
    };
    expect(isAlone[expressed], `${about} ${point} is expressed as ${expressed} alone`).toBe(true);
    for (const path of own) said.add(path);
  }
  // Each setting is a member that a node takes, and each switch one that the emulator has.
  expect(() => parseOptions(nodeSchema(), { endpoint: "https://192.0.2.10", ...node }, "node"), about).not.toThrow();
  expect(() => parsed(dialect as DialectSettings), about).not.toThrow();
  const written = paths({ ...node, ...(Object.keys(receiver).length > 0 && { receiver }) });
  expect(
    written.filter((path) => !said.has(path)),
    `${about} writes what no finding says`,
  ).toEqual([]);
  expect(dialect, about).toEqual(Object.assign({}, ...findings.map((one) => one.dialect)));
}

/** Probes the appliance of a seed, and judges what the probe left, said and wrote. Returns its exit code. */
export async function expectJudged(seed: number): Promise<number> {
  const strange = drawn(seed);
  const { says } = strange;
  const about = `seed ${seed}: ${JSON.stringify(says)}`;
  await using appliance = await startDrawn(strange);
  const node = { endpoint: appliance.url, headers: HEADERS };
  let notes = "";
  const note = (one: Parameters<typeof noteLine>[0]) => {
    notes += noteLine(one);
  };
  const urls = [SET, "profile://edge/web"].map(parseUrl);
  const limits = { entries: 100, bytes: 8_192, wholeMs: 900_000 };
  const result = await probed(appliance, { node, urls, note, limits });
  expectNamed(appliance, result.left.length > 0 ? notes : "", about);
  expectExpressed(result, {}, about);
  expect(appliance.early, `${about} asked the receiver too early`).toBe(0);
  const isJudged = (point: string) =>
    /^sig|^status/.test(point) ? !isMute(says) : !(isSilent(says) && BY_ANSWER.has(point));
  const observed = result.findings.filter(
    ({ found, point, expressed }) => found === "observed" && expressed !== "beyond" && isJudged(point),
  );
  const wrong = observed.filter(({ point, dialect }) => CONTRADICTIONS[point]?.(dialect, says));
  expect(wrong, about).toEqual([]);
  const told = result.findings.find(({ point }) => point === "credentials");
  const isWrong = told?.found === "observed" && told.node.startsWith("ignored") !== (says.credentials === "ignored");
  expect(isWrong && told, about).toBe(false);
  // Exact, or "cannot be expressed"; changes are left only where everything is refused from some request on.
  const code = exitCode(result);
  expect(Number.isFinite(says.expiresAt) ? [0, 4, 5] : [0, 4], about).toContain(code);
  if (code !== 0) return code;
  const settings = { headers: HEADERS, ...result.node, commitCoalesceMs: 0 };
  const held = () => appliance.held("edge/probe");
  await expectUsable({ endpoint: appliance.url, settings, world: appliance.world, held }, about);
  await expectRehearsed(result, settings, about);
  await expectSignaled(appliance, result.receiver, about);
  return code;
}

/** These notes name all that an appliance holds after a probe. */
function expectNamed(appliance: Awaited<ReturnType<typeof startDrawn>>, notes: string, about: string): void {
  // Notes have the spelling that was sent, with host bits.
  const noted = notes === "" ? [] : [...readUndo(notes).inserted, ...readUndo(notes).started];
  const named = new Set(noted.map((text) => spelt(span(text) ?? "")));
  const kept = [...Object.keys(appliance.held("edge/probe")), ...appliance.signaled()];
  expect(
    kept.filter((prefix) => !named.has(prefix)),
    `${about} keeps what no note names`,
  ).toEqual([]);
}

/** A probe that is killed at a drawn request leaves nothing that its notes do not name, and less once they are taken back. */
export async function expectKilled(seed: number): Promise<void> {
  const strange = drawn(seed);
  const request = 10 + Math.floor(seededRandom(seed)() * 150);
  const about = `seed ${seed}, killed at ${request}: ${JSON.stringify(strange.says)}`;
  await using appliance = await startDrawn(strange);
  const node = { endpoint: appliance.url, headers: HEADERS };
  const notes = await killedAt(appliance, request, { node });
  expectNamed(appliance, notes, about);
  const left = await cleaned(appliance, notes, { node });
  expectNamed(appliance, left.length > 0 ? notes : "", `${about}, taken back`);
}

/** A node and the world of its clock, as a deployment uses it. */
interface Used {
  readonly endpoint: string;
  readonly settings: object;
  readonly world: () => Partial<World>;
  readonly held: () => Record<string, number>;
}

/** The written settings make a list, an import, an up, a change of a value and a destroy exact. */
async function expectUsable({ endpoint, settings, world, held }: Used, about: string): Promise<void> {
  // Each step is a run of its own.
  const handler = () => {
    const runtime = new Runtime({ env: {}, print: () => {}, world: world() });
    runtime.configure((key: string) => ({ endpoint, node: settings })[key]);
    return new PrefixSetHandler(runtime);
  };
  const url = parseUrl(SET) as PrefixSetUrl;
  const listed = async () => {
    const client = new NodeClient({ endpoint, ...settings, commitCoalesceMs: undefined } as never, world());
    const entries = Object.fromEntries(heldSet(url, { endpoint }, (await client.set(url).observe()).values).entries);
    await client.close();
    return entries;
  };
  const declare = (entries: Record<string, number>) => ({ arena: "edge", set: "probe", entries });
  const first = { "10.1.0.0/16": 5, "10.2.0.9/32": 1 };
  const creating = handler();
  const { outs } = await creating.create(creating.check({}, declare(first)).inputs);
  expect([held(), await listed()], about).toEqual([first, first]);
  const second = { ...first, "10.1.0.0/16": 6 };
  const updating = handler();
  const { outs: changed } = await updating.update(SET, outs, updating.check(outs, declare(second)).inputs);
  expect([held(), await listed()], about).toEqual([second, second]);
  await handler().delete(SET, changed as never);
  expect([held(), await listed()], about).toEqual([{}, {}]);
}

/** The same at an emulator with the dialect that the probe wrote. */
export async function expectRehearsed(
  { dialect }: Pick<ProbeResult, "dialect">,
  settings: object,
  about: string,
): Promise<void> {
  await using emulator = await startEmulator({ state: STATE, dialect: dialect as DialectSettings });
  emulator.clock.freeze();
  const { applied } = emulator.prefixSet(SET);
  expect(applied).toEqual({});
  const held = () => emulator.prefixSet(SET).applied;
  const used = {
    endpoint: emulator.endpoint,
    settings: { ...settings, headers: {} },
    world: () => worldOf(emulator),
    held,
  };
  await expectUsable(used, `${about}, rehearsed with ${JSON.stringify(dialect)}`);
}

/** The written settings of the receiver start and stop exactly what is asked for. */
async function expectSignaled(
  appliance: Awaited<ReturnType<typeof startDrawn>>,
  settings: ProbeResult["receiver"],
  about: string,
): Promise<void> {
  const client = new SignalingClient({ url: `${appliance.url}/path`, ...CLIENT, ...settings }, appliance.world());
  const both = ["198.51.100.0/25", "198.51.100.130/32"];
  const status = async () => (await client.status()).map(String).toSorted();
  for (const prefixes of [both.slice(0, 1), both]) {
    await client.ensureActive(prefixes);
    expect([appliance.signaled(), await status()], about).toEqual([prefixes, prefixes]);
  }
  // A stop that the settings misread would be carried out, and reported as a refusal.
  const { refusal } = await client.ensureInactive(both);
  expect([refusal, appliance.signaled(), await status()], about).toEqual([undefined, [], []]);
  await client.close();
}
