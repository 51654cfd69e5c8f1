import { randomUUID } from "node:crypto";
import { formatUrl } from "../model/resource-url";
import { SIGNALING } from "./names";
import { type DeclaredSet, prefixFile, programText } from "./program";
import { type ImportedResource, signaling, singleEntries, wholeSet } from "./resources";
import type { Holdings } from "./source";

/** How what a node holds is to be declared. */
export interface ImportOptions {
  /** Url of each set, or `signaling`, to the name of its resource. */
  readonly names: ReadonlyMap<string, string>;
  /** Each set as one `PrefixSet`, or each entry as a `PrefixSetEntry`. */
  readonly as: "set" | "entries";
  /** Name from the stack's configuration, for the argument `receiver`. */
  readonly receiver?: string;
  /** False for an import with `--protect=false`; by default the program keeps the protection that `pulumi import` gives. */
  readonly isProtected?: boolean;
  /** Makes the id of a signaling resource. */
  readonly id?: () => string;
}

/** Files that belong together, and how many resources they declare. */
export interface ImportFiles {
  /** Name to content: `import.json`, `index.ts`, and a prefix file for each large set. */
  readonly files: ReadonlyMap<string, string>;
  readonly resources: number;
}

/**
 * The import file of `pulumi import --file` and the program that matches it. Inputs and outputs are those that a refresh
 * would leave, so that the preview after it is empty. Nothing secret is in them.
 */
export function importFiles(holdings: Holdings, options: ImportOptions): ImportFiles {
  const { receiver, as, isProtected = true } = options;
  const sets = holdings.sets.map((held): DeclaredSet => {
    const name = nameOf(options, formatUrl(held.url));
    return { held, name: holdings.isOfSeveral ? `${name}-${held.node}` : name, as };
  });
  requireDistinct(sets.map(({ name }) => name));
  const resources = sets.flatMap(({ held, name }): ImportedResource[] => {
    return as === "set" ? [wholeSet(held, name)] : singleEntries(held, name);
  });
  const active = holdings.signaling && {
    name: nameOf(options, SIGNALING),
    endpoint: holdings.signaling.endpoint,
    prefixes: holdings.signaling.prefixes.map((prefix) => prefix.toString()),
  };
  if (active) {
    const id = (options.id ?? randomUUID)();
    resources.push(signaling(active.prefixes, { ...active, id, ...(receiver !== undefined && { receiver }) }));
  }
  const program = programText({
    receiver,
    sets,
    signaling: active,
    isProtected,
  });
  return {
    resources: resources.length,
    files: new Map([
      ["import.json", json({ resources })],
      ["index.ts", program],
      ...sets.flatMap((set): [string, string][] => {
        const file = prefixFile(set);
        return file === undefined ? [] : [[file, json(Object.fromEntries(set.held.entries))]];
      }),
    ]),
  };
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
