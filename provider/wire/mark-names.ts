import type { MarkType } from "../model/mark";
import type { Answers } from "./answers";
import { namesFor } from "./places";

/** Members of a mark that are numbers. */
type NumberField = "id" | "value" | "lifetime" | "age" | "sourcePort" | "destinationPort";
/** Members of a mark that are addresses. */
type AddressField = "address" | "source" | "destination";

/** Role of a member of a record. `name` is the member of a mark that keeps it. */
export type Field =
  | { readonly kind: "number"; readonly name: NumberField }
  | { readonly kind: "address"; readonly name: AddressField }
  | { readonly kind: "text"; readonly name: "status" | "protocol" };

/** Natural names of members of marks, the shortest first. */
export const MARK_NAMES: Readonly<Record<NumberField | AddressField | "status" | "protocol", readonly string[]>> = {
  id: ["id", "rule_id", "ruleid", "mark_id"],
  value: ["v", "value", "val"],
  lifetime: ["t", "ttl", "lifetime", "life", "left", "time_left", "remaining", "expires_in"],
  age: ["age"],
  sourcePort: ["sport", "sourceport", "source_port", "src_port", "srcport"],
  destinationPort: ["dport", "destinationport", "destination_port", "dst_port", "dstport"],
  address: ["a", "p", "addr", "address", "ip", "ipaddr", "ip_addr", "ipaddress", "ip_address"],
  source: ["src", "saddr", "source", "sip", "src_ip", "srcip", "src_addr", "source_ip", "source_address"],
  destination: [
    "dst",
    "daddr",
    "destination",
    "dip",
    "dst_ip",
    "dstip",
    "dst_addr",
    "destination_ip",
    "destination_address",
  ],
  status: ["status"],
  protocol: ["proto", "protocol", "ip_proto"],
};

const ADDRESSES: readonly string[] = ["address", "source", "destination"];

/** Roles of the members in the records of one list. */
export interface MarkNames {
  /** Role of a member by its name, for the names met so far. */
  readonly fields: ReadonlyMap<string, Field | null>;
  /** Role of a name that {@link fields} lacks, in any case; adds it there. */
  meet(name: string): Field | null;
  /** Roles that the settings name, by lower-case name. */
  readonly named: ReadonlyMap<string, Field>;
}

/**
 * The names of marks of one type. A table by source or by recipient has one address, however the node names it. Names that
 * were looked up are remembered: all records of a list have the same few.
 */
export function markNames(type: MarkType, answers: Answers | undefined): MarkNames {
  const fields = new Map<string, Field | null>();
  const named = new Map<string, Field>();
  for (const [member, names] of Object.entries(MARK_NAMES)) {
    const field = fieldFor(member, type);
    for (const name of names) fields.set(name, field);
  }
  for (const [member, name] of Object.entries(namesFor(answers ?? {}, "marks"))) {
    if (!Object.hasOwn(MARK_NAMES, member)) continue;
    named.set(name.toLowerCase(), fieldFor(member, type));
  }
  for (const [name, field] of named) fields.set(name, field);
  const meet = (name: string): Field | null => {
    const found = fields.get(name.toLowerCase()) ?? null;
    if (fields.size < MOST_REMEMBERED) fields.set(name, found);
    return found;
  };
  return { fields, meet, named };
}

const MOST_REMEMBERED = 1_000;

function fieldFor(member: string, type: MarkType): Field {
  if (member === "status" || member === "protocol") return { kind: "text", name: member };
  const own = (type === "shost" && member === "source") || (type === "dhost" && member === "destination");
  const name = own ? "address" : member;
  return ADDRESSES.includes(name)
    ? { kind: "address", name: name as AddressField }
    : { kind: "number", name: name as NumberField };
}
