import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import * as pf from "pulumi-packetfilter";

// The nodes of the region whose stack this is: names and addresses stand in the stack's file alone.
const nodes = Object.keys(new pulumi.Config("packetfilter").requireObject<Record<string, unknown>>("nodes"));

const blocked = new pf.PrefixSetGroup("blocked", {
  arena: "edge",
  set: "blocked",
  // The same file in every region.
  entries: pf.readPrefixFile(join(__dirname, "blocks.yaml")),
  nodes,
  // The first by its name alone, then half of the region at a time.
  rollout: { waves: { canary: nodes.slice(0, 1), size: "50%" } },
});

export const count = blocked.count;
