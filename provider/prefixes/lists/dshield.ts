import type { PublishedList } from "./list";

/** `block.txt`: start, end, prefix length and more, separated by tabs, below a head line that is no comment. */
export const dshield: PublishedList = {
  name: "DShield",
  text: { head: /^Start\tEnd\t/i, prefix: ([start = "", end = ""]) => `${start.trim()}-${end.trim()}` },
};
