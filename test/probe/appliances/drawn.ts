import { seededRandom } from "../../../provider/emulator/time/random";
import type { Entries, Reply } from "./appliance";
import type { NodeKind } from "./nodes";
import type { ReceiverKind } from "./receivers";
import { bare, ends, isWithin, spelt } from "./spans";

/** A node and a receiver that are drawn by a seed, as their vendor would describe them. */
export interface Drawn {
  readonly node: NodeKind;
  readonly receiver: ReceiverKind;
  readonly says: Readonly<Record<string, string | number>>;
}

/** The header Authorization with which a drawn node is probed. */
export const AUTHORIZATION = "Bearer node-secret";

const json = (value: unknown, status = 200): Reply => ({ status, body: JSON.stringify(value) });
const text = (body: string, status = 200): Reply => ({ status, body });

type Rows = readonly (readonly [key: string, value: number])[];

/** Forms of one entry, and of a list around them. */
const ROWS = {
  plain: (key: string, v: number) => ({ p: spelt(key), v }),
  long: (key: string, value: number) => ({ cidr: spelt(key), value }),
  apart: (key: string, val: number) => ({ addr: ends(key).first, len: ends(key).length, val }),
  own: (key: string, weight: number) => ({ subnet: spelt(key), weight, hits: 3 }),
  texts: (key: string, v: number) => ({ p: bare(key), v: String(v) }),
  range: (key: string, prio: number) => ({ low: ends(key).first, high: ends(key).last, prio }),
} as const;

const LISTS = {
  data: (rows: readonly unknown[]) => json({ data: rows }),
  array: (rows: readonly unknown[]) => json(rows),
  body: (rows: readonly unknown[]) => json({ code: "0", msg: "", body: rows }),
  counted: (rows: readonly unknown[]) => json({ total: rows.length, warnings: [], payload: rows }),
  deep: (rows: readonly unknown[]) => json({ reply: { errors: [], rows } }),
  lua: (rows: readonly unknown[]) => json({ reply: { rows: rows.length === 0 ? {} : rows } }),
  null: (rows: readonly unknown[]) => json({ result: rows.length === 0 ? null : rows }),
  /** A total of the whole system, and a part of the list. */
  pages: (rows: readonly unknown[]) => json({ data: rows.slice(0, 3), total: rows.length, errors: [] }),
} as const;

const LINES = {
  lines: (rows: Rows) => text(rows.map(([key, v]) => `${spelt(key)} ${v}\n`).join("")),
  comments: (rows: Rows) =>
    text(`# prefix value hits\n${rows.map(([key, v]) => `${bare(key)} ${v} 0\n`).join("")}# end\n`),
  csv: (rows: Rows) => text(`net,prio\n${rows.map(([key, v]) => `${spelt(key)},${v}\n`).join("")}`),
} as const;

const SUCCESS = {
  status: () => json({ status: "ok" }),
  rc: () => json({ rc: 0 }),
  code: (_: string, count: number) => json({ code: "0", msg: "", body: { count } }),
  count: (_: string, count: number) => json({ n: count, done: true }),
  word: () => text("ok"),
  empty: () => text(""),
  "1000": () => json({ code: 1000, message: "Command completed" }),
  xml: () => text("<reply><status>ok</status></reply>"),
  words: (command: string) => text(command === "delete" ? "taken out" : "carried out"),
  elements: (command: string) => text(`<reply><did>${command === "delete" ? "away" : "there"}</did></reply>`),
} as const;

/** Successes of a receiver: those of a node, and some that differ by operation or by prefix. */
const STARTED: Readonly<Record<string, ReceiverKind["done"]>> = {
  ...Object.fromEntries(
    Object.entries(SUCCESS).map(([name, reply]): [string, ReceiverKind["done"]] => [
      name,
      (_, { length }) => reply("start", length),
    ]),
  ),
  each: (operation) => text(`signaling ${operation === "start" ? "started" : "stopped"}`),
  states: (operation) => json({ state: operation === "start" ? "ACTIVE" : "IDLE" }),
  elements: (operation) => text(`<reply><state>${operation === "start" ? "ON" : "OFF"}</state></reply>`),
  named: (operation, [first = ""]) => text(`${operation} of ${first} was carried out`),
  unlike: (operation) => (operation === "start" ? json({ rc: 0 }) : text("carried out")),
};

const REFUSALS = {
  status: (why: string) => json({ error: why }, 400),
  words: (why: string) => text(`error: ${why}`, 422),
  rc: (why: string) => json({ rc: 401, why }),
  code: (why: string) => json({ code: "12", msg: why, body: null }),
  marked: (why: string) => json({ status: "error", code: 401, message: why }),
  nak: (why: string) => text(`NAK 12 ${why}`),
  empty: () => text(""),
  page: () => text("<html><head><title>Sign in</title></head></html>"),
  xml: (why: string) => text(`<reply><status>failed</status><why>${why}</why></reply>`),
} as const;

const STATUS = {
  plain: (active: readonly string[]) => json({ IP_prefix: active }),
  lower: (active: readonly string[]) => json({ result: { ip_prefix: active } }),
  own: (active: readonly string[]) => json({ outcome: "done", active }),
  lines: (active: readonly string[]) => text(active.map((one) => `${one}\n`).join("")),
  gone: (active: readonly string[]) => (active.length === 0 ? text("", 404) : json({ IP_prefix: active })),
  hollow: (active: readonly string[]) => json(active.length === 0 ? {} : { IP_prefix: active }),
} as const;

/** Draws an appliance. Nothing here knows how a probe asks. */
export function drawn(seed: number): Drawn {
  const random = seededRandom(seed * 7_919 + 17);
  const one = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const name = <T extends object>(from: T) => one(Object.keys(from) as (keyof T & string)[]);
  const answer = () => one(["taken", "refused"] as const);
  // In this order each seed has its draws.
  const says = {
    isText: Number(random() < 0.2),
    ...{ row: name(ROWS), list: name(LISTS), lines: name(LINES) },
    ...{ success: name(SUCCESS), refusal: name(REFUSALS) },
    existing: one(["overwrite", "overwrite", "error", "ignored"] as const),
    absent: one(["success", "error"] as const),
    emptyCommit: one(["success", "error"] as const),
    commitDelayMs: one([0, 0, 300, 1_500, 4_000]),
    maxEntries: one([Number.POSITIVE_INFINITY, 60, 5]),
    maxValue: one([4_294_967_295, 65_535, 255]),
    expiresAt: random() < 0.15 ? 20 + Math.floor(random() * 60) : Number.POSITIVE_INFINITY,
    pace: one([0, 0, 7]),
    nested: one(["apart", "apart", "covered"] as const),
    ...{ slash: answer(), twice: answer(), encoding: answer() },
    userArena: one(["ignored", "present", "required"] as const),
    credentials: one(["ignored", "required"] as const),
    ...{ status: name(STATUS), started: name(STARTED), denied: name(REFUSALS) },
    partial: one(["none", "others", "before"] as const),
    delayMs: one([0, 0, 300, 2_000]),
  };
  const { isText, row, list, lines } = says;
  const shown = (entries: Entries) => (says.nested === "apart" ? entries : withoutCovered(entries));
  const write = (entries: Entries) =>
    isText ? LINES[lines]([...shown(entries)]) : LISTS[list]([...shown(entries)].map(([key, v]) => ROWS[row](key, v)));
  const records = (kind: string): Reply => {
    if (isText) return text(kind === "arena" ? "web\n" : kind === "profile" ? "drop\n" : "");
    const marks = [{ a: "203.0.113.9", id: 30, v: 7, t: 60 }];
    return LISTS[list](kind === "arena" ? [{ name: "web" }] : kind === "profile" ? [{ id: 30, name: "drop" }] : marks);
  };
  const node: NodeKind = {
    ...says,
    receiver: "plain",
    spell: spelt,
    list: write,
    records,
    done: SUCCESS[says.success],
    refused: REFUSALS[says.refusal],
    isSlashRefused: says.slash === "refused",
    isTwiceRefused: says.twice === "refused",
    isEncodingRefused: says.encoding === "refused",
    ...(says.credentials === "required" && { authorization: AUTHORIZATION }),
  };
  const receiver: ReceiverKind = {
    ...says,
    status: STATUS[says.status],
    done: (operation, prefixes) => (STARTED[says.started] ?? SUCCESS.word)(operation, prefixes),
    refused: REFUSALS[says.denied],
  };
  return { node, receiver, says };
}

/** The entries that lie in no other one. */
function withoutCovered(entries: Entries): Entries {
  const isCovered = (key: string) =>
    [...entries.keys()].some((other) => other !== key && isWithin(spelt(key), spelt(other)));
  return new Map([...entries].filter(([key]) => !isCovered(key)));
}
