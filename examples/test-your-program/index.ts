import * as pulumi from "@pulumi/pulumi";
import * as pf from "pulumi-packetfilter";

const blocked = new pf.PrefixSet("blocked", {
  arena: "edge",
  set: "blocked",
  entries: { "192.0.2.0/24": 1, [new pulumi.Config().require("scanner")]: 2 },
});

export const held = blocked.count;
