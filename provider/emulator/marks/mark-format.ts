/**
 * Members of a record, each with its short name and its long one. The contract names the ID, the value and the lifetime and shows
 * no record; each form of it is a possible reading, and clients must understand all of them.
 */
const NAMES = {
  address: ["a", "addr"],
  source: ["src", "saddr"],
  destination: ["dst", "daddr"],
  sourcePort: ["sport", "sport"],
  destinationPort: ["dport", "dport"],
  protocol: ["proto", "proto"],
  id: ["id", "id"],
  value: ["v", "value"],
  lifetime: ["t", "lifetime"],
  age: ["age", "age"],
  status: ["status", "status"],
} as const;

const RENAMED = `(${Object.keys(NAMES).join("|")})=[A-Za-z_][\\w-]{0,19}`;

/** Texts that {@link memberNames} reads. */
export const MARK_KEYS = new RegExp(`^(short|long|${RENAMED}(,${RENAMED})*)$`);

/** The names of members that a text says: `short`, `long`, or the short ones but for some, as in `address=ip,value=hits`. */
export function memberNames(keys: string): Record<string, string> {
  const own = Object.entries(NAMES).map(([member, [short, long]]) => [member, keys === "long" ? long : short]);
  const others = keys.includes("=") ? keys.split(",").map((part) => part.split("=")) : [];
  return Object.fromEntries([...own, ...others]);
}
