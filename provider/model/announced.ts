/** Number of elements that a list announces of itself. */
export interface Announced {
  readonly count: number;
  /** The list's own word for its elements. */
  readonly noun: string;
}

const NOUNS = "entries|records|prefixes|networks|subnets|cidrs|rows|lines";
const NUMBER = String.raw`(?<count>\d{1,3}(?:,\d{3})+|\d{1,10})`;
/** `Entries : 4,513 subnets, 612,345,678 unique IPs`; `Total number of prefixes: 250`. */
const NAMED = new RegExp(
  `^(?:total |number of )*(?<name>${NOUNS})\\s*[:=]\\s*${NUMBER}(?:\\s+(?<noun>${NOUNS}|unique IPs))?(?:$|[\\s,;.(])`,
  "i",
);
/** `END 250 entries`; `total: 250 prefixes`. */
const COUNTED = new RegExp(`^(?:end|total)?\\s*[:(]?\\s*${NUMBER}\\s+(?<noun>${NOUNS})[\\s.)]*#*$`, "i");

/** The number of elements that a comment announces, with or without the sign of comments; `undefined` for other comments. */
export function announcedIn(comment: string): Announced | undefined {
  const text = comment.replace(/^[#;/!\s]+/, "").trimEnd();
  const { count, noun, name = "" } = (NAMED.exec(text) ?? COUNTED.exec(text))?.groups ?? {};
  return count === undefined
    ? undefined
    : { count: Number(count.replaceAll(",", "")), noun: noun ?? name.toLowerCase() };
}
