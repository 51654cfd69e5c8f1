import { join } from "node:path";
import * as pf from "pulumi-packetfilter";

// In quiet times nothing is blocked: this file may be empty.
const entries = pf.readPrefixFile(join(__dirname, "blocks.yaml"), { allowEmpty: true });

export const blocked = new pf.PrefixSet("blocked", {
  arena: "edge",
  set: "blocked",
  entries,
  allowEmpty: true,
}).count;
