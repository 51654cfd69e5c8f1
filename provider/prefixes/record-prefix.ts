import type { JsonObject } from "../model/json";
import { COUNTS, END_NAMES, LENGTH_NAMES, START_NAMES } from "../model/member-names";
import type { HostBits } from "../model/prefix";
import { prefixIn } from "../model/readable";
import { isBareAddress, lengthIn, likelyLength, mayBeLength, mayBeSize } from "./lengths";
import { IN_TEXT, type PrefixColumns } from "./options";
import { shown } from "./problems";
import { rangeEnds, rangeToPrefixes } from "./range";

/** Names of prefixes and addresses, in lower case; of several, the first that a record has counts. */
const PREFIX_NAMES =
  "prefix cidr network subnet ip address ip_address ip_prefix ipv6_prefix ipv4prefix ipv6prefix ip_range range".split(
    " ",
  );

/** True for the usual name of a prefix, in any case. */
export function isPrefixName(name: string): boolean {
  return PREFIX_NAMES.includes(name.toLowerCase().replace(/[\s-]+/g, "_"));
}

/** The prefix of a record, as a text for the parser, or the problem with it. */
export interface FoundPrefix {
  readonly prefix?: unknown;
  /** Member to which a problem of the prefix belongs. */
  readonly name?: string;
  readonly problem?: string;
}

type Role = "prefix" | "length" | "start" | "end" | "other";

/** Names of the members by role, or a problem with one. */
type Sorted = { readonly [R in Role]?: string } & Pick<FoundPrefix, "name" | "problem">;

const COLUMN_OF = { length: "prefixLength", start: "prefix", end: "end" } as const;

/**
 * Finds the prefix in records under usual names, or under those of `columns`. An address with a length, a netmask or a last
 * address beside it is read as that prefix or range. An address beside something that only may be its length is a problem:
 * one address would be read instead of a network.
 */
export class PrefixFinder {
  private readonly roles = new Map<string, Role>();

  constructor(
    private readonly columns?: PrefixColumns,
    private readonly hostBits?: HostBits,
  ) {}

  recognises(record: JsonObject): boolean {
    const { prefix } = this.columns ?? {};
    if (prefix !== undefined) return Object.hasOwn(record, String(prefix));
    const roles = new Set(Object.keys(record).map((name) => this.roleOf(name)));
    return roles.has("prefix") || (roles.has("start") && roles.has("end"));
  }

  find(record: JsonObject): FoundPrefix {
    const named = this.sort(record);
    const { length, start, end } = named;
    if (named.problem !== undefined) return named;
    const name = named.prefix ?? start;
    if (name === undefined) return { problem: "has no prefix." };
    const text = record[name];
    if (typeof text !== "string") return { prefix: text, name };
    const spelling = text.trim();
    const isBare = isBareAddress(spelling);
    if (length !== undefined) {
      const bits = lengthIn(record[length]);
      if (bits === undefined)
        return {
          name: length,
          problem: `${shown(record[length])} is no prefix length and no netmask: write the length.`,
        };
      if (end !== undefined && isBare)
        return sameRange(`${spelling}-${String(record[end]).trim()}`, `${spelling}/${bits}`, name);
      if (!isBare) return sameLength(spelling, bits, name, length);
      if (bits === 0 && prefixIn(spelling)?.bits !== 0n)
        return { name: length, problem: `is the length 0 beside ${shown(spelling)}: that would be the default route.` };
      return { prefix: `${spelling}/${bits}`, name };
    }
    if (end !== undefined && isBare) return { prefix: `${spelling}-${String(record[end]).trim()}`, name };
    return isBare ? this.bare(record, spelling, name) : { prefix: spelling, name };
  }

  /** A bare address is one address only where nothing beside it may be its length. */
  private bare(record: JsonObject, spelling: string, name: string): FoundPrefix {
    const { columns } = this;
    if (columns?.prefixLength === IN_TEXT) return { prefix: spelling, name };
    for (const other in record) {
      const problem = this.problemOfMember(record[other], other, spelling);
      if (problem !== undefined) return { name: other, problem };
    }
    if (columns?.prefixLength !== undefined) return { name, problem: noLength(String(columns.prefixLength), spelling) };
    return { prefix: spelling, name };
  }

  private problemOfMember(content: unknown, name: string, spelling: string, depth = 0): string | undefined {
    const role = this.roleOf(name);
    if (depth === 0) {
      if (role === "length" && isAbsent(content)) return noLength(name, spelling);
      if (role !== "other" || this.isNamed(name)) return undefined;
    }
    if (typeof content === "object" && content !== null) return this.problemWithin(content, name, spelling, depth);
    if (name !== "value" && mayBeSize(spelling, content, SIZES.test(name))) {
      return `${placeOf(name)} may be the number of addresses from ${shown(spelling)} on: write prefixes or ranges, or set columns.prefixLength: "${IN_TEXT}" if lengths only follow a slash.`;
    }
    const length = lengthIn(content);
    if (length !== undefined && COUNTS.test(name) && !/[.:]/.test(String(content))) return undefined;
    if (
      !(length !== undefined && /len|mask|bits|cidr|prefix/i.test(name)) &&
      !mayBeLength(spelling, content, name === "value" ? "reject" : this.hostBits)
    )
      return undefined;
    const [what, column] =
      length === undefined && likelyLength(content) === undefined
        ? ["the end of a range", "end"]
        : ["a length", "prefixLength"];
    return `${placeOf(name)} looks like ${what} of ${shown(spelling)}; name it with columns.${column}, or set columns.prefixLength: "${IN_TEXT}" if lengths only follow a slash.`;
  }

  /** As {@link problemOfMember}, for what stands in an object or an array. */
  private problemWithin(content: object, name: string, spelling: string, depth: number): string | undefined {
    if (depth === DEEPEST) return undefined;
    for (const [inner, one] of Object.entries(content).slice(0, MOST)) {
      const own = Array.isArray(content) ? name : inner;
      if (this.problemOfMember(one, own, spelling, depth + 1) !== undefined)
        return `${placeOf(name)} holds ${shown(one)}, which looks like a length, an end or a size of ${shown(spelling)}: write records of prefixes, or set columns.prefixLength: "${IN_TEXT}" if lengths only follow a slash.`;
    }
    return undefined;
  }

  /** The members of a record by role. */
  private sort(record: JsonObject): Sorted {
    const found: { [R in Role]?: string } = {};
    for (const name in record) {
      const role = this.roleOf(name);
      const content = record[name];
      if (role === "other" || isAbsent(content)) continue;
      if ((role === "start" || role === "end") && !(typeof content === "string" && isBareAddress(content.trim())))
        continue;
      const earlier = found[role];
      if (earlier === undefined) found[role] = name;
      else if (role !== "prefix") {
        if (String(record[earlier]) !== String(content)) return two(earlier, name, COLUMN_OF[role]);
      } else if (isLength(content)) found.length ??= name;
      else if (isLength(record[earlier])) {
        found.length ??= earlier;
        found.prefix = name;
      } else if (String(record[earlier]).trim() !== String(content).trim()) return two(earlier, name, "prefix");
    }
    return found;
  }

  private isNamed(name: string): boolean {
    return this.columns !== undefined && Object.values(this.columns).some((column) => String(column) === name);
  }

  private roleOf(name: string): Role {
    let role = this.roles.get(name);
    if (role === undefined) {
      role = this.newRole(name);
      // There may be as many names as records.
      if (this.roles.size < 1_000) this.roles.set(name, role);
    }
    return role;
  }

  private newRole(name: string): Role {
    const { columns = {} } = this;
    const plain = name.toLowerCase().replace(/[\s-]+/g, "_");
    if (name === String(columns.prefix)) return "prefix";
    if (name === String(columns.prefixLength)) return "length";
    if (name === String(columns.end)) return "end";
    if (this.isNamed(name)) return "other";
    if (columns.prefix === undefined) {
      if (isPrefixName(name)) return "prefix";
      if (START_NAMES.includes(plain)) return "start";
    }
    if (columns.prefixLength !== undefined) return "other";
    if (LENGTH_NAMES.includes(plain)) return "length";
    return END_NAMES.includes(plain) && columns.end === undefined ? "end" : "other";
  }
}

/** Names of numbers of addresses. */
const SIZES = /size|hosts|addresses|ips$|^ip_?(?:count|num)|amount|quantity/i;
/** Deepest members, and most of each object, that are judged beside an address. */
const DEEPEST = 3;
const MOST = 50;

/** A member for messages; columns without a name have numbers. */
function placeOf(name: string): string {
  return /^\d+$/.test(name) ? `column ${name}, counted from 0,` : shown(name);
}

/** True for a member without content. */
export function isAbsent(content: unknown): boolean {
  return content === undefined || content === null || content === "";
}

function noLength(name: string, spelling: string): string {
  return `has no length in ${shown(name)}: write ${spelling.includes(":") ? 128 : 32} for one address.`;
}

/** True for a number or `/24` under the name of a prefix, which is then the length of another member. */
function isLength(content: unknown): boolean {
  return lengthIn(content) !== undefined && !(typeof content === "string" && /[.:]/.test(content));
}

function two(one: string, other: string, column: string): { readonly name: string; readonly problem: string } {
  return {
    name: other,
    problem: `${shown(one)} and ${shown(other)} differ: name the right one with columns.${column}.`,
  };
}

/** A range beside which its length stands: both must mean the same. */
function sameRange(range: string, prefix: string, name: string): FoundPrefix {
  const ends = rangeEnds(range);
  const isSame = ends && attemptRange(ends).join() === prefixIn(prefix)?.toString();
  return isSame
    ? { prefix, name }
    : { name, problem: `${shown(range)} and ${shown(prefix)} differ: correct one of them.` };
}

function attemptRange(ends: readonly [string, string]): readonly string[] {
  try {
    return rangeToPrefixes(...ends);
  } catch {
    return [];
  }
}

/** A whole prefix beside which a length stands. */
function sameLength(spelling: string, bits: number, name: string, length: string): FoundPrefix {
  const own = /\/(\d{1,3})$/.exec(spelling)?.[1];
  if (own === undefined || Number(own) === bits) return { prefix: spelling, name };
  return { name: length, problem: `${bits} is not the length of ${shown(spelling)}: correct one of them.` };
}
