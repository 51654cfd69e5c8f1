import { join } from "node:path";
import * as pf from "pulumi-packetfilter";

const fleet = new pf.PrefixSetFleet("blocked", {
  arena: "edge",
  set: "blocked",
  entries: pf.readPrefixFile(join(__dirname, "blocks.yaml")),
  // Names from packetfilter:nodes of the stack, with what is different at one of them.
  nodes: { lab1: {}, fra1: {}, fra2: {}, ams1: { entries: { "198.51.100.0/24": 2 } } },
  // First the lab, then half of the fleet at a time.
  waves: { canary: ["lab1"], size: "50%" },
  // A wave that changed something must be healthy before the next one begins.
  check: async (names) => {
    for (const node of names) {
      const marks = await pf.getMarks({ node, arena: "edge", profile: "web", type: "shost" });
      if (marks.length > 100_000) throw new Error(`${node} marks ${marks.length} sources: look before you go on.`);
    }
  },
});

export const count = fleet.count;
