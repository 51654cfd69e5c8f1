import { attempt } from "../model/errors";
import { hasUnknown, type JsonObject, sameJson } from "../model/json";
import type { Connection } from "./connections";
import { PUTS_BACK } from "./drift";
import type { About, Compared } from "./handler";
import type { Runtime } from "./runtime";

/** State and program as plain JSON for a comparison, since every argument counts. */
export interface Comparison {
  /** Outputs of the state. */
  readonly olds: JsonObject;
  /** Checked inputs of the program. */
  readonly news: JsonObject;
  /** Outputs that are no arguments. */
  readonly outputs: readonly string[];
  /** Arguments whose change means another object. */
  readonly identity: readonly string[];
  /** `node` or `receiver`; none of a group, whose nodes are not what it is. */
  readonly connection?: "node" | "receiver";
  /**
   * Is called when the object is replaced, so that what stands in the way of its deletion is said before anything is sent.
   * @throws {Error} with the ways out
   */
  readonly leave: () => void;
  /** Is called when the engine will call for nothing more, since nothing is to be changed. */
  readonly settle?: () => void;
  /** Whether a resource with many connections works at other addresses than the state says. */
  readonly hasMoved?: () => boolean;
  readonly runtime: Pick<Runtime, "isPreview" | "node" | "receiver">;
  /** Which resource it is, as far as that is told. */
  readonly about?: About | undefined;
}

/** Outputs that say that the last run did not reach its goal. */
export const OPEN_MATTERS = ["unsettled", "adopted", "absent", "unreached", "failed"] as const;

/**
 * Equal arguments are no change. Otherwise `changes` stays undefined: then the engine compares the inputs by key and
 * shows single entries. Only what outputs alone can tell (an open adoption, an unsettled write, an address that moved in
 * the configuration) is reported as a change.
 */
export function compare(comparison: Comparison): Compared {
  const { olds, news, outputs, identity, connection, runtime, about, hasMoved, leave, settle } = comparison;
  const [from, to] = connection ? [olds[connection], news[connection]] : [];
  const inUse = connection && !hasUnknown(to) ? runtime[connection](to) : undefined;
  // What is unknown in the program counts as another object, so that a preview shows a replacement. The engine also asks with unknowns
  // of its own whether the resource is to be deleted before one that it depends on is replaced, which would take away what may stay.
  const isDecided = (key: string) => runtime.isPreview(about) || !hasUnknown(news[key]);
  const replaces = identity.filter((key) => !sameJson(olds[key], news[key]) && isDecided(key));
  if (connection && typeof from === "string" && typeof to === "string" && from !== to && isDecided(connection))
    replaces.push(connection);
  if (replaces.length > 0) {
    leave();
    return { replaces };
  }
  const moved = hasMoved?.() ?? (inUse !== undefined && !inUse.fromEnvironment && olds.endpoint !== inUse.endpoint);
  const equal = [...new Set([...Object.keys(olds), ...Object.keys(news)])]
    .filter((key) => !outputs.includes(key))
    .every((key) => sameJson(olds[key], news[key]));
  // An input of this run is a line by itself; with `changes` the engine prints every entry of a dynamic resource.
  const isOpen = OPEN_MATTERS.some((key) => olds[key] !== undefined);
  if (isOpen) return news[PUTS_BACK] === undefined ? { changes: true } : {};
  if (moved && equal) return { changes: true };
  if (!equal) return {};
  settle?.();
  return { changes: false };
}

/**
 * True where the environment names another address than the state: no diff may show that, and nothing is sent there, so that
 * what was seen there does not count.
 */
export function isElsewhere(
  runtime: Pick<Runtime, "node" | "receiver">,
  olds: JsonObject,
  news: JsonObject,
  connection: "node" | "receiver" = "node",
): boolean {
  if (hasUnknown(news[connection]) || olds.endpoint === undefined) return false;
  const inUse = runtime[connection](news[connection]);
  return inUse.fromEnvironment && inUse.endpoint !== olds.endpoint;
}

/** Node or receiver of the state, which was used so far. */
export interface UsedBefore {
  /** Its address. */
  readonly endpoint?: string | undefined;
}

/**
 * An address that comes from the environment must be the one in the state, since no preview showed the difference.
 * @throws {Error} naming both addresses.
 */
export function requireSameAddress(what: string, inUse: Connection, before: string | undefined): void {
  if (!inUse.fromEnvironment || before === undefined || before === inUse.endpoint) return;
  throw new Error(
    `${what} is at ${before} by the state, but the environment names ${inUse.endpoint}: nothing was sent. Set the environment back, or put the new address into the stack's configuration, where a preview shows it.`,
  );
}

/**
 * Records what an old state holds, which is not foreign to whatever takes it over: a replacement that is created before the
 * old resource goes, another entry of a loop whose index shifts, a signaling under another name.
 *
 * @param connection the old `node` or `receiver`; nothing is recorded while it is unknown
 */
export function remember(connection: unknown, record: () => void): void {
  // An old connection that is no longer in the configuration is reported when it is needed.
  if (!hasUnknown(connection)) attempt(record);
}
