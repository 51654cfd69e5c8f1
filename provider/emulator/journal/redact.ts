/** Headers of requests whose values are shown. Any other may carry a credential. */
const SHOWN = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "connection",
  "content-length",
  "content-type",
  "date",
  "expect",
  "host",
  "keep-alive",
  "packetfilter-run",
  "transfer-encoding",
  "user-agent",
  "user-arena",
]);

const OPERATIONS = new Set(["status", "start", "stop"]);

/** Characters of a label. */
const LONGEST_LABEL = 100;

/** What the client calls its run, in the header `Packetfilter-Run`; empty without one. */
export function runLabel(headers: NodeJS.Dict<string | string[]>): string {
  return String(headers["packetfilter-run"] ?? "")
    .trim()
    .slice(0, LONGEST_LABEL);
}

/** Headers as the journal shows them. */
export function redactHeaders(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const shown = Object.entries(headers).map(([name, value]) => [name, SHOWN.has(name) ? String(value) : "***"]);
  return Object.fromEntries(shown);
}

/**
 * A path as the journal shows it: of `/path/<client>/<secret>/<operation>` and `/request/…` the secret is cut out, of any
 * unknown path everything after its first part, since a secret may stand anywhere in it.
 */
export function redactPath(target: string): string {
  const [path = "", query] = target.split("?", 2);
  const [, first = "", ...rest] = path.split("/");
  const [client = "", , operation = ""] = rest;
  const signaling = (first === "path" || first === "request") && rest.length === 3 && OPERATIONS.has(operation);
  const shown = signaling ? [client, "***", operation] : rest.map((part) => (part === "" ? "" : "***"));
  return `/${[first, ...shown].join("/")}${query === undefined ? "" : "?***"}`;
}

/** Values of hidden headers that are shorter are modes and flags, and stand in answers by chance. */
const SHORTEST_CREDENTIAL = 8;

/** What a request carries that must not be seen in its answer: values of hidden headers, and the secret in its path. */
export function sentSecrets(target: string, headers: NodeJS.Dict<string | string[]>): string[] {
  const [, , , inPath] = target.split("?", 1)[0]?.split("/") ?? [];
  const hidden = Object.entries(headers).flatMap(([name, value]) => (SHOWN.has(name) ? [] : [value ?? []].flat()));
  const credentials = hidden.flatMap((value) => [value, value.slice(value.indexOf(" ") + 1)]);
  return [
    ...credentials.filter(({ length }) => length >= SHORTEST_CREDENTIAL),
    ...(inPath ? [inPath, decode(inPath)] : []),
  ];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
