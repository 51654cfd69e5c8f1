import * as pulumi from "@pulumi/pulumi";
import * as pf from "pulumi-packetfilter";

const config = new pulumi.Config();
const arena = config.get("arena") ?? "edge";
const profile = config.get("profile") ?? "web";
const ruleId = config.requireNumber("ruleId");
const threshold = config.getNumber("threshold") ?? 100;

// The rule counts packets in the value of the mark that it makes for each source.
const sources = pf
  .getMarksOutput({ arena, profile, type: "shost" })
  .apply((marks) =>
    marks.filter(({ id, value = 0 }) => id === ruleId && value >= threshold).map(({ address }) => address ?? ""),
  );

export const blocked = new pf.PrefixSet("top-sources", {
  arena,
  set: "blocked",
  entries: sources,
  // Marks end, and the blocks with them.
  allowEmpty: true,
  maxRemovals: "100%",
}).count;
