import { Prefix } from "../../model/prefix";
import { Skipped, Unclear } from "../asking/outcome";
import { point } from "../point";

/** A start of two prefixes of which one is active. */
export const signalingPartial = point({
  name: "signaling-partial",
  title: "signaling: one of several cannot start",
  needs: "receiver",
  assumes: "either: asks for the status before and after, and tells what holds of each",
  finds: ["signalingPartial"],
  ask: async (bench) => {
    const { signaling, learned } = bench;
    const { delayMs } = await bench.trial();
    const halves = halvesOf(signaling.prefix);
    if (!halves || !learned.takesLonger) throw new Skipped("no prefix within the own one could be started");
    const [active, idle] = halves;
    await signaling.start([active]);
    const answer = await signaling.start([active, idle]);
    if (signaling.isStarted(answer)) throw new Unclear("a start of what is active is no error", [answer.evidence]);
    // A start that shows late would look like none.
    await signaling.pause(2 * delayMs + 25);
    return { answer, isPartial: (await signaling.active()).includes(idle) };
  },
  judge: ({ answer, isPartial }) => ({
    node: isPartial ? "the others start" : "none starts",
    evidence: [answer.evidence],
  }),
  dialect: ({ isPartial }) => ({ signalingPartial: isPartial ? "valid-ones" : "all-or-nothing" }),
});

/** Both halves of a prefix; `undefined` for a single address. */
function halvesOf(prefix: Prefix): [string, string] | undefined {
  if (prefix.size === 1n) return undefined;
  const length = prefix.length + 1;
  const width = prefix.family === 4 ? 32 : 128;
  const first = Prefix.parse(`${prefix.address}/${length}`);
  const middle = first.bits + (1n << BigInt(width - length));
  return [first.toString(), Prefix.parse(`${addressOf(middle, prefix.family)}/${length}`).toString()];
}

function addressOf(bits: bigint, family: 4 | 6): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 255n).join(".");
  const groups = bits.toString(16).padStart(32, "0").match(/.{4}/g) ?? [];
  return groups.join(":");
}
