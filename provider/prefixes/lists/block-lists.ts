import { isObject } from "../../model/json";
import { PrefixFinder } from "../record-prefix";
import { type Element, elements, has, member, type PublishedList } from "./list";

const usual = new PrefixFinder();

const ADDRESSES = /^(ip|range)$/i;
/** A decision without a type is a ban, as for `cscli decisions import`. */
const BAN = /^(ban)?$/i;

/** Lists of addresses to block. */
export const blockLists: readonly PublishedList[] = [
  // `drop_v4.json`, `drop_v6.json`: a record on each line, the last one has their number. `drop.txt`: `prefix ; SBLn`.
  {
    name: "Spamhaus DROP",
    record: {
      recognises: (members) => has(members, "cidr", "sblid"),
      find: (members) => usual.find(members),
      members: { prefix: ["cidr"], reason: ["sblid"] },
      closing: { recognises: ({ type }) => type === "metadata", records: "records" },
    },
    text: { reason: /^SBL\d+$/ },
  },
  // `asndrop.json` looks like its siblings, but lists autonomous systems.
  {
    name: "Spamhaus ASN-DROP",
    record: {
      recognises: (members) => has(members, "asn", "asname"),
      members: {},
      refuses: () =>
        "lists autonomous systems, which have no prefixes here: read drop_v4.json and drop_v6.json instead.",
    },
  },
  // Netsets have `Entries : N subnets, M unique IPs`, ipsets of single addresses `Entries : N unique IPs`: as other comments
  // with a number.
  { name: "FireHOL" },
  // `ipblocklist.json`: an array of servers; one address can come with several ports.
  { name: "Feodo Tracker" },
  // `block.txt`: start, end, prefix length and more, separated by tabs, below a head line that is not a comment.
  {
    name: "DShield",
    text: {
      head: /^Start\tEnd\t/i,
      // A line that is cut in its end address would be a narrower range: the field after it shows that it is whole.
      prefix: ([start = "", end = "", bits]) => (bits === undefined ? undefined : `${start.trim()}-${end.trim()}`),
    },
  },
  // Decisions: `value` is the address, never the value of an entry. `duration` has no start, so that an expiry made of it would
  // change with each reading: without `until`, a decision lasts as long as it is listed. Only decisions that CrowdSec enforces are read: none
  // that is simulated, and none of another type than `ban`.
  {
    name: "CrowdSec",
    record: {
      recognises: (members) => has(members, "value") && (has(members, "duration") || has(members, "scope")),
      members: { prefix: ["value"], reason: ["reason", "scenario"], expires: ["until"] },
      ignores: ["duration"],
      omits: [
        { member: "simulated", words: "simulated", when: (value) => String(value).toLowerCase() === "true" },
        { member: "type", words: 'of another type than "ban"', when: (value) => !BAN.test(String(value ?? "")) },
      ],
      refuses: ({ scope }) =>
        scope === undefined || scope === "" || ADDRESSES.test(String(scope))
          ? undefined
          : `is a decision on the scope ${JSON.stringify(scope)}, which has no prefix: set select: { scope: ["Ip", "Range"] }, as the file spells them.`,
    },
    // `cscli decisions list --output json` lists alerts, each with its decisions.
    find(root) {
      if (!Array.isArray(root) || !root.some((alert) => Array.isArray(member(alert, "decisions")))) return undefined;
      return root.flatMap((alert: unknown, index): Element[] => {
        if (!isObject(alert) || !has(alert, "decisions")) return [{ path: [index], record: alert }];
        return elements(alert, "decisions").map(({ path, record }) => ({
          path: [index, ...path],
          record: isObject(record) ? { simulated: member(alert, "simulated"), ...record } : record,
        }));
      });
    },
  },
];
