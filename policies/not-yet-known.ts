import { UNKNOWN } from "../provider/model/json";

/**
 * Thrown in a preview if a rule reads a property whose value only the update will know. The rule reports that it was not
 * judged; the other rules go on.
 *
 * @example
 * ```ts
 * if (entries.some(({ notes }) => notes === undefined)) throw new NotYetKnown("notes");
 * ```
 */
export class NotYetKnown extends Error {
  override readonly name = "NotYetKnown";

  constructor(
    /** The property, for example `entries`. */
    readonly property: string,
  ) {
    super(`\`${property}\` is not known before the update`);
  }
}

// The engine's constants in place of unknown values, one for each type, fixed by its protocol.
const MARKERS = new Set<unknown>([
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  UNKNOWN,
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

/** True for a value that is not known before the update. */
export function isUnknown(value: unknown): boolean {
  return typeof value === "string" && MARKERS.has(value);
}
