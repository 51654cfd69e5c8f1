// Made from the schemas beside it by `npx vitest run test/types/schema-types.test.ts -u`.
import type { PrefixLike } from "../../model/given-entries";

/** Traffic to generate in the emulator: kind, recipients, senders and number of packets. */
export interface TrafficRequest {
  /** Kind of the packets. */
  readonly kind: "background" | "synFlood" | "dnsAmplification" | "carpetBombing";
  /** Prefixes of recipients. */
  readonly to: readonly PrefixLike[];
  /** Prefixes of senders; default: documentation prefixes. */
  readonly from?: readonly PrefixLike[];
  /** Number of packets. */
  readonly count: number;
  /** Default: the emulator's seed. */
  readonly seed?: number;
}
