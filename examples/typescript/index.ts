import * as pulumi from "@pulumi/pulumi";
import * as pf from "pulumi-packetfilter";

// Credentials and limits of one site; a second site is a second provider.
const config = new pulumi.Config("packetfilter");
const provider = new pf.Provider("site", {
  endpoint: config.require("endpoint"),
  signalingUrl: config.require("signalingUrl"),
  clientId: config.require("clientId"),
  secretKey: config.requireSecret("secretKey"),
  forbiddenPrefixes: ["198.51.100.0/24"],
});

// A whole prefix-set is ours: what is not declared here is removed.
const blocked = new pf.PrefixSet(
  "blocked",
  {
    arena: "edge",
    set: "blocked",
    entries: {
      "192.0.2.0/24": 1,
      "203.0.113.7": { value: 2, reason: "SYN flood", ticket: "INC-4711", expires: "2099-12-31T00:00:00Z" },
      "2001:db8:bad::/48": 1,
    },
  },
  { provider },
);

// One entry in a set that others also write to.
new pf.PrefixSetEntry("scanner", { arena: "edge", set: "partners", prefix: "203.0.113.4", value: 7 }, { provider });

// These recipients stay in the profile with rules for as long as the resource exists.
new pf.CloudSignaling(
  "attack-4711",
  { prefixes: ["198.51.100.7"], reason: "UDP flood", ticket: "INC-4711" },
  { provider },
);

export const url = blocked.url;
export const held = blocked.count;
export const profiles = pf.getProfiles({ arena: "edge" }).then((all) => all.map(({ name }) => name));
