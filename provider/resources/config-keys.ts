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
    const near = nearest(name);
    const advice = near === undefined ? "docs/configuration.md has all of them." : `is "${NAMESPACE}${near}" meant?`;
    return [
      `The configuration has a key "${key}" that nothing reads: ${advice} Remove it with pulumi config rm '${key}'.`,
    ];
  });
}

/** The known key with the fewest letters to change, if those are few. */
function nearest(name: string): string | undefined {
  const ranked = KNOWN_KEYS.map((known) => ({ known, edits: distance(name.toLowerCase(), known.toLowerCase()) }));
  ranked.sort((a, b) => a.edits - b.edits);
  const [best] = ranked;
  return best && best.edits <= Math.max(2, Math.floor(name.length / 3)) ? best.known : undefined;
}

/** Letters to insert, remove or replace (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const [left = 0, above = 0, corner = 0] = [next[j], row[j + 1], row[j]];
      next.push(Math.min(left + 1, above + 1, corner + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
