import { isObject } from "../model/json";
import { member } from "./lists/list";
import { linesOf } from "./source";

/** Elements of all sets of `nft -j`, one a line: addresses, prefixes and ranges, also those with a timeout. */
const NFT_LINES =
  `jq -r '.nftables[].set.elem[]? | (.elem.val)? // . | if type == "string" then . elif .prefix then ` +
  `"\\(.prefix.addr)/\\(.prefix.len)" else .range | join("-") end'`;

const NFTABLES = `is a set of nftables: write its elements one a line, for example with nft -j list set FAMILY TABLE SET | ${NFT_LINES}`;

const ACCESS_LIST = "is an access list, whose lines have actions, wildcards and ports: write its prefixes one a line.";

/** Files that hold prefixes and are not read, by one of their first lines, and the way to make one of them that is. */
const TEXTS: readonly { readonly test: RegExp; readonly is: string }[] = [
  { test: /^<(?:!doctype|html|\?xml)/i, is: "is a page or an error message, not a list: fetch it again." },
  { test: /^(?:table\s+\S+\s+\S+|set\s+\S+)\s*\{/, is: NFTABLES },
  { test: /\belements\s*=\s*\{/, is: NFTABLES },
  {
    test: /^(?:\d(?:\.\d)?\|)?[a-z]+\|[^|]*\|[^|]*\|[^|]*\|[^|]*\|/,
    is: "is a file of delegated resources (start and number of addresses): write the ranges as start-end, one a line.",
  },
  { test: /^(?:ip|ipv6)\s+access-list\b/i, is: ACCESS_LIST },
  { test: /^access-list\s+\S+\s+(?:permit|deny)\b/i, is: ACCESS_LIST },
  { test: /^(?:\d+\s+)?(?:permit|deny)\s+(?:ip|tcp|udp|host|any|\d)/i, is: ACCESS_LIST },
  {
    test: /^"?\d{5,10}"?,"?\d{5,10}"?,/,
    is: "is a list of IP2Location, with addresses as integers: take its CIDR edition, or write the ranges as start-end.",
  },
];

/** Characters that show the kind of a file. */
const BEGIN = 2_000;

/** The sentence about a text that cannot be read; `undefined` for any other. */
export function foreignText(head: string): string | undefined {
  const lines = [...linesOf([head.slice(0, BEGIN)])].map((line) => line.trim());
  return TEXTS.find(({ test }) => lines.some((line) => test.test(line)))?.is;
}

/** As {@link foreignText}, for the value of a JSON or YAML document. */
export function foreignDocument(root: unknown): string | undefined {
  if (!isObject(root)) return undefined;
  if (Array.isArray(member(root, "nftables"))) {
    return `is the JSON of nftables: write the elements one a line, for example with ${NFT_LINES}`;
  }
  if (member(root, "type") === "bundle" && Array.isArray(member(root, "objects"))) {
    return "is a bundle of STIX: write the addresses of its indicators as an array or one a line, for example with jq.";
  }
  const event = member(root, "Event") ?? (Array.isArray(member(root, "response")) ? root : undefined);
  if (event !== undefined && JSON.stringify(event).includes('"Attribute"')) {
    return "is an event of MISP: export its addresses as text (restSearch with returnFormat: text), or write them one a line.";
  }
  return undefined;
}
