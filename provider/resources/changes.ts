import type { Connection } from "../deployment/connections";
import type { Runtime } from "../deployment/runtime";
import type { About, Compared, Handler } from "../engine/handler";
import { attempt } from "../model/errors";
import { hasUnknown, type JsonObject, sameJson } from "../model/json";
import { RESTORES } from "../reconcile/drift";
import { GIVEN_KEY } from "../reconcile/written-inputs";

/** State and program as plain JSON for a comparison, since every argument counts. */
export interface Comparison {
  /** Outputs of the state. */
  readonly olds: JsonObject;
  /** Checked inputs of the program. */
  readonly news: JsonObject;
  /** Outputs that are not arguments. */
  readonly outputs: readonly string[];
  /** Arguments whose change means another object. */
  readonly identity: readonly string[];
  /** `node` or `receiver`; absent for a group, which keeps its identity with other nodes. */
  readonly connection?: "node" | "receiver";
  /** Called for a replacement: reports obstacles to the delete before anything is sent. @throws {Error} with the ways out */
  readonly leave: () => void;
  /** Called if nothing changes, since the engine will not call the resource again. */
  readonly withdraw?: () => void;
  /** For a group: true if its nodes have other addresses than in the state. */
  readonly hasMoved?: () => boolean;
  /** Name of the object in messages, once the arguments are those of the program: a refresh compares with those of the last run. */
  readonly ofProgram?: string | undefined;
  readonly runtime: Pick<Runtime, "isPreview" | "node" | "receiver" | "notices">;
  readonly about?: About | undefined;
}

/** Outputs of a run that did not reach its goal. */
export const OPEN_MATTERS = ["unsettled", "adopted", "absent", "lost", "unreached", "failed"] as const;

/**
 * Equal arguments are not a change. If they differ, `changes` stays undefined: then the engine compares the inputs by key and
 * shows single entries. Only matters of the outputs (an adoption, an unsettled write, a moved address) are reported as a change.
 *
 * @throws {Error} if the environment names another address than the state, which no diff may show
 */
export function compare(comparison: Comparison): Compared {
  const { olds, news, outputs, identity, connection, runtime, about, hasMoved, leave, withdraw, ofProgram } =
    comparison;
  const [from, to] = connection ? [olds[connection], news[connection]] : [];
  const inUse = connection && !hasUnknown(to) ? runtime[connection](to) : undefined;
  // An unknown argument of the program counts as another object, so that a preview shows a replacement. The engine also asks with
  // unknowns of its own, when a dependency is replaced: there a replacement would delete the resource first.
  const isDecided = (key: string) => runtime.isPreview(about) || !hasUnknown(news[key]);
  const replaces = identity.filter((key) => !sameJson(olds[key], news[key]) && isDecided(key));
  if (connection && typeof from === "string" && typeof to === "string" && from !== to && isDecided(connection))
    replaces.push(connection);
  if (replaces.length > 0) {
    leave();
    return { replaces };
  }
  if (inUse && ofProgram !== undefined) requireSameAddress(ofProgram, inUse, olds.endpoint);
  const moved = hasMoved?.() ?? (inUse !== undefined && !inUse.fromEnvironment && olds.endpoint !== inUse.endpoint);
  if (moved && inUse)
    runtime.notices.report({ kind: "movedPlan", at: inUse.label, from: String(olds.endpoint), to: inUse.endpoint });
  const equal = [...new Set([...Object.keys(olds), ...Object.keys(news)])]
    .filter((key) => !outputs.includes(key) && key !== GIVEN_KEY)
    .every((key) => sameJson(olds[key], news[key]));
  // An input of this run is a line by itself; with `changes` the engine prints every entry of a dynamic resource.
  const isOpen = OPEN_MATTERS.some((key) => olds[key] !== undefined);
  if (isOpen) return news[RESTORES] === undefined ? { changes: true } : {};
  // The address of a dynamic resource is an input, and so a line by itself. A group may have left something open at an equal one.
  if (moved && equal) return news.endpoint !== undefined ? { moved } : { changes: true };
  if (!equal) return moved ? { moved } : {};
  withdraw?.();
  return { changes: false };
}

/** The address of a node or receiver, for {@link Handler.addresses}. */
export function addressOf(
  runtime: Pick<Runtime, "node" | "receiver">,
  inputs: JsonObject,
  connection: "node" | "receiver" = "node",
): JsonObject {
  if (hasUnknown(inputs[connection])) return {};
  const { fromEnvironment, endpoint } = runtime[connection](inputs[connection]);
  return fromEnvironment ? {} : { endpoint };
}

/** True if the inputs of a state have another address than this one, and false if they have none. */
export function hasOtherAddress(
  { endpoint: before }: JsonObject,
  { endpoint }: { readonly endpoint: string },
): boolean {
  return before !== undefined && before !== endpoint;
}

/** Node or receiver of the state, which was used so far. */
export interface UsedBefore {
  readonly endpoint?: string | undefined;
}

/** @throws {Error} if an address of the environment is not that of the state, since no preview showed the difference */
export function requireSameAddress(what: string, inUse: Connection, before: unknown): void {
  if (!inUse.fromEnvironment || before === undefined || before === inUse.endpoint) return;
  throw new Error(
    `${what} is at ${before} according to the state, but the environment names ${inUse.endpoint}: nothing was sent. Restore the environment, or write the new address into the stack's configuration, where a preview shows it.`,
  );
}

/**
 * Records the content of an old state, so that it is not foreign to a successor: a replacement, another entry of a loop with
 * a shifted index, a signaling under another name.
 *
 * @param connection The old `node` or `receiver`; nothing is recorded while it is unknown.
 */
export function remember(connection: unknown, record: () => void): void {
  // An old connection that left the configuration is reported when it is needed.
  if (!hasUnknown(connection)) attempt(record);
}
