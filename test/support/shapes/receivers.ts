import type { ReceiverOptions } from "../../../provider/client";
import { Told } from "../told";

/** A receiver as an engineer would write it who knows only the contract. What is left out is as the contract shows it. */
export interface ReceiverShape {
  /** Settings that read it. */
  readonly settings?: ReceiverOptions["answers"];
  /** The answer to a status. */
  readonly status?: (active: readonly string[]) => unknown;
  /** A success of start or stop. */
  readonly done?: (operation: "start" | "stop", count: number) => unknown;
  /** Answer to a start of active prefixes, to a stop of others, or to a wrong secret. */
  readonly refused?: (operation: "start" | "stop" | "secret") => unknown;
  /** One status shows one prefix at most. */
  readonly isSingle?: boolean;
}

const lines = (each: readonly string[]) => each.map((line) => `${line}\n`).join("");
const bare = (prefix: string) => prefix.replace(/\/32$/, "");

/** Every receiver of the matrix, by what is special about it. */
export const RECEIVERS: Readonly<Record<string, ReceiverShape>> = {
  "as the contract shows it": {},
  "the member in capitals": { status: (IP_PREFIX) => ({ IP_PREFIX }) },
  "single addresses without a length": { status: (active) => ({ IP_prefix: active.map(bare) }) },
  "under result, with a status": { status: (IP_prefix) => ({ status: "ok", result: { IP_prefix } }) },
  "one prefix as a text": {
    isSingle: true,
    status: ([only]) => ({ IP_prefix: only ?? [] }),
  },
  "no slice is null": { status: (active) => ({ IP_prefix: active.length > 0 ? active : null }) },
  "Go: an empty object when nothing is active": {
    status: (IP_prefix) => (IP_prefix.length > 0 ? { IP_prefix } : {}),
    settings: { empty: "{}" },
  },
  "shell: nothing when nothing is active": {
    status: (IP_prefix) => (IP_prefix.length > 0 ? { IP_prefix } : ""),
    settings: { empty: "" },
  },
  "404 when nothing is active": {
    status: (IP_prefix) => (IP_prefix.length > 0 ? { IP_prefix } : new Told(404, { detail: "Not Found" })),
    settings: { empty: 404 },
  },
  "404 that says so": {
    status: (IP_prefix) => (IP_prefix.length > 0 ? { IP_prefix } : new Told(404, "no active signaling")),
  },
  "the list alone": {
    status: (active) => active,
    settings: { empty: "{}" },
  },
  "under another name": {
    status: (active) => ({ active, count: active.length }),
    settings: { name: "active" },
  },
  "deep under other names": {
    status: (prefixes) => ({ reply: { signaling: { prefixes } } }),
    settings: { path: "reply.signaling", name: "prefixes" },
  },
  "records with since": {
    status: (active) => ({ IP_prefix: active.map((prefix) => ({ prefix, since: 1_764_000_000 })) }),
  },
  "keyed by prefix": {
    status: (active) => ({ IP_prefix: Object.fromEntries(active.map((prefix) => [prefix, { since: 3 }])) }),
    settings: { empty: "{}" },
  },
  "shell: a prefix a line": {
    status: (active) => lines(active.map(bare)),
    settings: { format: "lines", empty: "" },
  },
  "C: OK, a number and lines": {
    status: (active) => lines([`OK ${active.length}`, ...active.map((prefix) => `${prefix} UDP flood`)]),
    settings: { format: "lines" },
  },
  "CSV with a head": {
    status: (active) => lines(["prefix,since,reason", ...active.map((prefix) => `${prefix},3,"UDP, flood"`)]),
    settings: { format: "csv" },
  },
  NDJSON: {
    status: (active) => lines(active.map((prefix) => JSON.stringify({ prefix }))),
    settings: { format: "ndjson", empty: "" },
  },
  "C: a NUL behind the text": { done: () => "ok\0", status: (IP_prefix) => `${JSON.stringify({ IP_prefix })}\0` },
  "an object that says ok": { done: () => ({ status: "ok" }) },
  "201 without a body": { done: () => new Told(201) },
  "204": { done: () => new Told(204) },
  "words that say the same": { done: (operation) => (operation === "start" ? "Started." : "stopped\n") },
  "a code of its own": {
    done: () => ({ rc: 1, text: "done" }),
    refused: () => ({ rc: 9, text: "no" }),
    settings: { success: { member: "rc", values: [1] } },
  },
  "a code of its own for a stop that fails": {
    done: (_operation, count) => ({ rc: count }),
    refused: (operation) =>
      operation === "start" ? new Told(409, { error: "cloud signaling already active" }) : { rc: -1 },
    settings: { failure: { member: "rc", values: [-1] } },
  },
  "a code of its own for each failure": {
    done: (_operation, count) => ({ n: count }),
    refused: (operation) => ({ n: operation === "start" ? -3 : -2 }),
    settings: { failure: { member: "n", values: [-2, -3] } },
  },
  "another verdict for each operation": {
    done: (operation) => ({ state: operation === "start" ? "ACTIVE" : "IDLE" }),
    refused: () => ({ state: "DENIED" }),
    settings: {
      success: { start: { member: "state", values: ["active"] }, stop: { member: "state", values: ["idle"] } },
    },
  },
  "texts of its own for each operation": {
    done: (operation) => `Signaling ${operation === "start" ? "started" : "stopped"}`,
    refused: () => "NAK",
    settings: { success: { start: { text: "signaling started" }, stop: { text: "signaling stopped" } } },
  },
  "a text of its own for a stop": {
    done: (operation, count) => (operation === "start" ? { state: "ACTIVE", id: count } : "signaling stopped"),
    refused: () => "NAK",
    settings: { success: { start: { member: "state", values: ["ACTIVE"] }, stop: { text: "signaling stopped" } } },
  },
  "errors in a 200": {
    refused: (operation) => ({
      error: operation === "start" ? "Cloud signaling already active" : "Cloud signaling is not active",
    }),
  },
};
