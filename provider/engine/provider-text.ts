/**
 * The line in the state of every resource; the engine passes it to the Node SDK's dynamic-provider server.
 * It never changes: see `docs/contributing/decisions/provider-text.md`.
 */
export function providerText(type: string): string {
  return `exports.handler=()=>require("pulumi-packetfilter/provider").get("${type}")`;
}

/** Input with marks of a class for its resource. The check removes it, so that no state has it. */
export const SAID_KEY = "__said";

/** Marks of a class for its resource. */
export interface Said {
  /** The resource's name in the program. */
  readonly name?: string;
  /** Stack, project, type and name, where there is no urn: what a killed run of the resource has sent is found by it. */
  readonly owner?: string;
  /** `ignoreChanges` covers all entries of a set, or the prefixes of a signaling (`true`), or these prefixes of a group's. */
  readonly ignored?: true | readonly string[];
  /** The option `ignoreChanges`, to be compared with the state. */
  readonly paths?: readonly string[];
  /**
   * In a preview: true if a create meets the same entries in preview and `up`, false if the resource waits for another one, which
   * may make or empty the set. Without it, what the plugin knows of the preview decides.
   */
  readonly decides?: boolean;
}
