import { isObject, type JsonObject, membersOf, UNKNOWN } from "../model/json";
import { prefixIn, resourceIn } from "../model/readable";
import { formatUrl, setUrl } from "../model/resource-url";
import { some } from "../model/text";

/** Facts of a resource type that the protocol needs beside its handler. */
export interface PluginResource {
  /** The type in the token: `packetfilter:index:PrefixSet`. */
  readonly type: string;
  /** Arguments in the id and the url, which are shown in the clear. */
  readonly identity: readonly string[];
  /** The output that repeats what an argument holds: it is secret where that is. */
  readonly repeats?: string;
  /** Outputs other than arguments that a preview knows already; all others are unknown there. */
  foreseen(inputs: JsonObject): JsonObject;
  /** From what an import or a lookup reads, by the id that a user gives in whichever spelling. @throws {Error} with the form of an id */
  imported(id: string, given?: JsonObject): Imported;
  /** Judges what an import read. @throws {Error} if it is not there */
  requireFound?(outputs: JsonObject): void;
}

/** The id that a create would have made, and a state in which nothing is this stack's own. */
interface Imported {
  readonly id: string;
  readonly state: JsonObject;
}

const PLACE = ["arena", "profile", "set"];
const SETS = { repeats: "notes", identity: PLACE } as const;

const ALL: readonly PluginResource[] = [
  {
    type: "PrefixSet",
    ...SETS,
    foreseen: (inputs) => ({ ...urlOf(inputs), ...countOf(inputs), endpoint: UNKNOWN }),
    imported: (id) => {
      const { url, place } = setIn(id);
      return { id: url, state: { ...place, entries: {} } };
    },
  },
  {
    type: "PrefixSetGroup",
    ...SETS,
    foreseen: ({ onExisting: _, ...inputs }) => ({ ...urlOf(inputs), ...countOf(inputs), endpoints: UNKNOWN }),
    imported: (id, given = {}) => {
      const at = id.lastIndexOf("@");
      const [set, names] = at < 0 ? [id] : [id.slice(0, at), id.slice(at + 1)];
      const nodes = names === undefined ? given.nodes : Object.fromEntries(listed(names).map((node) => [node, {}]));
      if (nodes === undefined || "" in membersOf(nodes)) throw new Error(`${form(id)}: write <url>@<node>,<node>.`);
      const { url, place } = setIn(set);
      return { id: url, state: { ...place, entries: {}, nodes } };
    },
  },
  {
    type: "PrefixSetEntry",
    identity: [...PLACE, "prefix"],
    foreseen: (inputs) => ({ ...urlOf(inputs), endpoint: UNKNOWN }),
    imported: (id) => {
      const [set = "", spelling] = id.split("#");
      const prefix = prefixIn(spelling?.trim())?.toString();
      if (prefix === undefined) throw new Error(`${form(id)}: write <url>#<prefix>.`);
      const { url, place } = setIn(set);
      return { id: `${url}#${prefix}`, state: { ...place, prefix } };
    },
  },
  {
    type: "CloudSignaling",
    identity: [],
    repeats: "started",
    foreseen: () => ({ started: UNKNOWN, endpoint: UNKNOWN }),
    imported: (id) => {
      const prefixes = listed(id).map((spelling) => prefixIn(spelling)?.toString());
      if (prefixes.includes(undefined)) throw new Error(`${form(id)}: write <prefix>,<prefix>.`);
      // Signalings from before the import are not ours to stop.
      return { id: prefixes.join(","), state: { prefixes, started: [] } };
    },
    requireFound: ({ lost, endpoint }) => {
      if (!Array.isArray(lost)) return;
      throw new Error(
        `Nothing was imported: ${some(lost)} ${lost.length === 1 ? "is" : "are"} not active at ${endpoint}. Import the prefixes that getSignalings lists, or create the resource, which starts them.`,
      );
    },
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

/** With what it adopts, a set keeps more than its arguments say. */
function countOf({ entries, onExisting }: JsonObject): JsonObject {
  const isKnown = isObject(entries) && onExisting !== "adopt" && onExisting !== UNKNOWN;
  return { count: isKnown ? Object.keys(entries).length : UNKNOWN };
}

function setIn(id: string): { readonly url: string; readonly place: JsonObject } {
  const address = resourceIn(id.trim());
  if (address?.kind !== "prefixset") throw new Error(`${form(id)}: write the url of a set, prefixset://arena/set.`);
  const { arena, profile, set } = address;
  return { url: formatUrl(address), place: { arena, ...(profile !== undefined && { profile }), set } };
}

function listed(texts: string): string[] {
  return texts.split(",").map((text) => text.trim());
}

function form(id: string): string {
  return `${JSON.stringify(id)} is not an id that can be imported`;
}
