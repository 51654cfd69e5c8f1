import { nodeSchema, receiverSchema } from "../client/options";
import { membersOf } from "../model/json";
import { nearest } from "../model/nearest";
import { jsonIn } from "../model/readable";
import { schemaMembers } from "../model/schema";

/** Members of the unnamed node and receiver with a key and a variable of their own; `node` and `receiver` have the others. */
export const FLAT_MEMBERS = {
  node: {
    address: { member: "endpoint", key: "endpoint", variable: "PACKETFILTER_ENDPOINT" },
    credentials: [{ member: "headers", key: "headers", variable: "PACKETFILTER_HEADERS" }],
  },
  receiver: {
    address: { member: "url", key: "signalingUrl", variable: "PACKETFILTER_SIGNALING_URL" },
    credentials: [
      { member: "clientId", key: "clientId", variable: "PACKETFILTER_CLIENT_ID" },
      { member: "secretKey", key: "secretKey", variable: "PACKETFILTER_SECRET_KEY" },
    ],
  },
} as const;

/** The address of the unnamed node or receiver, and its key; `undefined` if the configuration has none. */
export function unnamedAddress(
  kind: keyof typeof FLAT_MEMBERS,
  config: ReadConfig,
): { readonly key: ConfigKey; readonly address: unknown } | undefined {
  const { key, member } = FLAT_MEMBERS[kind].address;
  const own = config(key);
  if (own !== undefined) return { key, address: own };
  const members = config(kind);
  const within = membersOf(typeof members === "string" ? jsonIn(members) : members)[member];
  return within === undefined ? undefined : { key: kind, address: within };
}

/** The keys of the unnamed node or receiver. */
export function unnamedKeys(kind: keyof typeof FLAT_MEMBERS): readonly ConfigKey[] {
  const { address, credentials } = FLAT_MEMBERS[kind];
  return [address.key, ...credentials.map(({ key }) => key), kind];
}

/** Keys that limit a run: without effect if misspelt. */
export const LIMIT_KEYS = [
  "forbiddenPrefixes",
  "requiredPrefixes",
  "shortestPrefix",
  "maxEntries",
  "maxRemovals",
  "maxChanges",
  "readOnly",
  "auditLog",
] as const;

/** Every key of the namespace `packetfilter` (docs/configuration.md). */
export const CONFIG_KEYS = [
  "endpoint",
  "headers",
  "node",
  "nodes",
  "signalingUrl",
  "clientId",
  "secretKey",
  "receiver",
  "receivers",
  ...LIMIT_KEYS,
  "distinctNodes",
  "detectDrift",
] as const;

/** A key without its namespace. */
export type ConfigKey = (typeof CONFIG_KEYS)[number];

/** One value of the stack's configuration; `undefined` when it is not set. */
export type ReadConfig = (key: ConfigKey) => unknown;

const NAMESPACE = "packetfilter:";

/**
 * Sentences about keys of a stack's configuration that nothing reads.
 *
 * @param keys All keys of the configuration with their namespaces; other namespaces are not judged.
 * @returns `refused`: likely limits, and members of a node or receiver without their object; `passed`: all others
 */
export function unknownKeys(keys: readonly string[]): { refused: string[]; passed: string[] } {
  const found = { refused: [] as string[], passed: [] as string[] };
  for (const key of keys) {
    const name = key.slice(NAMESPACE.length);
    if (!key.startsWith(NAMESPACE) || isKey(name)) continue;
    const paths = memberPaths();
    const near = nearest(name, [...CONFIG_KEYS, ...paths.keys()]);
    const places = near === undefined ? [] : isKey(near) ? [near] : (paths.get(near) ?? []);
    const meant = places.map((path) => `"${NAMESPACE}${path}"`);
    const advice =
      meant.length === 0 ? "docs/configuration.md has all of them." : `did you mean ${meant.join(" or ")}?`;
    const sentence = `The configuration has a key "${key}" that nothing reads: ${advice} Remove it with pulumi config rm '${key}'.`;
    found[paths.has(name) || LIMITING.has(near) ? "refused" : "passed"].push(sentence);
  }
  return found;
}

const isKey = (name: string) => CONFIG_KEYS.some((key) => key === name);

const LIMITING: ReadonlySet<string | undefined> = new Set([...LIMIT_KEYS, "maxValue", "foreignStaged"]);

/** Members of the objects `node` and `receiver`, with their paths in the configuration. */
function memberPaths(): ReadonlyMap<string, readonly string[]> {
  const paths = new Map<string, readonly string[]>();
  for (const [kind, members] of Object.entries({ node: nodeSchema(), receiver: receiverSchema() })) {
    for (const member of schemaMembers(members)) paths.set(member, [...(paths.get(member) ?? []), `${kind}.${member}`]);
  }
  return paths;
}
