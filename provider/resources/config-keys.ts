import { nearest } from "../model/nearest";
import { NODE_KEYS } from "./settings";

/** Every key of the namespace `packetfilter` that something reads (docs/configuration.md). */
const KNOWN_KEYS: readonly string[] = [
  "endpoint",
  "nodes",
  "receivers",
  "signalingUrl",
  "clientId",
  "secretKey",
  "forbiddenPrefixes",
  "requiredPrefixes",
  "maxRemovals",
  "distinctNodes",
  "previewReads",
  "readOnly",
  "auditLog",
  ...NODE_KEYS,
];

const NAMESPACE = "packetfilter:";

/**
 * Sentences about keys of a stack's configuration that nothing reads: misspelt, they would be passed over in silence.
 *
 * @param keys All keys of the configuration, each with its namespace; those of other namespaces are not judged.
 */
export function unknownKeys(keys: readonly string[]): string[] {
  return keys.flatMap((key) => {
    const name = key.slice(NAMESPACE.length);
    if (!key.startsWith(NAMESPACE) || KNOWN_KEYS.includes(name)) return [];
    const near = nearest(name, KNOWN_KEYS);
    const advice = near === undefined ? "docs/configuration.md has all of them." : `is "${NAMESPACE}${near}" meant?`;
    return [
      `The configuration has a key "${key}" that nothing reads: ${advice} Remove it with pulumi config rm '${key}'.`,
    ];
  });
}
