import type { RawEntry } from "../problems";

/** Result for a line: an entry with the list that it belongs to, nothing, or a problem. */
export type LineResult =
  | { readonly entry: RawEntry; readonly list: string }
  | { readonly problem: string; readonly at?: string }
  | "nothing";

/** Form of lines that hold one prefix beside words whose meaning is known. */
interface LineKind {
  readonly test: RegExp;
  /** @param now Milliseconds since 1970, from which times to live count. */
  read(line: string, now: number, lists: KnownLists): LineResult;
}

/** Facts about lists from earlier lines of a file, by their names. */
export class KnownLists {
  /** Seconds that entries of a list live which name no time. */
  readonly timeouts = new Map<string, number>();
  /** Lists that have entries. */
  readonly filled = new Set<string>();
}

/** A word that nothing here reads: it may change the meaning of its line. */
const unknown = (word: string, what: string): LineResult => ({
  problem: `${JSON.stringify(word)} may change the meaning of ${what}: remove the line, or write its prefix alone.`,
  at: word,
});

/** The expiry after a time to live, none after 0; `undefined` for a time beyond the last one that an entry can have. */
function expiry(seconds: number, now: number): { readonly expires?: string } | undefined {
  if (seconds === 0) return {};
  const end = now + seconds * 1_000;
  return end < END_OF_TIME ? { expires: `${new Date(end).toISOString().slice(0, 19)}Z` } : undefined;
}

/** Years of ISO times have four digits. */
const END_OF_TIME = Date.UTC(10_000, 0);

/** Words, and texts in quotes without these. */
const wordsOf = (line: string) => [...line.matchAll(/(?:[^\s"]|"(?:[^"\\]|\\.)*")+/g)].map(([word]) => word);
const unquoted = (text: string) => text.replace(/^"(.*)"$/, "$1").replace(/\\(.)/g, "$1");

/** `add blocked 192.0.2.0/24 timeout 600 comment "scanner"`, and the line that creates the set. */
const ipset: LineKind = {
  test: /^\s*(?:create|add|-N|-A)\s+\S+\s+[^\s=]+(?:\s|$)/,
  read(line, now, { timeouts }) {
    const [command, list = "", what = "", ...words] = wordsOf(line);
    if (command === "create" || command === "-N") {
      if (!/^(?:hash:(?:ip|net)|bitmap:ip)$/.test(what)) return unknown(what, "the set");
      const seconds = Number(words[words.indexOf("timeout") + 1]);
      if (words.includes("timeout") && seconds > 0) {
        if (!expiry(seconds, now)) return unknown(`timeout ${seconds}`, "the set");
        timeouts.set(list, seconds);
      }
      const mask = words.find((word) => /^(?:net|bit)mask$/.test(word));
      return mask === undefined ? "nothing" : unknown(mask, "the set");
    }
    const isTimed = words.includes("timeout");
    const note: { reason?: string; expires?: string } = { ...(!isTimed && expiry(timeouts.get(list) ?? 0, now)) };
    for (let at = 0; at < words.length; at += 2) {
      const [word = "", value = ""] = words.slice(at, at + 2);
      const time = word === "timeout" && /^\d+$/.test(value) ? expiry(Number(value), now) : undefined;
      if (time) Object.assign(note, time);
      else if (word === "comment") note.reason = unquoted(value);
      else if (word !== "packets" && word !== "bytes") return unknown(word, "the entry");
    }
    return { entry: { prefix: what, ...note }, list };
  },
};

/** `ip prefix-list NAME seq 5 permit 192.0.2.0/24`, as Cisco, FRR and bgpq4 write it. */
const prefixList: LineKind = {
  test: /^\s*(?:no\s+)?ip(?:v6)?\s+prefix-list\s/i,
  read(line, _, { filled }) {
    const words = wordsOf(line);
    // bgpq4 begins with the removal of the former list.
    if (/^no$/i.test(words[0] ?? "")) {
      const isFirst = words.length === 4 && !filled.has(words[3] ?? "");
      return isFirst ? "nothing" : unknown(words[0] ?? "", "the list");
    }
    const [list = "", ...rest] = words.slice(2);
    if (/^description$/i.test(rest[0] ?? "")) return "nothing";
    const [action = "", prefix = "", ...more] = /^seq(?:uence)?$/i.test(rest[0] ?? "") ? rest.slice(2) : rest;
    if (!/^permit$/i.test(action)) return unknown(action, "the entry");
    return more[0] === undefined ? { entry: { prefix }, list } : unknown(more[0], "the entry");
  },
};

/** `add address=192.0.2.0/24 list=blocked comment="scanner"`, as RouterOS exports it. */
const routerOs: LineKind = {
  test: /^\s*(?:\/ipv?6?\s+firewall\s+address-list\b|add\s+\S*=)/,
  read(line, now) {
    const words = wordsOf(line.replace(/^\s*\/ipv?6?\s+firewall\s+address-list\s*/, ""));
    if (words.length === 0) return "nothing";
    if (words[0] !== "add") return unknown(words[0] ?? "", "the list");
    const members = new Map(
      words.slice(1).map((word): [string, string] => {
        const at = word.indexOf("=");
        return at < 0 ? [word, ""] : [word.slice(0, at), unquoted(word.slice(at + 1))];
      }),
    );
    const known = new Set(["address", "list", "comment", "timeout", "disabled", "dynamic", "creation-time"]);
    const odd = [...members.keys()].find((name) => !known.has(name));
    if (odd !== undefined) return unknown(odd, "the entry");
    const { disabled = "no", timeout, address, list = "", comment } = Object.fromEntries(members);
    if (!/^(?:no|false)$/.test(disabled)) return unknown(`disabled=${disabled}`, "the entry");
    const seconds = timeout === undefined ? 0 : span(timeout);
    const end = seconds === undefined ? undefined : expiry(seconds, now);
    if (!end) return unknown(`timeout=${timeout}`, "the entry");
    return { entry: { prefix: address, ...(comment && { reason: comment }), ...end }, list };
  },
};

/** Seconds of `1w2d3h4m5s` or `1d03:04:05`; `undefined` for other texts. */
function span(text: string): number | undefined {
  const found = /^(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+):(\d\d):(\d\d))?$/.exec(text);
  if (!found || text === "") return undefined;
  const [w = 0, d = 0, h = 0, m = 0, s = 0, hh = 0, mm = 0, ss = 0] = found.slice(1).map((part) => Number(part ?? 0));
  return w * 604_800 + d * 86_400 + (h + hh) * 3_600 + (m + mm) * 60 + s + ss;
}

/** `Some network:192.0.2.0-192.0.2.255`, as PeerGuardian writes it. */
const p2p: LineKind = {
  test: /^[^/\d:#;\s].*:\s*\d{1,3}(?:\.\d{1,3}){3}\s*-\s*\d{1,3}(?:\.\d{1,3}){3}\s*$/,
  read(line) {
    const at = line.lastIndexOf(":");
    return { entry: { prefix: line.slice(at + 1).trim(), reason: line.slice(0, at).trim() }, list: "" };
  },
};

const KINDS: readonly LineKind[] = [ipset, prefixList, routerOs, p2p];

/** Longest line of such a form: expressions over a longer one can take quadratic time. */
const LONGEST = 1_000;

/** Reads a line of such a form; `undefined` for other lines. */
export function readKnownLine(line: string, now: number, lists: KnownLists): LineResult | undefined {
  // Most lines begin with a digit.
  const code = line.charCodeAt(0);
  if ((code >= 48 && code <= 57) || line.length > LONGEST) return undefined;
  const found = KINDS.find(({ test }) => test.test(line))?.read(line, now, lists);
  if (typeof found === "object" && "entry" in found) lists.filled.add(found.list);
  return found;
}
