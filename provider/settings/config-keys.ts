import { membersOf } from "../model/json";
import { nearest } from "../model/nearest";
import { jsonIn } from "../model/readable";

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

/** Paths that replace former keys. */
const FORMER_KEYS: Readonly<Record<string, readonly string[]>> = {
  previewReads: ["detectDrift"],
  signalingAnswers: ["receiver.answers"],
  absentSet: ["node.answers.absent"],
  ...Object.fromEntries(
    ["maxTries", "retryPauseMs", "maxRetryPauseMs"].map((member) => [
      member,
      ["node.deadlineMs", "receiver.deadlineMs"],
    ]),
  ),
  ...Object.fromEntries(
    ["tls", "timeoutMs", "deadlineMs"].map((member) => [member, [`node.${member}`, `receiver.${member}`]]),
  ),
  ...Object.fromEntries(
    [
      "userArena",
      "maxEntriesPerRequest",
      "maxBytesPerRequest",
      "maxConcurrency",
      "maxAnswerBytes",
      "maxListRecords",
      "maxValue",
      "commitCoalesceMs",
      "commitDelayMs",
      "foreignStaged",
      "insertExisting",
      "commitUrl",
      "answers",
      "onUnreachable",
      "markPauseMs",
      "markPace",
    ].map((member) => [member, [`node.${member}`]]),
  ),
};

/** A key without its namespace. */
export type ConfigKey = (typeof CONFIG_KEYS)[number];

/** One value of the stack's configuration; `undefined` when it is not set. */
export type ReadConfig = (key: ConfigKey) => unknown;

const NAMESPACE = "packetfilter:";

/**
 * Sentences about keys of a stack's configuration that nothing reads.
 *
 * @param keys All keys of the configuration with their namespaces; other namespaces are not judged.
 * @returns `refused`: former keys and likely limits; `passed`: all others
 */
export function unknownKeys(keys: readonly string[]): { refused: string[]; passed: string[] } {
  const keysRead: readonly string[] = [...CONFIG_KEYS, ...Object.keys(FORMER_KEYS)];
  const found = { refused: [] as string[], passed: [] as string[] };
  for (const key of keys) {
    const name = key.slice(NAMESPACE.length);
    if (!key.startsWith(NAMESPACE)) continue;
    if (Object.hasOwn(FORMER_KEYS, name)) found.refused.push(formerKey(name));
    if (keysRead.includes(name)) continue;
    const near = nearest(name, keysRead);
    const meant = near === undefined ? undefined : (FORMER_KEYS[near]?.[0] ?? near);
    const advice =
      meant === undefined ? "docs/configuration.md has all of them." : `did you mean "${NAMESPACE}${meant}"?`;
    const sentence = `The configuration has a key "${key}" that nothing reads: ${advice} Remove it with pulumi config rm '${key}'.`;
    found[LIMITING.has(near) ? "refused" : "passed"].push(sentence);
  }
  return found;
}

const LIMITING: ReadonlySet<string | undefined> = new Set([...LIMIT_KEYS, "maxValue", "foreignStaged"]);

/** Remedies for the former keys in a configuration. */
export function formerKeys(config: ReadConfig): string[] {
  return Object.keys(FORMER_KEYS).flatMap((name) => (config(name as ConfigKey) === undefined ? [] : formerKey(name)));
}

function formerKey(name: string): string {
  const [first = "", ...more] = (FORMER_KEYS[name] ?? []).map((path) => `${NAMESPACE}${path}`);
  const path = first.includes(".") ? " --path" : "";
  return `${NAMESPACE}${name} is ${[first, ...more].join(" and ")} now: set it with pulumi config set${path} '${first}' VALUE, and remove this one with pulumi config rm '${NAMESPACE}${name}'.`;
}
