import { nearest } from "../model/nearest";

/** Members of the unnamed node that stand in the configuration by themselves. */
export const NODE_KEYS = [
  "headers",
  "userArena",
  "tls",
  "timeoutMs",
  "deadlineMs",
  "maxTries",
  "retryPauseMs",
  "maxRetryPauseMs",
  "maxEntriesPerRequest",
  "maxBytesPerRequest",
  "maxConcurrency",
  "maxAnswerBytes",
  "maxListRecords",
  "maxValue",
  "commitCoalesceMs",
  "foreignStaged",
  "answers",
  "absentSet",
  "onUnreachable",
  "markPauseMs",
  "markPace",
] as const;

/** Every key of the namespace `packetfilter` (docs/configuration.md): what does not stand here cannot be read. */
export const CONFIG_KEYS = [
  "endpoint",
  "nodes",
  "receivers",
  "signalingUrl",
  "signalingAnswers",
  "clientId",
  "secretKey",
  "forbiddenPrefixes",
  "requiredPrefixes",
  "shortestPrefix",
  "maxEntries",
  "maxRemovals",
  "maxChanges",
  "distinctNodes",
  "previewReads",
  "readOnly",
  "auditLog",
  ...NODE_KEYS,
] as const;

/** A key without its namespace. */
export type ConfigKey = (typeof CONFIG_KEYS)[number];

/** One value of the stack's configuration; `undefined` when it is not set. */
export type ReadConfig = (key: ConfigKey) => unknown;

const NAMESPACE = "packetfilter:";

/**
 * Sentences about keys of a stack's configuration that nothing reads: misspelt, they would be passed over in silence.
 *
 * @param keys All keys of the configuration, each with its namespace; those of other namespaces are not judged.
 */
export function unknownKeys(keys: readonly string[]): string[] {
  const keysRead: readonly string[] = CONFIG_KEYS;
  return keys.flatMap((key) => {
    const name = key.slice(NAMESPACE.length);
    if (!key.startsWith(NAMESPACE) || keysRead.includes(name)) return [];
    const near = nearest(name, keysRead);
    const advice = near === undefined ? "docs/configuration.md has all of them." : `is "${NAMESPACE}${near}" meant?`;
    return [
      `The configuration has a key "${key}" that nothing reads: ${advice} Remove it with pulumi config rm '${key}'.`,
    ];
  });
}
