import { X509Certificate } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { OptionsError } from "../client";
import { attempt, messageOf } from "../model/errors";
import { some } from "../model/text";
import { LiveConfig } from "./config/config";
import { readConfig } from "./config/config-files";
import { rejectedLimits } from "./delivery/rejected";
import { spoolLimits } from "./delivery/sinks";
import { LeftSpool } from "./ledger/left-spool";
import { loadSqlite } from "./ledger/sqlite";
import { freeBytesOf } from "./ledger/store";
import { pauseOf } from "./polling/mark-turns";
import { shownAddress } from "./sinks/http-post";
import { SINK_KINDS } from "./sinks/kinds";
import { CLUSTER_USER, loadNats } from "./sinks/nats-connection";
import { sinkNamed } from "./sinks/sink";
import { matchesAny, tableOf, takes } from "./table";
import { Unavailable } from "./unavailable";
import type { Environment } from "./world";

const named = z.object({ name: z.string(), type: z.string() });
/** Members that decide which packages are loaded, readable even if the rest is wrong. */
const outline = z.object({ sinks: z.array(z.unknown()).catch([]), cluster: z.unknown().optional() });

/**
 * Reads a configuration, and finds everything that keeps it from running here: mistakes, a Node that is too old, and missing
 * packages.
 *
 * @throws {OptionsError} with every problem, a line each; {@link Unavailable} if the configuration file itself is sound
 */
export async function checkedConfig(file: string, env: Environment): Promise<LiveConfig> {
  const loads = await loadsOf(file);
  const [config, ...loaded] = await Promise.allSettled([LiveConfig.ofFile(file, env), loadSqlite(), ...loads]);
  const problems = [config, ...loaded].flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  const unknown = problems.find((problem) => !(problem instanceof OptionsError));
  if (unknown !== undefined) throw unknown;
  if (config.status === "fulfilled" && problems.length === 0) return config.value;
  const passes = problems.every((problem) => problem instanceof Unavailable);
  throw new (passes ? Unavailable : OptionsError)(problems.map(messageOf).join("\n"));
}

async function loadsOf(file: string): Promise<Promise<unknown>[]> {
  // If it cannot be read, `LiveConfig` reports why.
  const read = await readConfig(file).catch(() => undefined);
  const { sinks = [], cluster } = outline.safeParse(read?.config).data ?? {};
  const loads = sinks.flatMap((sink) => {
    const { name = "", type = "" } = named.safeParse(sink).data ?? {};
    return Object.hasOwn(SINK_KINDS, type) ? [SINK_KINDS[type]?.load?.(sinkNamed(name))] : [];
  });
  return [...loads, cluster ? loadNats(CLUSTER_USER) : undefined].filter((load) => load !== undefined);
}

/**
 * Describes a configuration for people: nodes, tables and sinks, and the outage that each spool covers if readings are as large as those
 * of the last run. Sends nothing, and changes nothing.
 */
export async function describeConfig(config: LiveConfig, now = Date.now()): Promise<string[]> {
  const { nodes, sinks, everyMs, cluster } = config.current;
  const lines = watchedBy(config);
  if (cluster) lines.push(`Shares the nodes through NATS bucket ${cluster.bucket}, leases of ${cluster.leaseMs} ms.`);
  const tables = await usualBytes(config.stateFolder);
  for (const { name, type, own, only } of sinks) {
    const { maxBytes, maxAgeMs, whenFull } = spoolLimits(config, name);
    // Nodes that left the configuration are not polled.
    const taken = tables.filter(({ table }) => takes(only, table) && Object.hasOwn(nodes, table.node));
    const rate = taken.reduce((sum, { table, bytes }) => sum + bytes / pauseOf(nodes[table.node] ?? {}, everyMs), 0);
    const outage = rate > 0 ? `of about ${durationOf(maxBytes / rate)}` : "that only a run can show";
    const age = maxAgeMs > 0 ? ` or ${durationOf(maxAgeMs)}` : "";
    const target = SINK_KINDS[type]?.target?.(own);
    if (target) lines.push(`Sink "${name}" (${type}) posts to ${shownAddress(target, config.secretsInUrl(name))}.`);
    lines.push(
      `Sink "${name}" (${type}): a spool of ${maxBytes} bytes${age} covers an outage ${outage}. When it is full, ${WHEN_FULL[whenFull]} (${whenFull}).`,
    );
  }
  return [...lines, ...roomOf(config), ...expiredIn(config.current, [], now)];
}

/** Consequences of a full spool. */
const WHEN_FULL = {
  pause: "new records are kept for other sinks alone; tables for which no sink has room wait",
  "drop-oldest": "its oldest records are dropped",
} as const;

/** Warns if the disk of the state is smaller than the sum of the limits. */
function roomOf(config: LiveConfig): string[] {
  const { sinks, reserveBytes } = config.current;
  const limits = sinks.flatMap(({ name }) => [spoolLimits(config, name), rejectedLimits(config, name)]);
  const required = limits.reduce((sum, { maxBytes }) => sum + maxBytes, reserveBytes);
  const used = attempt(() => sizeOf(config.stateFolder)) ?? 0;
  const free = attempt(() => freeBytesOf(existing(config.stateFolder)));
  if (free === undefined || required <= used + free) return [];
  return [
    `Warning: the spools, dead letters and \`reserveBytes\` of ${sinks.length} sinks may take ${required} bytes, and the disk of ${config.stateFolder} has ${used + free} for them. When it is full, no reading is taken over: lower \`maxBytes\` of \`spool\` or \`rejected\`, or give it a larger disk.`,
  ];
}

/** The folder, or the nearest one above it that is there. */
function existing(folder: string): string {
  return existsSync(folder) ? folder : existing(dirname(folder));
}

function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

const [BEGIN, END] = ["-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"];

/** Expired certificates by their place in the configuration. */
function expiredIn(value: unknown, path: readonly string[], now: number): string[] {
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([name, member]) => expiredIn(member, [...path, name], now));
  if (typeof value !== "string" || !value.includes(BEGIN)) return [];
  return value.split(END).flatMap((part) => {
    const { subject, validTo } = attempt(() => new X509Certificate(`${part}${END}`)) ?? {};
    if (validTo === undefined || Date.parse(validTo) > now) return [];
    const where = path
      .join(".")
      .replace(/\.(\d+)/g, "[$1]")
      .replace(".own.", ".");
    return [`Warning: \`${where}\` has a certificate that expired on ${validTo} (${subject?.replaceAll("\n", ", ")}).`];
  });
}

/** Watched tables of a configuration, a sentence for each entry of `watch`, and one for nodes that none takes. */
export function watchedBy({ current: { nodes, watch, everyMs, records } }: LiveConfig): string[] {
  const idle = Object.keys(nodes).filter((name) => !watch.some((entry) => matchesAny(entry.nodes, name)));
  const lines = watch.map(({ arena, nodes: patterns, profiles, types }) => {
    const names = Object.keys(nodes).filter((name) => matchesAny(patterns, name));
    const which = names.length === 0 ? "no node" : names.length > 5 ? `${names.length} nodes` : names.join(", ");
    return `Watches arena ${arena} on ${which}: profiles ${profiles.join(", ")}, ${types ? types.join(", ") : "all types"}, every ${everyMs} ms, ${records}.`;
  });
  if (idle.length === 0) return lines;
  return [...lines, `Warning: no entry of \`watch\` takes ${some(idle)}: nothing is read there.`];
}

async function usualBytes(state: string) {
  try {
    using left = await LeftSpool.open(state);
    return left.tables().map(({ name, bytes }) => ({ table: tableOf(name), bytes }));
  } catch {
    // There is no state yet, or the run will set it aside.
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
