import * as pf from "pulumi-packetfilter";

// A whole prefix-set is ours: what is not declared here is removed.
const blocked = new pf.PrefixSet("blocked", {
  arena: "edge",
  set: "blocked",
  entries: {
    "192.0.2.0/24": 1,
    "203.0.113.7": { value: 2, reason: "SYN flood", ticket: "INC-4711", expires: "2099-12-31T00:00:00Z" },
    "2001:db8:bad::/48": 1,
  },
  forbiddenPrefixes: ["198.51.100.0/24"],
});

// One entry in a set that others also write to.
new pf.PrefixSetEntry("scanner", { arena: "edge", set: "partners", prefix: "203.0.113.4", value: 7 });

// These recipients stay in the profile with rules for as long as the resource exists.
new pf.CloudSignaling("attack-4711", { prefixes: ["198.51.100.7"], reason: "UDP flood", ticket: "INC-4711" });

export const url = blocked.url;
export const held = blocked.count;
