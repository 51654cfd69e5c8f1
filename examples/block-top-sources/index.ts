import { BlockList, isIPv6 } from "node:net";
import * as pulumi from "@pulumi/pulumi";
import * as pf from "pulumi-packetfilter";

const config = new pulumi.Config();
const arena = config.get("arena") ?? "edge";
const profile = config.get("profile") ?? "web";
// The rule whose action marks sources; the value of a mark counts its packets.
const ruleId = config.getNumber("ruleId") ?? 30;
const threshold = config.getNumber("threshold") ?? 100;
// Never blocked, whatever marks them: your own networks, your partners, your monitoring.
const protectedPrefixes = config.getObject<string[]>("protectedPrefixes") ?? [];
// Nothing to block is more often a wrong id or a restarted node than the end of an attack.
const allowEmpty = config.getBoolean("allowEmpty") ?? false;

const ours = new BlockList();
for (const prefix of protectedPrefixes) {
  const [network = "", length] = prefix.split("/");
  ours.addSubnet(network, Number(length ?? (isIPv6(network) ? 128 : 32)), isIPv6(network) ? "ipv6" : "ipv4");
}
const isOurs = (address: string) => ours.check(address, isIPv6(address) ? "ipv6" : "ipv4");

async function topSources(): Promise<string[]> {
  const marks = await pf.getMarks({ arena, profile, type: "shost" });
  const marked = marks.filter(({ id, value = 0 }) => id === ruleId && value >= threshold);
  const sources = marked.flatMap(({ address }) => (address === undefined ? [] : [address]));
  const spared = sources.filter(isOurs);
  if (spared.length > 0) pulumi.log.warn(`Marked by rule ${ruleId}, and not blocked: ${spared.join(", ")}`);
  const blocked = sources.filter((address) => !isOurs(address));
  if (blocked.length > 0 || allowEmpty) return blocked;
  throw new pulumi.RunError(
    `Rule ${ruleId} of ${arena}/${profile} marked no source ${threshold} times that may be blocked: what is blocked stays. ` +
      "Look at ruleId and threshold; if the attack is over, set allowEmpty to true for this run.",
  );
}

export const blocked = new pf.PrefixSet("top-sources", {
  arena,
  set: "blocked",
  entries: topSources(),
  // Entries of others in the set stay; those of ours that are no longer declared go.
  exclusive: false,
  forbiddenPrefixes: protectedPrefixes,
  // The usual limits hold unless the switch is set: a run never removes more than half of what it blocked before.
  ...(allowEmpty ? { allowEmpty, maxRemovals: "100%" } : {}),
}).count;
