import type { NodeOptions } from "../client/options";
import type { World } from "../client/world";
import { messageOf } from "../model/errors";
import type { ResourceUrl } from "../model/resource-url";
import { Bench, type Limits } from "./asking/bench";
import { Targets } from "./asking/targets";
import type { Finding, LeftBehind, NodeSettings, ProbeResult } from "./finding";
import type { Point } from "./point";
import { POINTS } from "./points";
import { merged } from "./shapes/answers";

/** What to ask, and of whom. */
export interface ProbeOptions {
  readonly node: NodeOptions;
  /** Sets, arenas, profiles and tables of marks to ask about. */
  readonly urls: readonly ResourceUrl[];
  readonly limits?: Partial<Limits>;
  /** Ends the probe early. What it put into the set is removed all the same. */
  readonly signal?: AbortSignal;
  /** Clock, timers and transport; for tests. */
  readonly world?: Partial<World>;
  /** Is told what is asked next. */
  readonly watch?: (title: string, number: number, total: number) => void;
}

const LIMITS: Limits = { entries: 5_000, bytes: 1_048_576, patienceMs: 30_000 };

/**
 * Asks a node about every open point that a client can find out.
 *
 * @throws {OptionsError} for wrong options. A node that fails ends the probe, and is no exception but `stopped`.
 */
export async function probe(options: ProbeOptions): Promise<ProbeResult> {
  const { node, urls, limits = {}, signal, world = {}, watch = () => {} } = options;
  const bench = new Bench(node, new Targets(urls), { ...LIMITS, ...limits }, world, signal);
  try {
    return await run(bench, watch);
  } finally {
    await bench.close();
  }
}

async function run(bench: Bench, watch: NonNullable<ProbeOptions["watch"]>): Promise<ProbeResult> {
  const findings: Finding[] = [];
  const left: LeftBehind[] = [];
  let stopped: string | undefined;
  for (const [index, point] of POINTS.entries()) {
    const why = stopped === undefined ? (bench.blocked ?? missing(point, bench)) : "the probe ended before";
    if (why !== undefined) {
      findings.push(point.without("skipped", why));
      continue;
    }
    watch(point.title, index + 1, POINTS.length);
    try {
      findings.push(await point.run(bench));
    } catch (error) {
      stopped = messageOf(error);
      findings.push(point.without("error", stopped));
    }
  }
  stopped ??= bench.blocked;
  return { ...summary(findings, bench), ...(stopped !== undefined && { stopped }), findings, left };
}

/** What a point needs and this probe has not. */
function missing({ needs }: Point, bench: Bench): string | undefined {
  if (needs === "set" && !bench.work) return "only with --write";
  return needs === "receiver" && !bench.receiver ? "only with --signaling" : undefined;
}

/** All settings together; what a later point found goes before what an earlier one did. */
function summary(findings: readonly Finding[], { learned }: Bench): Pick<ProbeResult, "node" | "dialect"> {
  const node: { -readonly [M in keyof NodeSettings]?: NodeSettings[M] } = {};
  let { answers } = learned;
  for (const { settings } of findings) {
    Object.assign(node, settings);
    answers = merged(answers, settings.answers ?? {});
  }
  if (Object.keys(answers).length > 0) node.answers = answers;
  return { node, dialect: Object.assign({}, ...findings.map(({ dialect }) => dialect)) };
}
