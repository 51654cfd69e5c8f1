/**
 * The line that stands in the state of every resource; the engine hands it to the Node SDK's dynamic-provider server.
 * It never changes: see `docs/contributing/decisions/provider-text.md`.
 */
export function providerText(type: string): string {
  return `exports.handler=()=>require("pulumi-packetfilter/provider").get("${type}")`;
}

/** Under this name a class says more than the arguments of its resource. The check takes it out: it is in no state. */
export const SAID_KEY = "__said";

/** Marks of a class for its resource. */
export interface Said {
  /** The resource's name in the program. */
  readonly name?: string;
  /** `ignoreChanges` covers all entries of a set, or the prefixes of a signaling (`true`), or these prefixes of a group's. */
  readonly ignored?: true | readonly string[];
  /**
   * A create meets the same entries in the preview and in the `up`, since the resource waits for none of others, which may make a set
   * or empty it.
   */
  readonly decides?: true;
}
