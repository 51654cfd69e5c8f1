import type { JsonObject } from "../../../provider/model/json";
import type { ResourceOptions, TypeName } from "../scenario";

/** A resource as the state holds it. */
export interface Kept {
  readonly type: TypeName;
  readonly name: string;
  readonly urn: string;
  readonly id: string;
  readonly inputs: JsonObject;
  readonly outputs: JsonObject;
  readonly protect: boolean;
  readonly retainOnDelete: boolean;
  readonly instance: number | undefined;
  /** The last operation ended half-way: the next run updates it, whatever `diff` says. */
  readonly failed?: true;
  /** Replaced, and still to be deleted. */
  readonly replaced?: true;
}

/** The snapshot of a stack. */
export interface State {
  readonly resources: readonly Kept[];
  /** Settings of the provider by the last `up`, which refresh and destroy use. */
  readonly config: JsonObject | undefined;
}

export const EMPTY: State = { resources: [], config: undefined };

/** Members of a new state that the program's options decide. */
export function optionsIn(options: ResourceOptions = {}): Pick<Kept, "protect" | "retainOnDelete" | "instance"> {
  const { protect = false, retainOnDelete = false, instance } = options;
  return { protect, retainOnDelete, instance };
}
