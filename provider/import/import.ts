import { randomUUID } from "node:crypto";
import { formatUrl } from "../model/resource-url";
import { SIGNALING } from "./names";
import { type DeclaredSet, prefixFile, programText } from "./program";
import { asDynamic, asNative, equalSets, type ImportedResource, signaling, singleEntries, wholeSet } from "./resources";
import type { HeldSet, Holdings } from "./source";

/** The way in which the content of a node is declared. */
export interface ImportOptions {
  /** Url of each set, or `signaling`, to the name of its resource. */
  readonly names: ReadonlyMap<string, string>;
  /** Each set as one `PrefixSet`, each entry as a `PrefixSetEntry`, or sets that are equal on several nodes as one `PrefixSetGroup`. */
  readonly as: "set" | "entries" | "group";
  /** Name from the stack's configuration, for the argument `receiver`. */
  readonly receiver?: string;
  /** False for an import with `--protect=false`; by default the program keeps the protection that `pulumi import` gives. */
  readonly isProtected?: boolean;
  /** True for resources of the plugin: then there is no program, which `pulumi import` makes in the language of the stack. */
  readonly isNative?: boolean;
  /** Makes the id of a signaling resource. */
  readonly id?: () => string;
}

/**
 * The import file of `pulumi import --file` and, for dynamic resources, the program that matches it. Inputs and outputs are those that a refresh
 * would leave, so that the preview after it is empty. Nothing secret is in them.
 *
 * @returns how many resources are declared, and `files`, name to content, with a prefix file for each large set
 */
export function importFiles(holdings: Holdings, options: ImportOptions) {
  const { receiver, isProtected = true, isNative = false } = options;
  const declared = declarations(holdings, options);
  const sets = declared.map(({ set }) => set);
  requireDistinct(sets.map(({ name }) => name));
  const resources = declared.flatMap(({ set, all }): ImportedResource[] => {
    if (set.nodes) return [equalSets(all, set.name)];
    return set.as === "set" ? [wholeSet(set.held, set.name)] : singleEntries(set.held, set.name);
  });
  const active = holdings.signaling && {
    name: nameOf(options, SIGNALING),
    endpoint: holdings.signaling.endpoint,
    prefixes: holdings.signaling.prefixes.map((prefix) => prefix.toString()),
  };
  if (active) {
    // As a read of the plugin would find it.
    const id = isNative ? active.prefixes.join(",") : (options.id ?? randomUUID)();
    resources.push(signaling(active.prefixes, { ...active, id, ...(receiver !== undefined && { receiver }) }));
  }
  const importFile = json({ resources: resources.map(isNative ? asNative : asDynamic) });
  if (isNative) return { resources: resources.length, files: new Map([["import.json", importFile]]) };
  return {
    resources: resources.length,
    files: new Map([
      ["import.json", importFile],
      ["index.ts", programText({ receiver, sets, signaling: active, isProtected })],
      ...sets.flatMap((set): [string, string][] => {
        const file = prefixFile(set);
        return file === undefined ? [] : [[file, json(Object.fromEntries(set.held.entries))]];
      }),
    ]),
  };
}

/** Sets as they are declared, each with the sets that it replaces. */
function declarations({ sets, isOfSeveral }: Holdings, options: ImportOptions) {
  const { as } = options;
  const groups = new Map<string, [HeldSet, ...HeldSet[]]>();
  for (const held of sets) {
    const url = formatUrl(held.url);
    const key = JSON.stringify(as === "group" ? [url, ...held.entries] : [url, held.endpoint]);
    const group = groups.get(key);
    if (group) group.push(held);
    else groups.set(key, [held]);
  }
  const found = [...groups.values()];
  return found.map((all): { set: DeclaredSet; all: [HeldSet, ...HeldSet[]] } => {
    const [held] = all;
    const url = formatUrl(held.url);
    const name = nameOf(options, url);
    const isGroup = as === "group" && all.length > 1;
    // If several groups have one set, each but the first is named after its first node.
    const isFirst = isGroup && found.find((one) => one.length > 1 && formatUrl(one[0].url) === url) === all;
    const declared = { held, name: isOfSeveral && !isFirst ? `${name}-${held.node}` : name };
    const nodes = all.flatMap(({ node }) => node ?? []);
    return { set: { ...declared, as: as === "entries" ? as : "set", ...(isGroup && { nodes }) }, all };
  });
}

/** With the node behind it a name may be that of another set. */
function requireDistinct(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined)
    throw new TypeError(
      `Two sets would both be named ${JSON.stringify(twice)}: choose other names with --name URL=NAME.`,
    );
}

function nameOf({ names }: ImportOptions, subject: string): string {
  const name = names.get(subject);
  if (name === undefined) throw new TypeError(`${subject} has no name among those of the import.`);
  return name;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
