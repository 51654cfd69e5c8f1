import * as pf from "pulumi-packetfilter";

// A whole prefix-set is ours: what is not declared here is removed.
const blocked = new pf.PrefixSet("blocked", {
  arena: "edge",
  set: "blocked",
  entries: {
    "192.0.2.0/24": 1,
    "203.0.113.7": { value: 2, reason: "SYN flood", ticket: "INC-4711", expires: "2099-12-31T00:00:00Z" },
  },
});

export const held = blocked.count;
