import type { JsonObject } from "../../../provider/model/json";
import type { TypeName } from "../scenario";

/** A resource as the engine names it. */
export interface Subject {
  readonly type: TypeName;
  readonly name: string;
  readonly urn: string;
}

/** Answer to `diff`. */
interface Comparison {
  /** Absent: the engine compares the inputs. */
  readonly changes?: boolean;
  readonly replaces: readonly string[];
}

/** A failed create or update after which the resource exists. */
export class Partial extends Error {
  constructor(
    message: string,
    readonly id: string | undefined,
    readonly outputs: JsonObject,
  ) {
    super(message);
  }
}

/** The process was killed while a call was open. */
export class Killed extends Error {}

/**
 * Calls of the engine in a provider process, whatever carries them. Inputs and outputs are as the state keeps them. The paths of
 * `ignoreChanges` reach a plugin only.
 */
export interface Door {
  /** True if creates and updates are called in a preview, too. */
  readonly previews: boolean;
  check(
    subject: Subject,
    olds: JsonObject,
    news: JsonObject,
  ): Promise<{ inputs: JsonObject; failures: readonly string[] }>;
  diff(
    subject: Subject,
    id: string,
    old: { inputs: JsonObject; outputs: JsonObject },
    news: JsonObject,
    ignoreChanges: readonly string[],
  ): Promise<Comparison>;
  create(subject: Subject, inputs: JsonObject, preview: boolean): Promise<{ id: string; outputs: JsonObject }>;
  read(
    subject: Subject,
    id: string,
    old: { inputs: JsonObject; outputs: JsonObject },
  ): Promise<{ id: string; inputs?: JsonObject; outputs: JsonObject }>;
  update(
    subject: Subject,
    id: string,
    old: { inputs: JsonObject; outputs: JsonObject },
    news: JsonObject,
    preview: boolean,
    ignoreChanges: readonly string[],
  ): Promise<JsonObject>;
  delete(subject: Subject, id: string, outputs: JsonObject): Promise<void>;
}
