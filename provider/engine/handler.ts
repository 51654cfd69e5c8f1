import type { JsonObject } from "../model/json";
import type { Said } from "./provider-text";

/** Facts about a resource beside its arguments. */
export interface About extends Said {
  /** The resource's urn; the server of dynamic resources does not know it. */
  readonly urn?: string;
}

/** Result of `check`: the normal inputs, or sentences about their faults. */
export interface Checked {
  readonly inputs: JsonObject;
  readonly problems: readonly string[];
}

/** Result of a look at the node or receiver. */
export interface LookedAt {
  /** Text for people about entries that an `up` restores: it causes an update. */
  readonly restores?: string;
  /** True if it names other values, which an `up` leaves where the program ignores their changes. */
  readonly hasValues?: boolean;
  /** Reasons why the `up` would fail, as sentences. */
  readonly problems?: readonly string[];
}

/**
 * Knowledge of a preview about what a create in the `up` will meet: the same answer to the look; the same entries, if the set is
 * there by then; or nothing, since another resource is to come first.
 */
export type Foresight = "answer" | "entries" | "nothing";

/** Result of `diff`; without `changes` the engine compares the inputs by key. */
export interface Compared {
  /** True if there is something to do. */
  changes?: boolean;
  /** True if another address of the node or receiver is a cause: what is missing there was never lost. */
  moved?: boolean;
  /** Arguments whose change replaces the resource. */
  replaces?: string[];
}

/**
 * Lifecycle of a resource, independent of Pulumi. Every method is a boundary: it reads plain JSON into
 * typed values first, and turns them back into plain JSON last.
 */
export interface Handler {
  /** Names of its arguments. */
  readonly args: readonly string[];
  /** Inputs of a state, as the program wrote them, in the canonical form of all other methods; a check has passed them. */
  normal(inputs: JsonObject): JsonObject;
  /** Checks and normalises; sends nothing. */
  check(olds: JsonObject, news: JsonObject, about?: About): Checked;
  /**
   * Addresses of the nodes or of the receiver, by the name of the output that has them. Nothing while one is unknown, and for one
   * that comes from the environment, which no diff may show.
   */
  addresses(inputs: JsonObject): JsonObject;
  /**
   * Looks at the node or receiver, after a check without problems; changes nothing.
   *
   * @param olds Inputs of the state; empty for a new resource.
   */
  look?(olds: JsonObject, inputs: JsonObject, foresight: Foresight): Promise<LookedAt>;
  /** Compares outputs of the state with checked inputs; sends nothing. */
  diff(olds: JsonObject, news: JsonObject, about?: About): Compared;
  create(inputs: JsonObject): Promise<{ id: string; outs: JsonObject }>;
  /** `undefined` if the object is gone; an error never means that. */
  read(id: string, props: JsonObject): Promise<{ id: string; props: JsonObject; inputs: JsonObject } | undefined>;
  update(id: string, olds: JsonObject, news: JsonObject, about?: About): Promise<{ outs: JsonObject }>;
  delete(id: string, props: JsonObject): Promise<void>;
}

/** The object exists, but not as wanted. The engine keeps `outputs` as the state and forces an update next time. */
export class PartialFailure extends Error {
  override readonly name = "PartialFailure";
  constructor(
    message: string,
    readonly id: string | undefined,
    readonly outputs: JsonObject,
    /** Failures, one by one; the engine lists them. */
    readonly reasons: readonly string[] = [message],
  ) {
    super(message);
  }
}
