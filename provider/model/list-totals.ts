/** Number of elements that a list announces of itself. */
export interface Announced {
  readonly count: number;
  /** The list's own word for its elements. */
  readonly noun: string;
  /** True for a line that says that it ends the list. */
  readonly isEnd: boolean;
  /** True for a number of addresses, of which a prefix has many. */
  readonly isOfAddresses: boolean;
}

const NOUNS = "entries|records|prefixes|networks|netblocks|subnets|cidrs|ranges|rows|lines|items|elements|indicators";
const ADDRESSES = "(?:unique )?(?:ip(?:v[46])? )?addresses|(?:unique )?(?:ips|hosts)";
const NUMBER = String.raw`(?<count>\d{1,3}(?:,\d{3})+|\d{1,10})`;
/** `Entries : 4,513 subnets, 612,345,678 unique IPs`; `Total number of prefixes: 250`. */
const NAMED = new RegExp(
  `^(?:total |number of )*(?<name>${NOUNS}|${ADDRESSES})\\s*[:=]\\s*${NUMBER}(?:\\s+(?<noun>${NOUNS}|unique IPs))?(?:$|[\\s,;.(])`,
  "i",
);
/** `END 250 entries`; `total: 250 prefixes`; `250 IPs`. */
const COUNTED = new RegExp(`^(?:end|total)?\\s*[:(]?\\s*${NUMBER}\\s+(?<noun>${NOUNS}|${ADDRESSES})[\\s.)]*#*$`, "i");
/** `Count: 250`, and nothing else. */
const ALONE = new RegExp(`^(?:total|count)\\s*[:=]\\s*${NUMBER}$`, "i");
const OF_ADDRESSES = new RegExp(`^(?:${ADDRESSES})$`, "i");

/** The number of elements that a comment announces, with or without the sign of comments; `undefined` for other comments. */
export function announcedIn(comment: string): Announced | undefined {
  const text = comment.replace(/^[#;/!\s]+/, "").trimEnd();
  const found = (NAMED.exec(text) ?? COUNTED.exec(text) ?? ALONE.exec(text))?.groups;
  if (found?.count === undefined) return undefined;
  const noun = found.noun ?? found.name?.toLowerCase() ?? "records";
  return {
    count: Number(found.count.replaceAll(",", "")),
    noun,
    isEnd: /^end\b/i.test(text),
    isOfAddresses: OF_ADDRESSES.test(found.name ?? noun),
  };
}
