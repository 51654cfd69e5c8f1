import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import * as pf from "pulumi-packetfilter";

const blocked = new pf.PrefixSetGroup("blocked", {
  arena: "edge",
  set: "blocked",
  entries: pf.readPrefixFile(join(__dirname, "blocks.yaml")),
  // Names from packetfilter:nodes of the stack, with what is different at one of them.
  nodes: { lab1: {}, fra1: {}, fra2: {}, ams1: { entries: { "198.51.100.0/24": 2 } } },
  rollout: {
    // First the lab, then half of the nodes at a time.
    waves: { canary: ["lab1"], size: "50%" },
    // A wave that changed something must be healthy before the next one begins.
    check: { url: new pulumi.Config().get("check") ?? "https://health.example/{node}" },
  },
});

export const count = blocked.count;
export const rollout = blocked.rollout;
