/**
 * The line that stands in the state of every resource; the engine hands it to the Node SDK's dynamic-provider server.
 * It never changes: see `docs/decisions/provider-text.md`.
 */
export function providerText(type: string): string {
  return `exports.handler=()=>require("pulumi-packetfilter/provider").get("${type}")`;
}

/** The type token of a resource, as states, policies and `--target` know it. */
export function typeToken(type: string): string {
  return `pulumi-nodejs:dynamic/packetfilter:${type}`;
}

/**
 * Tells the check that `ignoreChanges` covers all entries of a set (`true`), or of a group's which (their prefixes). The check
 * takes it out: it is in no state.
 */
export const IGNORED_KEY = "__ignoreChanges";

/**
 * The hidden input by which a `PrefixSetFleet` tells each of its groups the nodes of the others. The check takes it out: it
 * is in no state.
 */
export const OTHER_WAVES_KEY = "__otherWaves";
