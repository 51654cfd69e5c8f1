// Made from the schemas beside it by `npx vitest run test/types/schema-types.test.ts -u`.

export interface TrafficRequest {
  /** What the packets are like. */
  readonly kind: "background" | "synFlood" | "dnsAmplification" | "carpetBombing";
  /** Prefixes of recipients. */
  readonly to: readonly string[];
  /** Prefixes of senders; default: documentation prefixes. */
  readonly from?: readonly string[];
  /** How many packets. */
  readonly count: number;
  /** Default: the emulator's seed. */
  readonly seed?: number;
}
