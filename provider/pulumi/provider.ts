import * as pulumi from "@pulumi/pulumi";
import { isSecretSetting } from "../engine/secret-names";
import { plainArguments } from "./plain";
import type {
  Inputs,
  NodeArgs,
  PrefixInput,
  ReceiverArgs,
  ShortestPrefix,
  UnnamedNodeArgs,
  UnnamedReceiverArgs,
} from "./types";

/** The configuration of a {@link Provider}: the keys of the namespace `packetfilter` (docs/configuration.md). */
export interface ProviderArgs {
  /** The node's base url, with or without `/fapi`. Default: `PACKETFILTER_ENDPOINT`. */
  endpoint?: pulumi.Input<string>;
  /** Further request headers of that node. Kept as a secret. Default: `PACKETFILTER_HEADERS`, which no state keeps. */
  headers?: pulumi.Input<Record<string, pulumi.Input<string>>>;
  /** Every other member of that node, with the names and defaults that those of `nodes` have. Kept as a secret. */
  node?: pulumi.Input<UnnamedNodeArgs>;
  /** The receiver's base url, without client id and secret key. Default: `PACKETFILTER_SIGNALING_URL`. */
  signalingUrl?: pulumi.Input<string>;
  /** The client of the receiver. Default: `PACKETFILTER_CLIENT_ID`. */
  clientId?: pulumi.Input<string>;
  /** Its secret key. Kept as a secret. Default: `PACKETFILTER_SECRET_KEY`, which no state keeps. */
  secretKey?: pulumi.Input<string>;
  /** Every other member of that receiver, with the names and defaults that those of `receivers` have. Kept as a secret. */
  receiver?: pulumi.Input<UnnamedReceiverArgs>;
  /** Nodes by name, which resources choose by `node: "fra1"`. Kept as a secret. */
  nodes?: pulumi.Input<Record<string, pulumi.Input<NodeArgs>>>;
  /** Receivers by name, which resources choose by `receiver: "main"`. Kept as a secret. */
  receivers?: pulumi.Input<Record<string, pulumi.Input<ReceiverArgs>>>;
  /** No entry of any set may overlap one of these. */
  forbiddenPrefixes?: pulumi.Input<PrefixInput[]>;
  /** Every `PrefixSet` and `PrefixSetGroup` must cover each of these. */
  requiredPrefixes?: pulumi.Input<PrefixInput[]>;
  /** Prefix lengths in bits, by family; shorter prefixes fail in every set. 1 allows entries that cover more than a quarter of a family. Default: none. */
  shortestPrefix?: pulumi.Input<Inputs<ShortestPrefix>>;
  /** More entries of a `PrefixSet` or `PrefixSetGroup` fail. Default: none. */
  maxEntries?: pulumi.Input<number>;
  /** More removals fail, of all resources of a deployment together: a number of entries, or percent of what a set held. Default: none. */
  maxRemovals?: pulumi.Input<number | string>;
  /** More entries that get another value fail, of all resources of a deployment together: a number or percent. Default: none. */
  maxChanges?: pulumi.Input<number | string>;
  /** `true`: refresh and preview work, nothing is changed anywhere. */
  readOnly?: pulumi.Input<boolean>;
  /** A file that gets one line of JSON for each mutation. */
  auditLog?: pulumi.Input<string>;
  /** `true`: every address of the configuration is a machine of its own. */
  distinctNodes?: pulumi.Input<boolean>;
  /** Whether a plain run looks at the nodes: `auto` (default), `off` or `require`. */
  detectDrift?: pulumi.Input<"auto" | "off" | "require">;
}

/**
 * A provider with a configuration of its own. A resource that gets it as its option `provider` is one of the plugin `packetfilter`;
 * any other is a dynamic one, with the configuration of the stack (docs/contributing/decisions/plugin.md).
 *
 * @example
 * ```ts
 * const eu = new Provider("eu", { endpoint: "https://192.0.2.10" });
 * new PrefixSet("blocked", { arena: "edge", set: "blocked", entries: ["203.0.113.0/24"] }, { provider: eu });
 * ```
 */
export class Provider extends pulumi.ProviderResource {
  /**
   * @param name The provider's name in the stack.
   */
  constructor(name: string, args: ProviderArgs = {}, options?: pulumi.ResourceOptions) {
    const plain = plainArguments(args, `Provider "${name}"`);
    const given = Object.entries(plain).filter(([, value]) => value !== undefined);
    super("packetfilter", name, Object.fromEntries(given.map(([key, value]) => [key, onWire(key, value)])), options);
  }
}

/** The configuration of a provider consists of texts: other values become JSON. */
function onWire(key: string, value: unknown): pulumi.Output<string> {
  return pulumi.output(value as pulumi.Input<string>).apply((known) => {
    const text = typeof known === "string" ? known : JSON.stringify(known);
    return isSecretSetting(key, text) ? pulumi.secret(text) : pulumi.output(text);
  });
}
