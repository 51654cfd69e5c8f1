import type { DialectName } from "../../provider/emulator";

/**
 * Makes of nodes that answer otherwise than the emulator's default, each with the settings that `probe --write` finds for it,
 * as test/commands/makes.long.test.ts shows.
 */
export const MAKES = {
  /** Lists entries keyed by prefix, with values in hex and deeper down, and shows what is staged; small requests only. */
  "seed:2": { maxBytesPerRequest: 16_384, maxEntriesPerRequest: 100, answers: { empty: "{}" } },
  /** Refuses what is there already or is not there; lists entries as pairs. */
  "seed:4": { maxBytesPerRequest: 16_384, insertExisting: "error" },
  /** Lists entries as texts, answers errors as pages, and shows what is staged. */
  "seed:6": {},
  /** Lists entries keyed by prefix, and refuses to commit or delete nothing; the only one here that redirects nothing. */
  "seed:10": { maxBytesPerRequest: 16_384, maxEntriesPerRequest: 100 },
  /** Wants each spelling of a url as the contract has it, and removes with a prefix what it covers. */
  "seed:34": { maxBytesPerRequest: 16_384 },
} as const satisfies Partial<Record<DialectName, object>>;

export type Make = keyof typeof MAKES;
