import * as pulumi from "@pulumi/pulumi";
import { parseEndpoint, parseNodeEndpoint } from "../client/endpoint";
import { DeploymentFolder, sharedFolder } from "../deployment/other-processes";
import { isObject, type JsonObject } from "../model/json";
import { type HostBits, Prefix } from "../model/prefix";
import { formatUrl, setUrl } from "../model/resource-url";
import { KeyRegistry, SIGNALING } from "../reconcile/desired";
import { normaliseEntries } from "../reconcile/entries";
import { settled } from "./inputs";
import { type Run, theRun } from "./run";
import { pulumiHome } from "./settings";

/** Messages of each run, in one file. */
const folders = new WeakMap<Run, DeploymentFolder>();

/**
 * Warns of a new resource that this run leaves out, and sends its wanted entries to the provider processes: they see no check
 * of it, and a resource that holds these entries under a former name may be deleted in the same run.
 *
 * @param engine Address that the engine serves for this deployment.
 * @param native True for a resource with a provider of its own, whose nodes the program does not know: its entries stay at any.
 */
export async function sayLeftOut(
  type: string,
  name: string,
  args: JsonObject,
  { engine, native }: { readonly engine: string; readonly native: boolean },
): Promise<void> {
  const run = theRun();
  const all = await desiredBy(type === "CloudSignaling", args, native ? undefined : run);
  const desired = all.filter(({ prefixes }) => prefixes.length > 0);
  if (desired.length === 0) return;
  await pulumi.log.warn(
    `${type} "${name}" is left out of this run (--target, --exclude), and is not in the stack yet: nothing is inserted for it. Entries that it declares and that a resource deleted in this run holds stay at the node; a destroy without --run-program removes them.`,
  );
  if (pulumi.runtime.isDryRun()) return;
  const folder = folders.get(run) ?? new DeploymentFolder({ address: engine }, sharedFolder(pulumiHome()));
  folders.set(run, folder);
  for (const { endpoint, object, prefixes } of desired) {
    const places = endpoint === undefined ? [] : [{ endpoint }];
    new KeyRegistry("desired", folder).addAll(places, object, new Set(prefixes));
  }
}

/** Wanted prefixes by place; none while arguments are unknown or invalid, which the resource's own check reports later. */
async function desiredBy(isSignaling: boolean, args: JsonObject, run: Run | undefined) {
  const given = await settled(args);
  if (!given.known) return [];
  const { hostBits, entries, prefix, prefixes, expires, nodes, ...place } = given.value as Readonly<
    Record<string, unknown>
  >;
  const bits = hostBits === "mask" ? hostBits : undefined;
  if (isSignaling) {
    const receiver = run?.receiver(place.receiver);
    if (!Array.isArray(prefixes)) return [];
    const endpoint = receiver && parseEndpoint(receiver.options.url, "url").shown;
    return [{ endpoint, object: SIGNALING, prefixes: prefixes.map((it) => canonical(it, bits)) }];
  }
  const url = setUrl(place);
  if (!url) return [];
  const declared = entries ?? { [String(prefix)]: expires === undefined ? 1 : { expires } };
  const desiredOf = (some: unknown) => [
    ...(normaliseEntries(some, { hostBits: bits, now: Date.now() })?.entries.keys() ?? []),
  ];
  const common = desiredOf(declared);
  return placesOf(place.node, nodes).flatMap(([name, own]) => {
    const node = run?.set(url, name)?.node;
    const endpoint = node && parseNodeEndpoint(node.options.endpoint).shown;
    const more = isObject(own) && own.entries !== undefined ? desiredOf(own.entries) : [];
    return { endpoint, object: formatUrl(url), prefixes: [...common, ...more] };
  });
}

/** The node of a resource, or the nodes of a group with their overrides. */
function placesOf(node: unknown, nodes: unknown): (readonly [node: unknown, own: unknown])[] {
  if (Array.isArray(nodes)) return nodes.map((name) => [name, {}]);
  return isObject(nodes) ? Object.entries(nodes) : [[node, {}]];
}

function canonical(spelling: unknown, hostBits: HostBits | undefined): string {
  return Prefix.canonical(String(spelling), hostBits ? { hostBits } : {});
}
