import { isObject, type JsonObject, membersOf, UNKNOWN } from "../model/json";
import { formatUrl, parseUrl, setUrl } from "../model/resource-url";

/** What the protocol needs to know of a resource type beside its handler. */
export interface PluginResource {
  /** The type in the token: `packetfilter:index:PrefixSet`. */
  readonly type: string;
  /** The output that repeats what an argument holds: it is secret where that is. */
  readonly repeats?: string;
  /** What a preview knows already of the outputs that are no arguments; all others are unknown there. */
  foreseen(inputs: JsonObject): JsonObject;
  /** The state from which an import reads, by the id that a user gives. @throws {Error} with the form of an id */
  imported(id: string): JsonObject;
}

const SETS = { repeats: "notes" } as const;

const ALL: readonly PluginResource[] = [
  {
    type: "PrefixSet",
    ...SETS,
    foreseen: (inputs) => ({ ...urlOf(inputs), ...countOf(inputs), endpoint: UNKNOWN }),
    imported: (id) => ({ ...placeOf(id), entries: {} }),
  },
  {
    type: "PrefixSetGroup",
    ...SETS,
    foreseen: (inputs) => ({ ...urlOf(inputs), ...countOf(inputs), endpoints: UNKNOWN }),
    imported: (id) => {
      const at = id.lastIndexOf("@");
      const nodes = at < 0 ? [] : id.slice(at + 1).split(",");
      if (nodes.length === 0 || nodes.includes("")) throw new Error(`${form(id)}: write <url>@<node>,<node>.`);
      return {
        ...placeOf(id.slice(0, at)),
        entries: {},
        nodes: Object.fromEntries(nodes.map((node) => [node, {}])),
      };
    },
  },
  {
    type: "PrefixSetEntry",
    foreseen: (inputs) => ({ ...urlOf(inputs), endpoint: UNKNOWN }),
    imported: (id) => {
      const [url = "", prefix] = id.split("#");
      if (prefix === undefined) throw new Error(`${form(id)}: write <url>#<prefix>.`);
      return { ...placeOf(url), prefix, existed: true };
    },
  },
  {
    type: "CloudSignaling",
    repeats: "started",
    foreseen: () => ({ started: UNKNOWN, endpoint: UNKNOWN }),
    // What was active before the import is not ours to stop.
    imported: (id) => ({ prefixes: id.split(","), started: [] }),
  },
];

/** The resource of a token. @throws {Error} for a token of another package or version */
export function resourceOf(token: string): PluginResource {
  const found = ALL.find(({ type }) => token === `packetfilter:index:${type}`);
  if (found) return found;
  const known = ALL.map(({ type }) => `packetfilter:index:${type}`).join(", ");
  throw new Error(`There is no resource type ${token}: this version of pulumi-packetfilter has ${known}.`);
}

function urlOf(inputs: JsonObject): JsonObject {
  const address = setUrl(inputs);
  return { url: address ? formatUrl(address) : UNKNOWN };
}

function countOf({ entries }: JsonObject): JsonObject {
  return { count: isObject(entries) ? Object.keys(membersOf(entries)).length : UNKNOWN };
}

function placeOf(url: string): JsonObject {
  const address = parseUrl(url);
  if (address.kind !== "prefixset") throw new Error(`${form(url)}: write the url of a set, prefixset://arena/set.`);
  const { arena, profile, set } = address;
  return { arena, ...(profile !== undefined && { profile }), set };
}

function form(id: string): string {
  return `${JSON.stringify(id)} is no id that can be imported`;
}
