import * as pulumi from "@pulumi/pulumi";
import * as pf from "pulumi-packetfilter";
import { repeatOffenders } from "./offenders";

const config = new pulumi.Config();

/** One entry a source, in a set that others fill, too. An update ends here when the answer is not one to act upon. */
async function block(): Promise<string[]> {
  const addresses = await repeatOffenders({
    url: config.require("victorialogs"),
    times: config.getNumber("times") ?? 5,
    within: config.get("within") ?? "1d",
    interval: config.get("interval") ?? "1h",
    most: config.getNumber("most") ?? 500,
    allowEmpty: config.getBoolean("allowEmpty") ?? false,
  });
  for (const prefix of addresses) {
    new pf.PrefixSetEntry(prefix, {
      arena: config.get("arena") ?? "edge",
      set: config.get("set") ?? "blocked",
      prefix,
      reason: "marked again and again",
      // Never your own: a preview that would block them fails.
      forbiddenPrefixes: config.getObject<string[]>("protectedPrefixes") ?? [],
    });
  }
  return addresses;
}

/** The blocked prefixes. The engine waits for them, and removes nothing if they fail. */
export const blocked = block();
