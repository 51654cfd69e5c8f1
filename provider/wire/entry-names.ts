import type { Answers } from "./answers";
import { couldBeLength, lengthOf } from "./listed-prefix";

type Json = Readonly<Record<string, unknown>>;

/** What a member of a listed entry can be. */
export type EntryRole = "prefix" | "length" | "value";

const NATURAL: ReadonlyMap<string, EntryRole | "known"> = new Map<string, EntryRole | "known">([
  ...all("prefix", "p", "a", "prefix", "addr", "address", "ip", "cidr", "net", "network"),
  ...all("length", "m", "mask", "netmask", "len", "plen", "prefixlen", "prefix_len", "prefixlength", "prefix_length"),
  ...all("length", "bits"),
  ...all("value", "v", "value", "val"),
  // Numbers that rows of tables have; none of them is taken for a length.
  ...all("known", "id", "age", "ttl", "lifetime", "life"),
]);

function all<R extends string>(role: R, ...names: string[]): [string, R][] {
  return names.map((name) => [name, role]);
}

/** What a name means by itself, whatever its case; `known` for one that is never a length. */
export function naturalRole(name: string): EntryRole | "known" | undefined {
  return NATURAL.get(name) ?? NATURAL.get(name.toLowerCase());
}

/** What the members of one record are. */
interface EntryMembers {
  readonly prefix?: unknown;
  readonly length?: unknown;
  readonly value?: unknown;
  /** Two members claim this role: two prefixes, or values or lengths that differ. */
  readonly hasTwo?: EntryRole;
  /** Name of another member that could be the length of a bare address, or the end of a range. */
  readonly suspect?: string;
}

/** Tells the members of a listed entry apart. */
export type ReadMembers = (record: Json) => EntryMembers;

/**
 * Makes the reader for one list. Names count without regard to case. A name from the settings comes before the natural
 * ones in every record that has it, and a named `prefixLength` says that no other member is a length.
 */
export function membersReader(answers: Answers | undefined): ReadMembers {
  const { prefix, prefixLength, value } = answers?.names ?? {};
  const given = { prefix, length: prefixLength, value };
  const named = new Map<string, EntryRole>();
  for (const role of ["prefix", "length", "value"] as const) {
    const name = given[role];
    if (name !== undefined) named.set(name.toLowerCase(), role);
  }
  return (record) => {
    const members: { -readonly [M in keyof EntryMembers]: EntryMembers[M] } = {};
    const settled = named.size > 0 ? readNamed(record, named, members) : undefined;
    for (const name in record) {
      const role = naturalRole(name);
      const content = record[name];
      if (role === "known" || settled?.names.has(name)) continue;
      if (role === undefined || settled?.roles.has(role)) {
        if (prefixLength !== undefined || !couldBeLength(content) || isSameAddress(content, members.prefix)) continue;
        members.suspect ??= name;
      } else if (members[role] === undefined) {
        if (role !== "length" || content !== null) members[role] = content;
      } else if (role === "prefix" || members[role] !== content) members.hasTwo ??= role;
    }
    return members;
  };
}

/** The same address once more says nothing of a length, unless it is its own netmask, as that of 128.0.0.0/1. */
function isSameAddress(content: unknown, prefix: unknown): boolean {
  return content === prefix && lengthOf(content) === undefined;
}

/** Reads what the settings name; returns the names and roles that are settled with that. */
function readNamed(record: Json, named: ReadonlyMap<string, EntryRole>, members: { [R in EntryRole]?: unknown }) {
  const settled = { names: new Set<string>(), roles: new Set<EntryRole>() };
  for (const name in record) {
    const role = named.get(name.toLowerCase());
    if (role === undefined) continue;
    settled.names.add(name);
    settled.roles.add(role);
    if (role !== "length" || record[name] !== null) members[role] = record[name];
  }
  return settled;
}
