import { z } from "zod";
import { MARK_KEYS } from "../marks";
import { MARK_WORDS } from "../validation/mark-type";
import { choice, named, placed, template } from "./switch";

function envelopeOf(list: string) {
  return placed("same", [], `Place of the list of ${list}; same: as listEnvelope.`);
}

const FORMATS = ["json", "ndjson", "lines", "ok-lines", "csv", "csv-head"] as const;

export type ListFormat = (typeof FORMATS)[number];

const [, ...OTHER_FORMATS] = FORMATS;

function formatOf(list: string) {
  return choice(["same", ...FORMATS], `Format of the list of ${list}; same: as listFormat.`, [...OTHER_FORMATS]);
}

/** Switches for the form and content of the node API's lists (docs/contributing/contract.md#node-answers, docs/contributing/contract.md#marks). */
export const LIST_SWITCHES = {
  listFormat: choice(
    FORMATS,
    "Form of lists. json: one JSON text. ndjson: one JSON text on each line. lines: one record on each line, its fields separated by blanks; ok-lines: the same after a line OK n. csv: fields separated by commas; csv-head: the same after a line with their names. The fields of an entry are its members in their order, or only its prefix if entryForm is string and the value 1. A profile has its name, a rule its id and name. A mark has id, value, lifetime, age and status if shown, source, destination, both ports and protocol. A missing field is -, or empty between commas.",
    [...OTHER_FORMATS],
  ),
  profilesFormat: formatOf("profiles"),
  rulesFormat: formatOf("rules"),
  marksFormat: formatOf("marks"),
  listEnvelope: placed(
    "data",
    [
      "array",
      "result",
      "results",
      "response",
      "entries",
      "records",
      "items",
      "list",
      "rows",
      "DATA",
      "data.items",
      "keyed",
    ],
    "Place of a list in its answer. A name: the member that holds the list. Dots join the names of nested members, 0 is an array around the list, and {arena}, {profile} and {set} are replaced by names of the request. array: a bare array. keyed (prefix-sets only): an object keyed by prefix.",
    ["0.data", "{arena}.{set}"],
  ),
  setTemplate: template(
    "a prefix-set",
    "{prefix}, {address}, {length}, {netmask}, {last}, {padded} and {lastPadded} (octets of three digits), {integer} and {value}",
  ),
  profilesTemplate: template("profiles", "{name}"),
  rulesTemplate: template("rules", "{id} and {name}"),
  marksTemplate: template(
    "marks",
    "{id}, {value}, {lifetime}, {age}, {status}, {address}, {source}, {destination}, {sourcePort}, {destinationPort} and {protocol}",
  ),
  listVerdict: choice(
    ["none", "status", "count", "code", "code-1000"],
    "Members beside a list in its outermost object: none, or those of the answer with that name in the switch success.",
    ["code-1000"],
  ),
  profilesEnvelope: envelopeOf("profiles"),
  rulesEnvelope: envelopeOf("rules"),
  marksEnvelope: envelopeOf("marks"),
  emptyList: choice(
    ["own", "array", "null"],
    "An empty list: in the form of a full one ([], or {} if it is keyed), always [], or null if it has an envelope.",
  ),
  prefixKey: named(
    "p",
    ["a", "prefix", "addr", "address", "ip", "cidr", "net", "network", "Prefix"],
    "Member of a listed entry that holds its prefix; any name.",
  ),
  valueKey: named("v", ["value", "val"], "Member of a listed entry that holds its value; any name."),
  lengthKey: named(
    "none",
    ["m", "mask", "len", "prefix_len", "bits"],
    "Member of a listed entry that holds the length of its prefix beside the address; any name; none: the prefix includes the length.",
  ),
  addressForm: choice(
    ["text", "integer", "hex", "octets", "range"],
    "The address of a listed entry that is an object: a text, an integer, a hexadecimal text (both IPv4 only), or an array of octets, each with its length under lengthKey (none: len); or the first and last address of a range.",
  ),
  rangeStartKey: named("start", ["from"], "Member of a listed range that holds its first address; any name."),
  rangeEndKey: named("end", ["to"], "Member of a listed range that holds its last address; any name."),
  valueForm: choice(["number", "text", "hex"], 'Form of the value of a listed entry: 7, "7" or "0x7".'),
  lengthForm: choice(["number", "netmask"], "A length beside its address: 24, or (IPv4 only) 255.255.255.0."),
  entryForm: choice(
    ["object", "string", "pair", "keyed"],
    "Form of listed entries: objects; plain strings if the value is 1; pairs [prefix, value]; or one object keyed by prefix in the place of the list.",
  ),
  singleAddress: choice(
    ["cidr", "bare"],
    "Form of a single address in the list of a prefix-set: 192.0.2.1/32 or 192.0.2.1.",
  ),
  nameKey: named("name", [], "Member of a listed profile or rule that holds its name; any name."),
  idKey: named("id", [], "Member of a listed rule that holds its id; any name."),
  markKeys: {
    schema: z
      .string()
      .regex(MARK_KEYS, 'must be "short", "long" or names of members, such as "address=ip,value=hits"')
      .default("short")
      .describe(
        "Member names of mark records. Short: a (or src and dst; of connections sport, dport and proto, a number), id, v, t. Long: addr (or saddr and daddr, sport, dport and proto, a name), id, value, lifetime. Or the short ones with other names for some members, such as address=ip,value=hits.",
      ),
    alternatives: ["long"],
  },
  markTypes: {
    schema: z
      .string()
      .regex(MARK_WORDS, 'must be types with the node\'s words for them, such as "shost=src-host,conn=flow"')
      .default("")
      .describe(
        "The node's own words for types of marks in requests, such as shost=src-host,conn=flow. A type with a word has no other name. Empty: the names of the contract.",
      ),
    alternatives: [],
    refusals: ["shost=src-host"],
    isDrawn: false,
  },
  markLifetimeUnit: {
    ...choice(["s", "ms"], "Unit of the lifetime of a mark: seconds or milliseconds.", ["ms"]),
    isDrawn: false,
  },
  markAgeUnit: { ...choice(["s", "ms"], "Unit of the age of a mark.", ["ms"]), isDrawn: false },
  markAge: choice(["hidden", "shown"], "Whether mark records carry their age."),
  markAddress: choice(
    ["bare", "cidr", "integer", "hex", "octets"],
    "Address in mark records: 192.0.2.1, 192.0.2.1/32, or in JSON a form of addressForm.",
  ),
  missingTable: choice(
    ["empty", "error"],
    "A list of marks of a type that neither rules nor state of the profile mention: an empty list, or the error for an unknown table.",
    ["error"],
  ),
  markExpired: choice(["hidden", "shown"], "Whether expired mark records are listed for a while, with status expired."),
  listShows: choice(["applied", "staged"], "Whether list shows the applied entries or those after a commit."),
  nested: choice(
    ["apart", "merged"],
    "Whether list keeps nested prefixes, or merges covered and adjacent ones of equal value.",
    ["merged"],
  ),
};
