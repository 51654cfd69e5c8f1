import * as pf from "pulumi-packetfilter";

// Ours in a set of many: what is not declared here belongs to others, and stays.
new pf.PrefixSet("ours", {
  arena: "edge",
  set: "blocked",
  exclusive: false,
  entries: {
    "192.0.2.0/24": { value: 1, reason: "never announced" },
    "203.0.113.0/24": { value: 1, reason: "spoofed in every attack" },
  },
});
