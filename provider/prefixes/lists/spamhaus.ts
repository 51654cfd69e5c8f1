import { has, type PublishedList } from "./list";

/** `drop_v4.json`, `drop_v6.json`: a record a line, the last one says how many there are. `drop.txt`: `prefix ; SBLn`. */
export const spamhaus: PublishedList = {
  name: "Spamhaus DROP",
  record: {
    recognises: (members) => has(members, "cidr", "sblid"),
    members: { prefix: ["cidr"], reason: ["sblid"] },
    closing: { recognises: ({ type }) => type === "metadata", records: "records" },
  },
  text: { reason: /^SBL\d+$/ },
};

/** `asndrop.json` looks like its siblings, but lists autonomous systems. */
export const spamhausAsn: PublishedList = {
  name: "Spamhaus ASN-DROP",
  record: {
    recognises: (members) => has(members, "asn", "asname"),
    members: {},
    refuses: () => "lists autonomous systems, which have no prefixes here: read drop_v4.json and drop_v6.json instead.",
  },
};
