import { z } from "zod";
import { MARK_KEYS } from "../marks";
import { choice, named } from "./switch";

function envelopeOf(list: string) {
  return named("same", [], `Where the list of ${list} stands, if not as listEnvelope says (same).`);
}

/** How the node API writes lists, and what it shows in them (docs/contract.md#node-answers, docs/contract.md#marks). */
export const LIST_SWITCHES = {
  listEnvelope: named(
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
    "Where a list stands in its answer: under a member of this name (any name; names within one another are joined by dots), as a bare array, or (keyed, prefix-sets only) as an object keyed by prefix.",
  ),
  profilesEnvelope: envelopeOf("profiles"),
  rulesEnvelope: envelopeOf("rules"),
  marksEnvelope: envelopeOf("marks"),
  emptyList: choice(
    ["own", "array", "null"],
    "An empty list: in the form of a full one ([], or {} where it is keyed), always [], or null where it stands in an envelope.",
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
    "Member of a listed entry that holds the length of its prefix beside the address; any name; none: the length stands in the prefix.",
  ),
  lengthForm: choice(["number", "netmask"], "A length beside its address: 24, or (IPv4 only) 255.255.255.0."),
  entryForm: choice(
    ["object", "string", "pair", "keyed"],
    "Form of listed entries: objects; plain strings where the value is 1; pairs [prefix, value]; or one object keyed by prefix in the place of the list.",
  ),
  singleAddress: choice(["cidr", "bare"], "How a prefix-set lists a single address: 192.0.2.1/32 or 192.0.2.1."),
  nameKey: named("name", [], "Member of a listed profile or rule that holds its name; any name."),
  idKey: named("id", [], "Member of a listed rule that holds its id; any name."),
  markKeys: {
    schema: z
      .string()
      .regex(MARK_KEYS, 'must be "short", "long" or names of members, such as "address=ip,value=hits"')
      .default("short")
      .describe(
        "Member names of mark records: a, id, v, t or addr, id, value, lifetime; or the short ones but for some, as in address=ip,value=hits.",
      ),
    alternatives: ["long"],
  },
  markAge: choice(["hidden", "shown"], "Whether mark records carry their age in seconds."),
  markAddress: choice(["bare", "cidr"], "How mark records write an address: 192.0.2.1 or 192.0.2.1/32."),
  missingTable: choice(
    ["empty", "error"],
    "A list of marks of a type that neither the rules nor the state of the profile speak of: an empty list, or the error for what does not exist.",
    ["error"],
  ),
  markExpired: choice(["hidden", "shown"], "Whether expired mark records are listed for a while, with status expired."),
  listShows: choice(["applied", "staged"], "Whether list shows applied entries or what a commit would make of them."),
  nested: choice(
    ["apart", "merged"],
    "Whether list shows nested prefixes as they are, or merges covered and adjacent ones of equal value.",
    ["merged"],
  ),
};
