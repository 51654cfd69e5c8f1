import type { DialectName } from "../../provider/emulator";

/**
 * Makes of nodes that answer otherwise than the emulator's default, each with the settings that `probe --write` finds for it
 * (test/e2e/guides-start.test.ts asks the first of them by the guide, test/commands/makes.test.ts all).
 */
export const MAKES = {
  /** Lists ranges with values in hex, deeper down, and shows what is staged; small requests only. */
  "seed:2": { maxBytesPerRequest: 16_384, maxEntriesPerRequest: 100, answers: { empty: "{}" } },
  /** Refuses what is there already or is not there; lists ranges in pairs. */
  "seed:4": { maxBytesPerRequest: 16_384 },
  /** Lists entries as texts, answers errors as pages, and shows what is staged. */
  "seed:6": {},
  /** Lists addresses as integers with netmasks, and refuses to commit or delete nothing; the only one here that redirects nothing. */
  "seed:10": { maxBytesPerRequest: 16_384, maxEntriesPerRequest: 100 },
  /** Wants each spelling of a url as the contract has it, and removes with a prefix what it covers. */
  "seed:34": { maxBytesPerRequest: 16_384 },
} as const satisfies Partial<Record<DialectName, object>>;

export type Make = keyof typeof MAKES;
