import * as pulumi from "@pulumi/pulumi";
import * as pf from "pulumi-packetfilter";

const options = { protect: pulumi.getStack() === "prod" };

// Sources that no packet from outside may have. A block set holds such ranges on purpose.
new pf.PrefixSet(
  "bogons",
  {
    arena: "edge",
    set: "bogons",
    entries: ["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "240.0.0.0/4", "fc00::/7"],
  },
  options,
);

new pf.PrefixSet(
  "blocked",
  {
    arena: "edge",
    set: "blocked",
    entries: {
      "203.0.113.0/25": { value: 1, reason: "SYN flood", ticket: "INC-4711" },
      "2001:db8:bad::/48": { value: 1, reason: "scanner", ticket: "INC-4712" },
    },
  },
  options,
);

// Within a blocked prefix, and let through: a carve-out, not a conflict.
new pf.PrefixSet("partners", { arena: "edge", set: "partners", entries: { "203.0.113.7/32": 1 } }, options);

new pf.PrefixSet(
  "victims",
  {
    arena: "edge",
    set: "victims",
    entries: { "198.51.100.9/32": { value: 1, reason: "attacked, and not in use", ticket: "INC-4711" } },
  },
  options,
);

new pf.CloudSignaling("attack-4711", { prefixes: ["198.51.100.7/32"], reason: "UDP flood", ticket: "INC-4711" });
