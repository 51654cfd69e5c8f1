import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";
import { OptionsError } from "../client";
import { attempt, messageOf } from "../model/errors";
import { type Environment, LiveConfig } from "./config/config";
import { CONFIG_DEFAULTS } from "./defaults";
import { LeftSpool } from "./ledger/left-spool";
import { loadSqlite, StoreError } from "./ledger/sqlite";
import { CLUSTER_USER, loadNats } from "./nats";
import { pauseOf } from "./polling/mark-turns";
import { SINK_KINDS } from "./sinks/kinds";
import { sinkNamed } from "./sinks/sink";
import { matchesAny, tableOf, takes } from "./table";

const named = z.object({ name: z.string(), type: z.string() });
/** As much of a configuration as says what has to be loaded for it, also where the rest is wrong. */
const outline = z.object({ sinks: z.array(z.unknown()).catch([]), cluster: z.unknown() });

/**
 * Reads a configuration, and finds all that would keep it from running here: what is wrong in it, a Node that is too old, and
 * packages that are missing.
 *
 * @throws {OptionsError} with every problem, a line each.
 */
export async function checkedConfig(file: string, env: Environment): Promise<LiveConfig> {
  const [config, ...loads] = await Promise.allSettled([LiveConfig.ofFile(file, env), loadSqlite(), ...loadsOf(file)]);
  const problems = [config, ...loads].flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  const unknown = problems.find((problem) => !(problem instanceof OptionsError || problem instanceof StoreError));
  if (unknown !== undefined) throw unknown;
  if (config.status === "rejected" || problems.length > 0) throw new OptionsError(problems.map(messageOf).join("\n"));
  return config.value;
}

/** Loads what its sinks and its cluster need beside this package. */
function loadsOf(file: string): Promise<unknown>[] {
  // Where it cannot be read, reading it for real says why.
  const read: unknown = attempt(() => parse(readFileSync(file, "utf8")));
  const { sinks = [], cluster } = outline.safeParse(read).data ?? {};
  const loads = sinks.flatMap((sink) => {
    const { name = "", type = "" } = named.safeParse(sink).data ?? {};
    return Object.hasOwn(SINK_KINDS, type) ? [SINK_KINDS[type]?.load?.(sinkNamed(name))] : [];
  });
  return [...loads, cluster ? loadNats(CLUSTER_USER) : undefined].filter((load) => load !== undefined);
}

/**
 * What a configuration means, for people: nodes, tables and sinks, and how long an outage each spool covers by what readings
 * of the last run were as large as. Sends nothing, and changes nothing.
 */
export async function describeConfig(config: LiveConfig): Promise<string[]> {
  const { nodes, watch, sinks, spool, everyMs, records, cluster } = config.current;
  const lines = watch.map(({ arena, nodes: patterns, profiles, types }) => {
    const names = Object.keys(nodes).filter((name) => matchesAny(patterns, name));
    const which = names.length === 0 ? "no node" : names.length > 5 ? `${names.length} nodes` : names.join(", ");
    return `Watches arena ${arena} on ${which}: profiles ${profiles.join(", ")}, ${types ? types.join(", ") : "all types"}, every ${everyMs} ms, ${records}.`;
  });
  if (cluster) lines.push(`Shares the nodes through NATS bucket ${cluster.bucket}, leases of ${cluster.leaseMs} ms.`);
  const tables = await usualBytes(config.stateFolder);
  for (const { name, type, spool: own, only } of sinks) {
    const { maxBytes, maxAgeMs, whenFull } = { ...CONFIG_DEFAULTS.spool, ...spool, ...own };
    // Of nodes that are in the configuration: others are polled no more.
    const taken = tables.filter(({ table }) => takes(only, table) && Object.hasOwn(nodes, table.node));
    const rate = taken.reduce((sum, { table, bytes }) => sum + bytes / pauseOf(nodes[table.node] ?? {}, everyMs), 0);
    const covers =
      rate > 0
        ? `covers an outage of about ${durationOf(maxBytes / rate)}`
        : "covers an outage that only a run can tell";
    const age = maxAgeMs > 0 ? ` or ${durationOf(maxAgeMs)}` : "";
    lines.push(`Sink "${name}" (${type}): a spool of ${maxBytes} bytes${age} ${covers}, then ${whenFull}.`);
  }
  return lines;
}

async function usualBytes(state: string) {
  try {
    using left = await LeftSpool.open(state);
    return left.tables().map(({ name, bytes }) => ({ table: tableOf(name), bytes }));
  } catch {
    // There is none yet; or it cannot be read, and is for the run to set aside.
    return [];
  }
}

const UNITS = [
  ["days", 86_400_000],
  ["hours", 3_600_000],
  ["minutes", 60_000],
] as const;

/** Milliseconds in the largest unit of which there are two. */
function durationOf(ms: number): string {
  const [name, length] = UNITS.find(([, unit]) => ms >= 2 * unit) ?? ["seconds", 1_000];
  return `${Math.floor(ms / length)} ${name}`;
}
