import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { matchesAny } from "../table";
import type { CheckedConfig } from "./schema";

/** Changes of a new configuration, by the part that has to restart for them. All other parts go on. */
export interface Difference {
  /** Sinks that are new, removed, or to be opened again. */
  readonly sinks: ReadonlySet<string>;
  /** Nodes that are new, gone, or to be polled in another way. */
  readonly nodes: ReadonlySet<string>;
}

/**
 * Compares two configurations.
 *
 * @returns `undefined` if everything has to start again: another state folder, another cluster.
 */
export function differenceOf(before: CheckedConfig, now: CheckedConfig): Difference | undefined {
  if (before.state !== now.state || !isDeepStrictEqual(placeOf(before), placeOf(now))) return undefined;
  const sinks = [...before.sinks, ...now.sinks].map(({ name }) => name);
  const nodes = [...Object.keys(before.nodes), ...Object.keys(now.nodes)];
  return {
    sinks: new Set(sinks.filter((name) => !isDeepStrictEqual(sinkIn(before, name), sinkIn(now, name)))),
    nodes: new Set(nodes.filter((name) => !isDeepStrictEqual(pollingIn(before, name), pollingIn(now, name)))),
  };
}

/** Settings that members of a cluster must share, as a short text: watched tables, neither addresses nor credentials of nodes. */
export function pollingOf({ watch, records }: CheckedConfig): string {
  return createHash("sha256").update(JSON.stringify({ watch, records })).digest("hex").slice(0, 16);
}

/** The cluster without its credentials, which are read at each connection. */
function placeOf({ cluster }: CheckedConfig) {
  if (!cluster) return undefined;
  const { user: _, password: __, token: ___, tls: ____, ...place } = cluster;
  return place;
}

/** Members of a sink that need a new connection, or that the spool is read again. The limits of its spool concern the ledger alone. */
function sinkIn({ sinks, format }: CheckedConfig, name: string) {
  const sink = sinks.find((one) => one.name === name);
  return sink && { type: sink.type, own: sink.own, batch: sink.batch, only: sink.only, format };
}

/** Settings that decide how a node is polled. */
function pollingIn({ nodes, watch, everyMs, structureEveryMs, snapshotEveryMs }: CheckedConfig, name: string) {
  const watched = watch.flatMap(({ nodes: patterns, ...rest }) => (matchesAny(patterns, name) ? [rest] : []));
  return nodes[name] && { node: nodes[name], watched, everyMs, structureEveryMs, snapshotEveryMs };
}
