/**
 * Entry point of the Pulumi engine to the resources. Every state of every stack names this module in one
 * constant line, so its path and `get` are a contract for ever, and handlers accept the states of all earlier versions.
 */

import { providerProcess } from "./deployment/provider-process";
import type { Runtime } from "./deployment/runtime";
import { type DynamicProvider, dynamicProvider } from "./engine/dynamic-provider";
import type { Handler } from "./engine/handler";
import { keepingSecrets } from "./engine/keeping-secrets";
import { CloudSignalingHandler } from "./resources/cloud-signaling/handler";
import { PrefixSetHandler } from "./resources/prefix-set/handler";
import { PrefixSetEntryHandler } from "./resources/prefix-set-entry/handler";
import { PrefixSetGroupHandler } from "./resources/prefix-set-group/handler";

const HANDLERS: Readonly<Record<string, new (runtime: Runtime) => Handler>> = {
  PrefixSet: PrefixSetHandler,
  PrefixSetEntry: PrefixSetEntryHandler,
  PrefixSetGroup: PrefixSetGroupHandler,
  CloudSignaling: CloudSignalingHandler,
};

/** One of each type for a deployment: what a handler remembers from one call of the engine to the next is of all its resources. */
const made = new WeakMap<Runtime, Map<string, DynamicProvider>>();

/**
 * The provider object of a resource type, for the dynamic-provider server of Pulumi's Node SDK.
 *
 * @param type `PrefixSet`, `PrefixSetEntry`, `PrefixSetGroup` or `CloudSignaling`
 * @throws {Error} for any other type: then the state was written by a newer version of this package.
 * @example
 * ```ts
 * module.exports.handler = () => require("pulumi-packetfilter/provider").get("PrefixSet");
 * ```
 */
export function get(type: string): DynamicProvider {
  const Resource = HANDLERS[type];
  if (!Resource) {
    throw new Error(
      `pulumi-packetfilter knows no resource type ${JSON.stringify(type)}: install the version of the package that made it, or a newer one.`,
    );
  }
  const runtime = providerProcess();
  const known = made.get(runtime) ?? new Map<string, DynamicProvider>();
  const provider = known.get(type) ?? keepingSecrets(dynamicProvider(new Resource(runtime), runtime), runtime.secrets);
  made.set(runtime, known.set(type, provider));
  return provider;
}
