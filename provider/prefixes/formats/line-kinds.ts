import type { RawEntry } from "../problems";

/** Result for a line: an entry with the list that it belongs to, nothing, or a problem. */
export type LineResult =
  | { readonly entry: RawEntry; readonly list: string }
  | { readonly problem: string; readonly at?: string }
  | "nothing";

/** Form of lines that hold one prefix beside words whose meaning is known. */
interface LineKind {
  readonly test: RegExp;
  /** @param filled Lists that have entries by earlier lines of the file, by their names. */
  read(line: string, filled: ReadonlySet<string>): LineResult;
}

/** A word that nothing here reads: it may change the meaning of its line. */
const unknown = (word: string, what: string): LineResult => ({
  problem: `${JSON.stringify(word)} may change the meaning of ${what}: remove the line, or write its prefix alone.`,
  at: word,
});

/** A time to live counts from a moment that the file does not name: at each reading it would begin again. */
const TIMELESS = /^(?:0|0s|00:00:00)$/;

/** Words, and texts in quotes without these. */
const wordsOf = (line: string) => [...line.matchAll(/(?:[^\s"]|"(?:[^"\\]|\\.)*")+/g)].map(([word]) => word);
const unquoted = (text: string) => text.replace(/^"(.*)"$/, "$1").replace(/\\(.)/g, "$1");

/** `add blocked 192.0.2.0/24 comment "scanner"`, and the line that creates the set. */
const ipset: LineKind = {
  test: /^\s*(?:create|add|-N|-A)\s+\S+\s+[^\s=]+(?:\s|$)/,
  read(line) {
    const [command, list = "", what = "", ...words] = wordsOf(line);
    if (command === "create" || command === "-N") {
      if (!/^(?:hash:(?:ip|net)|bitmap:ip)$/.test(what)) return unknown(what, "the set");
      const isOdd = (word: string, at: number) =>
        /^(?:net|bit)mask$/.test(word) || (word === "timeout" && !TIMELESS.test(words[at + 1] ?? ""));
      const odd = words.find(isOdd);
      return odd === undefined ? "nothing" : unknown(odd, "the set");
    }
    const note: { reason?: string } = {};
    for (let at = 0; at < words.length; at += 2) {
      const [word = "", value = ""] = words.slice(at, at + 2);
      if (word === "comment") note.reason = unquoted(value);
      else if (word !== "packets" && word !== "bytes" && !(word === "timeout" && TIMELESS.test(value)))
        return unknown(word, "the entry");
    }
    return { entry: { prefix: what, ...note }, list };
  },
};

/** `ip prefix-list NAME seq 5 permit 192.0.2.0/24`, as Cisco, FRR and bgpq4 write it. */
const prefixList: LineKind = {
  test: /^\s*(?:no\s+)?ip(?:v6)?\s+prefix-list\s/i,
  read(line, filled) {
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
  read(line) {
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
    const { disabled = "no", timeout = "0s", address, list = "", comment } = Object.fromEntries(members);
    if (!/^(?:no|false)$/.test(disabled)) return unknown(`disabled=${disabled}`, "the entry");
    if (!TIMELESS.test(timeout)) return unknown(`timeout=${timeout}`, "the entry");
    return { entry: { prefix: address, ...(comment && { reason: comment }) }, list };
  },
};

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
export function readKnownLine(line: string, filled: Set<string>): LineResult | undefined {
  // Most lines begin with a digit.
  const code = line.charCodeAt(0);
  if ((code >= 48 && code <= 57) || line.length > LONGEST) return undefined;
  const found = KINDS.find(({ test }) => test.test(line))?.read(line, filled);
  if (typeof found === "object" && "entry" in found) filled.add(found.list);
  return found;
}
