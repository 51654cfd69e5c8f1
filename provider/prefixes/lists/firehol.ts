import type { PublishedList } from "./list";

/** Netsets say `Entries : N subnets, M unique IPs`, ipsets of single addresses `Entries : N unique IPs`. */
export const firehol: PublishedList = {
  name: "FireHOL",
  text: { announcement: /^#\s*Entries\s*:\s*(?<records>[\d,]+)\s+(?<noun>subnets|unique IPs)\b/i },
};
