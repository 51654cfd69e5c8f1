import { NodeRequests } from "../client/node-connection";
import type { NodeOptions, ReceiverOptions } from "../client/options";
import { SignalingRequests } from "../client/signaling-request";
import { systemWorld, type World } from "../client/world";
import { messageOf } from "../model/errors";
import type { Prefix } from "../model/prefix";
import { formatUrl, type ResourceUrl } from "../model/resource-url";
import type { Answers } from "../wire/answers";
import type { Limits } from "./asking/asker";
import { Bench } from "./asking/bench";
import { cleanUp, doubtAfter, isUnclean } from "./asking/clean-up";
import { Ending } from "./asking/ending";
import { needed, readingOf, within } from "./asking/needed";
import { Unusable } from "./asking/outcome";
import { Receiver } from "./asking/receiver";
import { Targets } from "./asking/targets";
import { WorkSet } from "./asking/work-set";
import { CARRIED, type Finding, type NodeSettings, type ProbeResult } from "./finding";
import type { Asked, Point } from "./point";
import { POINTS } from "./points";
import { settingsOf } from "./points/records";
import { isNoSetting, merged } from "./shapes/answers";
import { LIMITS } from "./timing";
import type { Note } from "./undo";

/** What to ask, and of whom. */
export interface ProbeOptions {
  /** Needed for {@link urls}; default: only a receiver is asked. */
  readonly node?: NodeOptions;
  /** Sets, arenas, profiles and tables of marks to ask about. */
  readonly urls: readonly ResourceUrl[];
  /** Writes to the first named set, which must be empty, and leaves it so. Default: false, nothing but lists is sent. */
  readonly write?: boolean;
  /** With {@link write}: the set may hold entries, which are left as they are and compared. Default: false. */
  readonly keep?: boolean;
  /** A receiver to ask, and a prefix of the user's own that is not active and may be started for moments. */
  readonly receiver?: { readonly options: ReceiverOptions; readonly prefix: Prefix };
  /** Default: 5 000 entries, 1 MiB, 30 s for a change, 15 min for all. */
  readonly limits?: Partial<Limits>;
  /** Ends the probe early. What it put into the set is removed all the same, for at most a minute. */
  readonly signal?: AbortSignal;
  /** Is told of every entry and start before it is sent, and of what is taken back: see {@link clean}. Default: nothing is noted. */
  readonly note?: (note: Note) => void;
  /** Clock, timers and transport; for tests. */
  readonly world?: Partial<World>;
  /** Is told what is asked next. */
  readonly watch?: (title: string, number: number, total: number) => void;
}

/** Where no url is named, no node is asked: a connection opens with its first request. */
export const NO_NODE: NodeOptions = { endpoint: "http://localhost" };

/**
 * Asks a node about every open point that a client can find out.
 *
 * @throws {OptionsError} for wrong options. A node that fails ends the probe, and is no exception but `stopped`.
 */
export async function probe(options: ProbeOptions): Promise<ProbeResult> {
  const {
    node = NO_NODE,
    urls,
    write = false,
    keep = false,
    receiver,
    limits = {},
    signal,
    world = {},
    note,
    watch = () => {},
  } = options;
  const whole = { ...LIMITS, ...limits };
  const ending = new Ending({ ...systemWorld, ...world }, whole.wholeMs, signal);
  const bench = new Bench(new Targets(urls), node, whole, world, ending, note);
  const [set] = bench.targets.sets;
  if (write && set) bench.work = new WorkSet(set, bench, keep);
  if (receiver) bench.receiver = new Receiver(receiver.options, receiver.prefix, world, ending, note);
  begin(bench);
  try {
    return withoutSecrets(await run(bench, watch), hiding(node, receiver?.options));
  } finally {
    await bench.close();
  }
}

/** Notes of whom is asked, and where is written. */
export function begin({ note, endpoint, work, receiver }: Bench): void {
  note({
    begun: {
      ...(work && { endpoint, set: formatUrl(work.url) }),
      ...(receiver && { receiver: receiver.endpoint }),
    },
  });
}

/** Replaces what is secret in the options of a node and a receiver. */
export function hiding(node: NodeOptions, receiver?: ReceiverOptions): (text: string) => string {
  const redactors = [new NodeRequests(node).redactor, ...(receiver ? [new SignalingRequests(receiver).redactor] : [])];
  return (text) => redactors.reduce((left, redactor) => redactor.text(left), text);
}

async function run(bench: Bench, watch: NonNullable<ProbeOptions["watch"]>): Promise<ProbeResult> {
  const asked: Asked["judge"][] = [];
  const failed = new Map<string, string>();
  const moot = new Set<string>();
  const unusable: string[] = [];
  let doubtMs = 0;
  let stopped: string | undefined;
  for (const [index, point] of POINTS.entries()) {
    const basis = point.restsOn && failed.get(point.restsOn);
    const why = stopped === undefined ? (bench.blocked ?? missing(point, bench)) : "the probe ended before";
    if (why !== undefined || basis !== undefined) {
      if (why === undefined && basis !== undefined) failed.set(point.name, basis);
      asked.push(() => point.without("skipped", why ?? `rests on "${basis}", which failed`));
      continue;
    }
    watch(point.title, index + 1, POINTS.length);
    try {
      const { judge, failed: problem, isMoot } = await point.run(bench);
      if (isMoot) moot.add(point.name);
      asked.push(judge);
      if (problem) failed.set(point.name, point.title);
      if (problem instanceof Unusable) unusable.push(sentence(point.needs, problem));
      await bench.work?.clear();
      await bench.receiver?.clear();
      if (bench.work || bench.receiver) bench.noteLearnt();
    } catch (error) {
      const ended = bench.ending.reason ?? messageOf(error);
      stopped = ended;
      if (asked.length === index) asked.push(() => point.without("error", ended));
      doubtMs = doubtAfter(error, bench.node);
    }
  }
  if (stopped !== undefined && isUnclean(bench)) watch("clearing up", POINTS.length, POINTS.length);
  const left = await cleanUp(bench, doubtMs);
  stopped ??= bench.blocked;
  const findings = asked.map((judge) => judge());
  const looked = lookedAt(findings, moot, bench);
  return { ...summary(findings, bench), looked, unusable, ...(stopped !== undefined && { stopped }), left };
}

/** What was looked at of the points that decide about settings. */
function lookedAt(findings: readonly Finding[], moot: ReadonlySet<string>, bench: Bench): ProbeResult["looked"] {
  const matters = ({ needs, settles, name }: Point) =>
    settles.length > 0 &&
    !moot.has(name) &&
    (needs === "receiver" ? bench.receiver : bench.targets.first) !== undefined;
  const names = new Set(POINTS.filter(matters).map(({ name }) => name));
  const all = findings.filter(({ point }) => names.has(point));
  const isAsked = ({ found }: Finding) => found !== "skipped" && found !== "error";
  const seen = new Set(all.filter((one) => isAsked(one) && !one.unseen).map(({ point }) => point));
  const told = new Set(POINTS.filter(({ name }) => seen.has(name)).flatMap(({ settles }) => settles));
  const isTold = ({ point }: Finding) =>
    POINTS.find(({ name }) => name === point)?.settles.every((one) => told.has(one));
  // What known entries tell need not be seen in what a set held before.
  const missed = all.filter((one) => !isAsked(one) || (one.unseen && !isTold(one)));
  return { of: all.length, missed: missed.map(({ title, node: why }) => `${title}: ${why}`) };
}

function sentence(needs: Point["needs"], { lacks, message, wayOut }: Unusable): string {
  const who = needs === "receiver" ? "receiver" : "node";
  const why = `This ${who} cannot be used, because ${lacks}: ${message.replace(/\.$/, "")}.`;
  return wayOut === undefined ? why : `${why} ${wayOut}`;
}

/** A result whose texts, names of members included, quote nothing secret: a node may say anything anywhere. */
export function withoutSecrets<T>(value: T, hide: (text: string) => string): T;
export function withoutSecrets(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === "string") return hide(value);
  if (Array.isArray(value)) return value.map((one) => withoutSecrets(one, hide));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [hide(name), withoutSecrets(one, hide)]));
}

/** What a point needs and this probe has not. */
function missing({ needs }: Point, bench: Bench): string | undefined {
  if (needs === "lists" && !bench.targets.first) return "no url is named";
  if (needs === "set" && !bench.work) return "only with --write";
  return needs === "receiver" && !bench.receiver ? "only with --signaling" : undefined;
}

/** All settings together, with those that were given; what a later point found goes before what an earlier one did. */
function summary(
  findings: readonly Finding[],
  { learned, node: given, receiver, seen }: Bench,
): Pick<ProbeResult, "findings" | "node" | "receiver" | "guesses" | "dialect"> {
  const asked = new Set(
    findings.filter(({ found }) => found === "observed" || found === "assumed").map(({ point }) => point),
  );
  const settled = new Set<string>(POINTS.flatMap(({ settles }) => settles));
  for (const { name, settles } of POINTS) if (!asked.has(name)) for (const one of settles) settled.delete(one);
  const node: { -readonly [M in keyof NodeSettings]?: NodeSettings[M] } = Object.fromEntries(
    CARRIED.filter((name) => given[name] !== undefined && !settled.has(name)).map((name) => [name, given[name]]),
  );
  for (const { settings } of findings) {
    Object.assign(node, settings);
    learned.learn({ known: settings.answers ?? {} });
  }
  const { guessed } = learned;
  const read = (some: Answers) => [...seen.values()].map((one) => readingOf(one, merged(guessed, some)));
  const known = needed(learned.known, given.answers ?? {}, read);
  delete node.answers;
  if (!isNoSetting(known)) node.answers = known;
  const told = receiver?.needed() ?? {};
  return {
    findings: findings.map((one) => ({
      ...one,
      settings: within(one.settings, { ...one.settings, answers: known }),
      receiver: within(one.receiver, { answers: told }),
    })),
    node,
    receiver: Object.keys(told).length > 0 ? { answers: told } : {},
    guesses: { node: settingsOf(guessed) },
    dialect: Object.assign({}, ...findings.map(({ dialect }) => dialect)),
  };
}
