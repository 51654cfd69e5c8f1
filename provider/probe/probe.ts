import { given } from "../client/options";
import { messageOf } from "../model/errors";
import type { Answers } from "../wire/answers";
import type { Bench } from "./asking/bench";
import { cleanUp, doubtAfter, isUnclean } from "./asking/clean-up";
import { constantWhileGrowing, needed, readingOf, within } from "./asking/needed";
import { Skipped, Unclear, Unusable } from "./asking/outcome";
import { CARRIED, type Finding, isKnown, type NodeSettings, type ProbeResult } from "./finding";
import { findingOf, notObserved, type Point } from "./point";
import { POINTS } from "./points";
import { byKinds, isNoSetting, merged } from "./shapes/answers";
import { type BenchOptions, withBench } from "./with-bench";

export interface ProbeOptions extends BenchOptions {
  /** Called with the title of each point before it is asked. */
  readonly watch?: (title: string, number: number, total: number) => void;
}

/**
 * Asks a node about every open point that a client can find out.
 *
 * @throws {OptionsError} for wrong options. A node that fails ends the probe; `stopped` says why.
 */
export function probe({ watch = () => {}, ...options }: ProbeOptions): Promise<ProbeResult> {
  return withBench(options, (bench) => run(bench, watch));
}

async function run(bench: Bench, watch: NonNullable<ProbeOptions["watch"]>): Promise<ProbeResult> {
  const judges: (() => Finding)[] = [];
  const failed = new Map<string, string>();
  const unusable: string[] = [];
  let doubtMs = 0;
  let stopped: string | undefined;
  for (const [index, point] of POINTS.entries()) {
    const basis = point.restsOn && failed.get(point.restsOn);
    const why = stopped === undefined ? (bench.blocked ?? missing(point, bench)) : "the probe ended before";
    if (why !== undefined || basis !== undefined) {
      if (why === undefined && basis !== undefined) failed.set(point.name, basis);
      judges.push(() => notObserved(point, new Skipped(why ?? `rests on "${basis}", which failed`)));
      continue;
    }
    watch(point.title, index + 1, POINTS.length);
    try {
      const conclusion = await point.ask(bench).catch((error: unknown) => {
        if (error instanceof Unclear) failed.set(point.name, point.title);
        if (error instanceof Unusable) unusable.push(sentence(point.needs, error));
        return notObserved(point, error);
      });
      judges.push(() =>
        "found" in conclusion
          ? conclusion
          : findingOf(point, typeof conclusion === "function" ? conclusion() : conclusion),
      );
      await bench.work?.clear();
      await bench.receiver?.clear();
      if (bench.work || bench.receiver) bench.noteLearnt();
    } catch (error) {
      const ended = bench.ending.reason ?? messageOf(error);
      stopped = ended;
      // Also if it was judged: a node that cannot be cleaned after it may have refused for another reason.
      if (!failed.has(point.name)) judges[index] = () => notObserved(point, new Unclear(ended));
      doubtMs = doubtAfter(error, bench.node);
    }
  }
  if (stopped !== undefined && isUnclean(bench)) watch("clearing up", POINTS.length, POINTS.length);
  const left = await cleanUp(bench, doubtMs);
  stopped ??= bench.blocked;
  const findings = judges.map((judge) => judge());
  return { ...summary(findings, bench), looked: lookedAt(findings, bench), unusable, ...given({ stopped }), left };
}

/** Settings that the point of a finding decides about. */
function settlesOf({ point }: Finding): readonly string[] {
  return POINTS.find(({ name }) => name === point)?.settles ?? [];
}

/** Counts the points that decide about settings, and names those that could not be asked. */
function lookedAt(findings: readonly Finding[], { receiver, targets }: Bench): ProbeResult["looked"] {
  const isNamed = ({ needs }: Point) => (needs === "receiver" ? receiver : targets.first) !== undefined;
  const names = new Set(POINTS.filter(isNamed).map(({ name }) => name));
  const all = findings.filter((one) => names.has(one.point) && one.outcome !== "moot" && settlesOf(one).length > 0);
  const settled = new Set(all.filter(isKnown).flatMap(settlesOf));
  // Known entries of a probe show as much as older entries of the set.
  const isSettled = (one: Finding) => one.found !== "error" && settlesOf(one).every((path) => settled.has(path));
  const missed = all.filter((one) => !isKnown(one) && !isSettled(one));
  return { of: all.length, missed: missed.map(({ title, node: why }) => `${title}: ${why}`) };
}

function sentence(needs: Point["needs"], { lacks, message, remedy }: Unusable): string {
  const who = needs === "receiver" ? "receiver" : "node";
  const why = `This ${who} cannot be used, because ${lacks}: ${message.replace(/\.$/, "")}.`;
  return remedy === undefined ? why : `${why} ${remedy}`;
}

/** Says which precondition of a point is missing. */
function missing({ needs }: Point, bench: Bench): string | undefined {
  if (needs === "lists" && !bench.targets.first) return "no url is named";
  if (needs === "set" && !bench.work) return "only with --write";
  return needs === "receiver" && !bench.receiver ? "only with --signaling" : undefined;
}

/** Merges all settings with those that were given; later points take precedence. */
function summary(
  findings: readonly Finding[],
  { learned, node: carried, receiver, exchanges }: Bench,
): Pick<ProbeResult, "findings" | "node" | "receiver" | "dialect"> {
  const isSettled = (name: string) => {
    const by = findings.filter((one) => settlesOf(one).includes(name));
    return by.length > 0 && by.every(({ expressed }) => expressed !== "unknown");
  };
  const node: { -readonly [M in keyof NodeSettings]?: NodeSettings[M] } = Object.fromEntries(
    CARRIED.filter((name) => carried[name] !== undefined && !isSettled(name)).map((name) => [name, carried[name]]),
  );
  for (const { settings } of findings) Object.assign(node, settings);
  // By kind, as they become once something is learnt: none is lost where only another kind was seen.
  const own = byKinds(carried.answers ?? {});
  const { ignore: _, ...learnt } = learned.answers;
  const constant = constantWhileGrowing(learned.answers, exchanges.values());
  const proved = merged(learnt, { ignore: [...(own.ignore ?? []), ...constant] });
  const read = (some: Answers) => [...exchanges.values()].map((one) => readingOf(one, some));
  // Nothing is written that no finding expresses.
  const claimed = findings.reduce((all, { settings }) => merged(all, settings.answers ?? {}), own);
  const known = within(needed(proved, own, read), claimed);
  delete node.answers;
  if (!isNoSetting(known)) node.answers = known;
  const ofReceiver = findings.map((one) => one.receiver.answers);
  const receiverAnswers = within(receiver?.needed() ?? {}, Object.assign({}, receiver?.given, ...ofReceiver));
  return {
    findings: findings.map((one) => ({
      ...one,
      settings: within(one.settings, { ...one.settings, answers: known }),
      receiver: within(one.receiver, { answers: receiverAnswers }),
    })),
    node,
    receiver: Object.keys(receiverAnswers).length > 0 ? { answers: receiverAnswers } : {},
    dialect: Object.assign({}, ...findings.map(({ dialect }) => dialect)),
  };
}
