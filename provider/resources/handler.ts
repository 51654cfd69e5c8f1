import type { JsonObject } from "../model/json";
import type { Said } from "./provider-text";

/** Facts about a resource beside its arguments. */
export interface About extends Said {
  /** Which resource of the stack it is; the server of dynamic resources does not tell. */
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
  readonly putsBack?: string;
  /** Why the `up` would fail, in sentences. */
  readonly problems?: readonly string[];
}

/** Result of `diff`; without `changes` the engine compares the inputs by key. */
export interface Compared {
  /** Whether there is something to do. */
  changes?: boolean;
  /** The arguments for which it is replaced. */
  replaces?: string[];
}

/**
 * Lifecycle of a resource, independent of Pulumi. Every method is a boundary: it reads plain JSON into
 * typed values first, and turns them back into plain JSON last.
 */
export interface Handler {
  /** Checks and normalises; sends nothing. */
  check(olds: JsonObject, news: JsonObject, about?: About): Checked;
  /**
   * Looks at what is there, once the inputs are in order; asks only.
   *
   * @param olds Inputs of the state; none of a new resource.
   * @param isDecided True in a preview where what a create meets now is what it meets in the `up`.
   */
  look?(olds: JsonObject, inputs: JsonObject, isDecided: boolean): Promise<LookedAt>;
  /** Compares outputs of the state with checked inputs; sends nothing. */
  diff(olds: JsonObject, news: JsonObject, about?: About): Compared;
  create(inputs: JsonObject): Promise<{ id: string; outs: JsonObject }>;
  /** `undefined` when the object is gone, which no error ever means. */
  read(id: string, props: JsonObject): Promise<{ id: string; props: JsonObject; inputs: JsonObject } | undefined>;
  update(id: string, olds: JsonObject, news: JsonObject): Promise<{ outs: JsonObject }>;
  delete(id: string, props: JsonObject): Promise<void>;
}

/**
 * The object exists, but not as wanted. The engine keeps `outputs` as the state and forces an update next time.
 */
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
