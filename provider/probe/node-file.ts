import { z } from "zod";
import { type NodeOptions, nodeSchema } from "../client/options";
import { describeIssues } from "../model/schema";
import { isRecord } from "../wire/json";
import type { DialectSettings, ProbeResult } from "./finding";

/** What `--out` writes and `--check` reads: settings for the stack, and a dialect for the emulator. */
export interface NodeFile {
  /** Members of a node of the configuration. */
  readonly node: Partial<NodeOptions>;
  /** Switches of `emulator --dialect`. */
  readonly dialect: DialectSettings;
}

const schema = z.object({
  node: z.record(z.string(), z.unknown()),
  dialect: z.record(z.string(), z.union([z.string(), z.number()])),
});

/** The file of a result. */
export function nodeFile({ node, dialect }: ProbeResult): NodeFile {
  return { node, dialect };
}

/** @throws {TypeError} saying what is wrong with the text. */
export function parseNodeFile(text: string): NodeFile {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw new TypeError("it is not JSON");
  }
  const parsed = schema.safeParse(content);
  if (!parsed.success) throw new TypeError('it has no objects "node" and "dialect", as --out writes them');
  // An endpoint is there only where the node redirects; the rest is checked with any.
  const { endpoint, ...members } = parsed.data.node;
  const checked = nodeSchema().safeParse({ endpoint: endpoint ?? "http://192.0.2.10", ...members });
  if (!checked.success) throw new TypeError(`its member "node" is not valid: ${describeIssues(checked.error)}`);
  const { endpoint: moved, ...settings } = checked.data;
  return { node: { ...(endpoint !== undefined && { endpoint: moved }), ...settings }, dialect: parsed.data.dialect };
}

/** Delays are measured, so that no two are the same: smaller differences are none. In milliseconds, and as a factor. */
const NOISE = { ms: 250, times: 4 };

/**
 * What a node does otherwise than an earlier result says, a line each. Points that one of the two did not find out say
 * nothing.
 */
export function differences(before: NodeFile, now: NodeFile, asked: ReadonlySet<string>): string[] {
  const switches = Object.keys(before.dialect).filter((name) => now.dialect[name] !== undefined);
  const changed = switches.filter((name) => !isSame(name, before.dialect[name], now.dialect[name]));
  const members = [...new Set([...Object.keys(before.node), ...Object.keys(now.node)])].filter((name) =>
    asked.has(name),
  );
  const set = members.filter((name) => text(Reflect.get(before.node, name)) !== text(Reflect.get(now.node, name)));
  return [
    ...changed.map((name) => `${name}: was ${before.dialect[name]}, is ${now.dialect[name]}`),
    ...set.map(
      (name) =>
        `${name}: was to be ${text(Reflect.get(before.node, name))}, is to be ${text(Reflect.get(now.node, name))}`,
    ),
  ];
}

function isSame(name: string, before: string | number | undefined, now: string | number | undefined): boolean {
  if (before === now) return true;
  if (!name.endsWith("Delay") || typeof before !== "number" || typeof now !== "number") return false;
  const [less, more] = [Math.min(before, now), Math.max(before, now)];
  return more - less < NOISE.ms || more < less * NOISE.times;
}

/** For people, and for comparison: the order of members says nothing. */
function text(value: unknown): string {
  return value === undefined ? "not set" : JSON.stringify(value, sorted);
}

function sorted(_name: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
