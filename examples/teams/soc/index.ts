import * as pf from "pulumi-packetfilter";

// An entry that another stack may have made: it is used together, and destroy leaves what was there before.
new pf.PrefixSetEntry("flood", {
  arena: "edge",
  set: "blocked",
  prefix: "203.0.113.0/24",
  reason: "SYN flood",
  ticket: "INC-4711",
  onDestroy: "created",
});

// One of our own.
new pf.PrefixSetEntry("scanner", { arena: "edge", set: "blocked", prefix: "198.51.100.7", ticket: "INC-4712" });
