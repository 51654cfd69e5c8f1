import type { Appliance, Asked, Entries, Reply } from "./appliance";
import type { RECEIVERS } from "./receivers";
import { bare, ends, span, spelt } from "./spans";

/** Answers of a node of some vendor. */
export interface NodeKind {
  readonly receiver: keyof typeof RECEIVERS;
  /** Milliseconds until a commit has taken effect. Default: 0. */
  readonly commitDelayMs?: number;
  /** Owner of staged changes. Default: the set. */
  readonly stagingBy?: "cookie" | "connection";
  /** A second request while one is under way is refused. */
  readonly oneAtATime?: true;
  /** A delete must have the text of the list. */
  readonly isExact?: true;
  /** An insert of what is there and a delete of what is not are refused. */
  readonly isStrict?: true;
  /** Effect of an insert of what is there. Default: `overwrite`, or `error` if it is strict. */
  readonly existing?: "overwrite" | "error" | "ignored";
  /** Answer to a delete of what is not there, and to a commit of nothing. */
  readonly absent?: "success" | "error";
  readonly emptyCommit?: "success" | "error";
  /** Most entries of a request, and the largest value. */
  readonly maxEntries?: number;
  readonly maxValue?: number;
  /** Number of the request from which on all are refused. */
  readonly expiresAt?: number;
  /** Every so many requests, one must wait; 0: none. */
  readonly pace?: number;
  /** True: a list whose url ends in /, a member twice in one request, or a header Content-Encoding is refused. */
  readonly isSlashRefused?: boolean;
  readonly isTwiceRefused?: boolean;
  readonly isEncodingRefused?: boolean;
  /** The header User-Arena in lists of marks. Default: ignored. */
  readonly userArena?: "ignored" | "present" | "required";
  /** Value of the header Authorization without which it refuses everything. */
  readonly authorization?: string;
  /** The one entry that it never takes, since it is its own address. */
  readonly refuses?: string;
  /** An answer in place of its own; `undefined`: its own. */
  instead?(asked: Asked, appliance: Appliance): Reply | undefined;
  spell(key: string): string;
  /** @param own The set with what waits in the session that asks. */
  list(applied: Entries, own: Entries): Reply;
  records(kind: string, type: string | undefined): Reply;
  done(command: "insert" | "delete" | "commit", count: number): Reply;
  refused(why: string): Reply;
}

const json = (value: unknown, status = 200): Reply => ({ status, body: JSON.stringify(value) });

const PROFILES = ["web", "clean"];
const RULES = [
  { id: 30, name: "count sources" },
  { id: 31, name: "drop the rest" },
];

/** Names of profiles, rules, or no marks: those of a kind of url. */
const recordsOf = (
  kind: string,
  profile = (name: string): unknown => ({ name }),
  rule = (one: (typeof RULES)[number]): unknown => one,
): unknown[] => (kind === "arena" ? PROFILES.map(profile) : kind === "profile" ? RULES.map(rule) : []);

/** Entries as the contract writes them. */
const plainRows = (entries: Entries) => [...entries].map(([key, v]) => ({ p: spelt(key), v }));

const plain = {
  spell: spelt,
  records: (kind: string) => json({ data: recordsOf(kind, String) }),
  done: () => json({ status: "ok" }),
  refused: (error: string) => json({ error }, 400),
} as const;

/** As the contract shows it, and quick. */
export const PLAIN: NodeKind = { ...plain, receiver: "plain", list: (applied) => json({ data: plainRows(applied) }) };

/** The eight, from their descriptions. */
export const NODES = {
  /** Text with comments; a column of hits behind bare addresses; commits take effect late; a delete is found by its text alone. */
  text: {
    receiver: "late",
    commitDelayMs: 1_500,
    isExact: true,
    spell: bare,
    list: (applied) => ({
      body: ["# prefix value hits", ...[...applied].map(([key, v]) => `${bare(key)} ${v} 0`), "# end"].join("\n"),
    }),
    records: (kind) => ({ body: recordsOf(kind, String, (r) => `${r.id} ${r.name}`).join("\n") || "# none" }),
    done: () => ({ body: "ok" }),
    refused: (why) => ({ status: 400, body: `error: ${why}` }),
  },
  /** Everything in one envelope, numbers as texts, 200 always. */
  coded: {
    receiver: "wordy",
    spell: spelt,
    list: (applied) =>
      json({
        code: "0",
        msg: "",
        body: [...applied].map(([key, v]) => ({
          addr: ends(key).first,
          len: String(ends(key).length),
          val: String(v),
        })),
      }),
    records: (kind) =>
      json({
        code: "0",
        msg: "",
        body: recordsOf(kind, undefined, (r) => ({ ...r, id: String(r.id) })),
      }),
    done: (_, count) => json({ code: "0", msg: "", body: { count: String(count) } }),
    refused: (msg) => json({ code: "12", msg, body: null }),
  },
  /** Two lists in one answer: what is to be, and what is. */
  candidate: {
    ...plain,
    receiver: "plain",
    list: (applied, own) => json({ candidate: plainRows(own), running: plainRows(applied) }),
  },
  /** Staged changes belong to a session, which a cookie names. */
  cookie: { ...plain, receiver: "plain", stagingBy: "cookie", list: (applied) => json({ data: plainRows(applied) }) },
  /** Lua: an empty table is an object; a byte order mark before everything. */
  lua: {
    receiver: "plain",
    spell: spelt,
    list: (applied) => lua({ reply: { rows: table(plainRows(applied)) } }),
    records: (kind) => lua({ reply: { rows: table(recordsOf(kind)) } }),
    done: () => lua({ status: "ok" }),
    refused: (error) => lua({ error }),
  },
  /** One request at a time. */
  single: {
    ...plain,
    receiver: "plain",
    oneAtATime: true,
    list: (applied) => json({ data: plainRows(applied) }),
    refused: (error) => json({ error }, error === "busy" ? 409 : 400),
  },
  /** Staged changes belong to the TCP connection on which they came. */
  connection: {
    ...plain,
    receiver: "plain",
    stagingBy: "connection",
    list: (applied) => json({ data: plainRows(applied) }),
  },
  /** Ranges with octets of three digits; strict, and one address is never taken. */
  padded: {
    ...plain,
    receiver: "plain",
    isStrict: true,
    refuses: span("203.0.113.4/32") ?? "",
    list: (applied) =>
      json({
        data: [...applied].map(([key, prio]) => ({ from: padded(ends(key).first), to: padded(ends(key).last), prio })),
      }),
  },
} as const satisfies Record<string, NodeKind>;

function lua(value: unknown): Reply {
  return { body: `\uFEFF${JSON.stringify(value)}` };
}

const table = (rows: readonly unknown[]) => (rows.length === 0 ? {} : rows);

function padded(address: string): string {
  return address
    .split(".")
    .map((octet) => octet.padStart(3, "0"))
    .join(".");
}
