import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { z } from "zod";
import { LONGEST_TIMER_MS } from "../../client/clock";
import { isHeaderText, NO_HEADER, nodeSchema } from "../../client/options";
import { attempt } from "../../model/errors";
import { MARK_PAUSE_MS, MARK_TYPES } from "../../model/mark";
import { nameProblem } from "../../model/resource-url";
import { CONFIG_DEFAULTS } from "../defaults";
import { bearer, duration, members, patterns, serverTls, size, text, whole, withPort } from "../fields";
import { FORMATS } from "../record/formats";
import { sinkSchema } from "../sinks/kinds";
import { natsFields } from "../sinks/nats-connection";
import { rejectedFields, spoolFields } from "../sinks/sink";
import { matchesAny } from "../table";

const resourceName = text.superRefine((value, context) => {
  const problem = nameProblem(value);
  if (problem) context.addIssue({ code: "custom", message: problem });
});

const watch = members({
  nodes: patterns.default(["*"]),
  arena: resourceName,
  profiles: patterns.default(["*"]),
  types: z
    .array(z.enum(MARK_TYPES, { error: `must be one of ${MARK_TYPES.join(", ")}` }))
    .min(1, { error: "must not be empty" })
    .optional(),
  userArena: text.refine(isHeaderText, { error: NO_HEADER }).optional(),
});

const ADDRESS = /^(\[[0-9a-fA-F:.]+\]|[^:[\]]+):\d{1,5}$/;
const address = withPort(ADDRESS, 'must be an address and a port, such as "127.0.0.1:9464"');

const listening = members({ address, tls: serverTls.optional(), token: bearer.optional() });

/** The address alone, or with how to get in. */
const listen = z.preprocess(
  // A port alone is a number in YAML.
  (value: string | z.input<typeof listening>) => (typeof value === "object" ? value : { address: String(value) }),
  listening,
);

const cluster = members({
  ...natsFields,
  bucket: text
    .regex(/^[\w-]+$/, { error: "may have letters, digits, - and _" })
    .default(CONFIG_DEFAULTS.cluster.bucket),
  leaseMs: duration(2_000, 600_000).default(CONFIG_DEFAULTS.cluster.leaseMs),
  member: text.max(200, { error: "may have 200 characters" }).optional(),
  replicas: whole(1, 5).default(CONFIG_DEFAULTS.cluster.replicas),
});

/** The whole configuration, checked and with its defaults. */
export const configSchema = members({
  nodes: z
    .record(
      z.string().regex(/^[^\s/*]{1,128}$/, { error: "may have no space, / or *, and at most 128 characters" }),
      nodeSchema(),
      { error: "must be an object: name → node" },
    )
    .refine((nodes) => Object.keys(nodes).length > 0, { error: "must name at least one node" }),
  watch: z
    .array(watch, { error: "must be a list that names at least one arena, since the API cannot list arenas" })
    .min(1),
  everyMs: duration(0, LONGEST_TIMER_MS)
    .refine((value) => value >= MARK_PAUSE_MS, {
      error: `must not be below ${MARK_PAUSE_MS}, the pace of the node API`,
    })
    .default(CONFIG_DEFAULTS.everyMs),
  structureEveryMs: duration(MARK_PAUSE_MS, LONGEST_TIMER_MS).default(CONFIG_DEFAULTS.structureEveryMs),
  records: z.enum(["changes", "all"], { error: 'must be "changes" or "all"' }).default(CONFIG_DEFAULTS.records),
  snapshotEveryMs: duration(0, LONGEST_TIMER_MS).default(CONFIG_DEFAULTS.snapshotEveryMs),
  format: z.enum(FORMATS, { error: `must be one of ${FORMATS.join(", ")}` }).default(CONFIG_DEFAULTS.format),
  state: text.default(CONFIG_DEFAULTS.state),
  spool: members(spoolFields).default({}),
  rejected: members(rejectedFields).default({}),
  reserveBytes: size(0, Number.MAX_SAFE_INTEGER).default(CONFIG_DEFAULTS.reserveBytes),
  listen: listen.optional(),
  cluster: cluster.optional(),
  onceDeadlineMs: duration(1, LONGEST_TIMER_MS).default(CONFIG_DEFAULTS.onceDeadlineMs),
  drainMs: duration(0, LONGEST_TIMER_MS).default(CONFIG_DEFAULTS.drainMs),
  sinks: z.array(sinkSchema, { error: "must be a list" }).default([]),
});

const word = z.string().optional().catch(undefined);
const words = z.array(z.string()).optional().catch(undefined);
const only = z.object({ nodes: words, arenas: words, profiles: words, types: words }).optional().catch(undefined);
/** Names within a configuration, readable even if the rest is wrong. */
const named = z.object({
  nodes: z.record(z.string(), z.unknown()).catch({}),
  watch: z.array(z.object({ nodes: words, arena: word, profiles: words, types: words }).catch({})).catch([]),
  sinks: z.array(z.object({ name: word, path: word, only }).catch({})).catch([]),
});

/** A path without links, whether or not its last parts are there. */
function placeOf(path: string): string {
  const parent = dirname(path);
  return attempt(() => realpathSync(path)) ?? (parent === path ? path : join(placeOf(parent), basename(path)));
}

/** True if two lists of patterns may mean one name: of two patterns with `*` nothing else is known. */
function mayMeet(names: readonly string[] = ["*"], others: readonly string[] = ["*"]): boolean {
  const isPattern = (name: string) => name.includes("*");
  return names.some((one) =>
    others.some(
      (other) => (isPattern(one) && isPattern(other)) || matchesAny([one], other) || matchesAny([other], one),
    ),
  );
}

/**
 * Contradictions between parts of a configuration, and with the machine: two sinks of one name or file, a file that is none, unknown names,
 * and sinks that no table is for.
 *
 * @param folder Relative paths start here.
 */
export function wrongNames(
  config: unknown,
  folder: string,
): { readonly path: readonly PropertyKey[]; readonly message: string }[] {
  const { nodes, watch, sinks } = named.catch({ nodes: {}, watch: [], sinks: [] }).parse(config);
  const nodeNames = Object.keys(nodes);
  const arenas = watch.flatMap(({ arena }) => arena ?? []);
  const unmatched = (patterns: readonly string[] = [], known: readonly string[], what: string, path: PropertyKey[]) =>
    patterns.flatMap((pattern, place) => {
      // Without any name, the missing name is reported instead.
      if (known.length === 0 || known.some((name) => matchesAny([pattern], name))) return [];
      return [{ path: [...path, place], message: `names no ${what}: there are ${known.join(", ")}` }];
    });
  const inWatches = watch.flatMap(({ nodes: own }, index) =>
    unmatched(own, nodeNames, "node", ["watch", index, "nodes"]),
  );
  const noFile = (path: string | undefined, index: number) => {
    if (path === undefined || (attempt(() => statSync(resolve(folder, path)).isFile()) ?? true)) return [];
    const advice = path === "/dev/stdout" ? ": use the sink stdout" : "";
    return [{ path: ["sinks", index, "path"], message: `is not a regular file${advice}` }];
  };
  const values = {
    name: sinks.map(({ name }) => name),
    path: sinks.map(({ path }) => (path === undefined ? undefined : placeOf(resolve(folder, path)))),
  };
  const twice = (member: keyof typeof values, what: string, index: number) => {
    const value = values[member][index];
    const first = values[member].indexOf(value);
    if (value === undefined || first === index) return [];
    return [{ path: ["sinks", index, member], message: `is the ${what} of sinks[${first}], too` }];
  };
  /** True if an entry of `watch` may name a table that a sink takes. */
  const mayGive = (entry: (typeof watch)[number], taken: NonNullable<(typeof sinks)[number]["only"]>) =>
    nodeNames.some((name) => matchesAny(entry.nodes, name) && matchesAny(taken.nodes, name)) &&
    (entry.arena === undefined || matchesAny(taken.arenas, entry.arena)) &&
    mayMeet(entry.profiles, taken.profiles) &&
    mayMeet(entry.types, taken.types);
  const inSinks = sinks.flatMap(({ only, path }, index) => {
    const wrong = [
      ...unmatched(only?.nodes, nodeNames, "node", ["sinks", index, "only", "nodes"]),
      ...unmatched(only?.arenas, arenas, "arena that is watched", ["sinks", index, "only", "arenas"]),
    ];
    // What is wrong by itself is reported instead.
    const isReported = wrong.length + inWatches.length > 0 || nodeNames.length === 0 || watch.length === 0;
    const isEmpty = only && !isReported && !watch.some((entry) => mayGive(entry, only));
    const message = "selects no table: no entry of `watch` has these nodes, arenas, profiles and types together";
    return [
      ...twice("name", "name", index),
      ...twice("path", "file", index),
      ...noFile(path, index),
      ...wrong,
      ...(isEmpty ? [{ path: ["sinks", index, "only"], message }] : []),
    ];
  });
  return [...inWatches, ...inSinks];
}

export type CheckedConfig = z.infer<typeof configSchema>;

/** Address to listen on, with TLS and token. */
export type Listen = z.infer<typeof listen>;
