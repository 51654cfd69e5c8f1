import type { Fault, JournalLine } from "../answers";
import type { RequestFilter } from "./route";
import { hasWords } from "./texts";

/** Which requests, in one choice: a command of the node API or an operation of signaling. */
export const REQUESTS: Record<string, Fault> = {
  "any request": {},
  "node: any": { api: "node" },
  "node: list": { cmd: "list" },
  "node: insert": { cmd: "insert" },
  "node: delete": { cmd: "delete" },
  "node: commit": { cmd: "commit" },
  "signaling: status": { op: "status" },
  "signaling: start": { op: "start" },
  "signaling: stop": { op: "stop" },
};

/** The same for the journal, which holds requests of every path. */
const APIS: Record<string, Partial<JournalLine>> = {
  "signaling: any": { api: "signaling" },
  "test deployment": { api: "test" },
  "other paths": { api: "other" },
};

export const OPERATION_OPTIONS = [
  ["", "all operations"],
  ...Object.keys({ ...REQUESTS, ...APIS })
    .slice(1)
    .map((name) => [name, name] as const),
] as const;

/** Whether a request was refused or failed, or has no answer. */
export const isBad = ({ status, refused = false }: JournalLine) => status === undefined || refused || status >= 400;

const OUTCOMES: Record<string, readonly [text: string, holds: (line: JournalLine) => boolean]> = {
  trouble: ["errors and faults", (line) => line.fault !== undefined || isBad(line)],
  success: ["succeeded", (line) => !isBad(line)],
  refused: ["refused", (line) => isBad(line) && (line.status ?? 500) < 500],
  failed: ["failed (5xx)", ({ status = 0 }) => status >= 500],
  silent: ["no answer", ({ status }) => status === undefined],
  fault: ["met a fault", ({ fault }) => fault !== undefined],
};

export const OUTCOME_OPTIONS = [
  ["", "all outcomes"],
  ...Object.entries(OUTCOMES).map(([name, [text]]) => [name, text] as const),
] as const;

/** Urls and clients of requests, in order; the one that is chosen among them in any case. */
export function objectOptions(lines: readonly JournalLine[], chosen = "") {
  const found = new Set([...lines.map(objectOf), chosen].filter((each) => each !== undefined && each !== ""));
  return [["", "all objects"], ...[...found].sort().map((each) => [each, each] as const)] as [string, string][];
}

const objectOf = ({ url, client }: JournalLine) => url ?? client;

/** Whether a request passes every part of a filter. */
export function passes(line: JournalLine, { find = "", outcome, operation, object, run }: RequestFilter): boolean {
  const { api, cmd, op, url, client, type, status, fault, path, reason } = line;
  if (outcome && !OUTCOMES[outcome]?.[1](line)) return false;
  if (object && objectOf(line) !== object) return false;
  if (run && String(line.run) !== run) return false;
  const expected = Object.entries((operation && { ...REQUESTS, ...APIS }[operation]) || {});
  if (!expected.every(([name, value]) => line[name as keyof JournalLine] === value)) return false;
  return hasWords([api, cmd, op, url, client, type, status, fault, path, reason].join(" "), find.trim());
}
