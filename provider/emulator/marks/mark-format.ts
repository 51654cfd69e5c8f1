/**
 * Members of a record, each with its short and its long name. The contract names ID, value and lifetime but shows no record;
 * clients must understand each of these forms.
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

/** The member names of a setting: `short`, `long`, or the short ones with exceptions, as in `address=ip,value=hits`. */
export function memberNames(keys: string): Record<string, string> {
  const own = Object.entries(NAMES).map(([member, [short, long]]) => [member, keys === "long" ? long : short]);
  const others = keys.includes("=") ? keys.split(",").map((part) => part.split("=")) : [];
  return Object.fromEntries([...own, ...others]);
}
