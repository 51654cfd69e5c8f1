import type { MarkRecord } from "../marks";

/** A long part of a YAML text that is read and written line by line, past the YAML parser: a megabyte of it takes a second. */
export type Run =
  /** Items of a sequence. */
  | { readonly kind: "records"; readonly records: readonly unknown[] }
  /** Members of a mapping. */
  | { readonly kind: "entries"; readonly entries: ReadonlyMap<string, number> };

/** Shorter runs are left to the parser. */
const LONG = 64;

const NUMBER = String.raw`\d+(?:\.\d+)?`;
const TEXT = String.raw`"[^"\\]*"`;
const member = (name: string, value: string) => `, ?"${name}": ?${value}`;
const optional = (name: string, value: string) => `(?:${member(name, value)})?`;
const KEY = [
  `"address": ?${TEXT}`,
  `"source": ?${TEXT}${member("destination", TEXT)}${optional("sourcePort", NUMBER)}${optional("destinationPort", NUMBER)}${optional("protocol", `(?:${TEXT}|${NUMBER})`)}`,
].join("|");
/** A record of marks as {@link recordLine} writes it: JSON, which is YAML too, each member at most once. */
const RECORD = new RegExp(
  String.raw`^( *)- (\{ ?(?:${KEY})${member("id", NUMBER)}${["value", "lifetime", "age", "expiredFor"].map((name) => optional(name, NUMBER)).join("")} ?\})$`,
);
/** An entry of a prefix-set: prefix and value. */
const ENTRY = /^( *)("?)([0-9A-Fa-f.:]+\/[0-9]+)\2: ([0-9]+)$/;

/** A record of marks as one line of YAML, without its indentation. */
export function recordLine(record: MarkRecord): string {
  const { address, source, destination, sourcePort, destinationPort, protocol, id, value, lifetime, age, expiredFor } =
    record;
  const key = { address, source, destination, sourcePort, destinationPort, protocol };
  const members = Object.entries({ ...key, id, value, lifetime, age, expiredFor });
  const written = members.filter(([, it]) => it !== undefined).map(([name, it]) => `"${name}": ${JSON.stringify(it)}`);
  return `- { ${written.join(", ")} }`;
}

/** What stands for a run in the text that the parser gets. */
export function placeholder(run: number): string {
  return `run ${run} of lines`;
}

/**
 * Takes long runs of records and of entries out of a text. What is left has one item or member in place of each.
 *
 * @throws {SyntaxError} when a line only looks like a record; {RangeError} when a run names a prefix twice.
 */
export function takeOut(source: string): { rest: string; runs: Run[] } {
  const rest: string[] = [];
  const runs: Run[] = [];
  let lines: string[] = [];
  let found: { kind: Run["kind"]; indent: string; parts: (readonly [string, string])[] } | undefined;
  const close = () => {
    if (found && lines.length >= LONG) {
      const name = JSON.stringify(placeholder(runs.length));
      rest.push(`${found.indent}${found.kind === "records" ? `- ${name}` : `${name}: 0`}`);
      runs.push(found.kind === "records" ? records(found.parts) : entries(found.parts));
    } else for (const line of lines) rest.push(line);
    found = undefined;
    lines = [];
  };
  for (const line of source.split("\n")) {
    const record = RECORD.exec(line);
    const entry = record ? null : ENTRY.exec(line);
    const [, indent = ""] = record ?? entry ?? [];
    const kind = record ? "records" : "entries";
    if (found && ((!record && !entry) || found.kind !== kind || found.indent !== indent)) close();
    if (!record && !entry) {
      rest.push(line);
      continue;
    }
    found ??= { kind, indent, parts: [] };
    found.parts.push(record ? [record[2] ?? "", ""] : [entry?.[3] ?? "", entry?.[4] ?? ""]);
    lines.push(line);
  }
  close();
  return { rest: rest.join("\n"), runs };
}

function records(parts: readonly (readonly [string, string])[]): Run {
  return { kind: "records", records: JSON.parse(`[${parts.map(([json]) => json).join(",")}]`) };
}

function entries(parts: readonly (readonly [string, string])[]): Run {
  const entries = new Map(parts.map(([prefix, value]) => [prefix, Number(value)]));
  if (entries.size < parts.length) throw new RangeError("a prefix stands twice in a set");
  return { kind: "entries", entries };
}

/**
 * Puts runs back where their placeholders stand.
 *
 * @throws {RangeError} when one stands nowhere, as in a text of several lines, or beside a member of the same name.
 */
export function putBack(value: unknown, runs: readonly Run[]): unknown {
  const names = new Map(runs.map((run, at) => [placeholder(at), run]));
  const used = new Set<Run>();
  const done = new Map<object, unknown>();
  const visit = (node: unknown): unknown => {
    if (typeof node !== "object" || node === null) return node;
    const known = done.get(node);
    if (known !== undefined) return known;
    const copy = Array.isArray(node) ? items(node) : members(Object.entries(node));
    done.set(node, copy);
    return copy;
  };
  const take = (name: unknown, kind: Run["kind"]) => {
    const run = typeof name === "string" ? names.get(name) : undefined;
    if (run?.kind !== kind) return undefined;
    used.add(run);
    return run;
  };
  const items = (list: readonly unknown[]) => {
    const result: unknown[] = [];
    for (const item of list) {
      const run = take(item, "records");
      if (run?.kind !== "records") result.push(visit(item));
      else for (const record of run.records) result.push(record);
    }
    return result;
  };
  const members = (all: readonly [string, unknown][]) => {
    const result = new Map<string, unknown>();
    let count = 0;
    for (const [name, item] of all) {
      const run = take(name, "entries");
      const added = run?.kind === "entries" ? run.entries : new Map([[name, visit(item)]]);
      for (const [key, it] of added) result.set(key, it);
      count += added.size;
    }
    if (result.size < count) throw new RangeError("a prefix stands twice in a set");
    return Object.fromEntries(result);
  };
  const whole = visit(value);
  if (used.size < runs.length) throw new RangeError("the lines stand in no list");
  return whole;
}
