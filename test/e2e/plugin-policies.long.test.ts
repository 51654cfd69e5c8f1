import { expect, it } from "vitest";
import { native } from "./support/native";
import { world } from "./support/world";

const PACK = "node_modules/pulumi-packetfilter/policies/run";
/** Rules that are off by default are on, and each has what it needs to judge. */
const meaning = (level: string) => `
sets:
  - { pattern: "prefixset://*/blocked", role: block, direction: source }
  - { pattern: "prefixset://*/partners", role: allow, direction: source }
  - { pattern: "prefixset://*/victims", role: block, direction: destination }
managementPrefixes: [192.0.2.0/28]
ownedPrefixes: [198.51.100.0/24]
rules:
  protected-prefixes: ${level}
  prefix-length: ${level}
  special-purpose: ${level}
  signaling-length: ${level}
  signaling-within-owned: ${level}
  destination-within-owned: ${level}
  naming: ${level}
  require-reason: ${level}
  max-lifetime: ${level}
  block-allow-conflict: ${level}
  redundant-prefixes: ${level}
  signaling-and-block: ${level}
`;
/** The CIDR rules, each with the resource that breaks it. */
const BROKEN: readonly (readonly [policy: string, resource: string])[] = [
  ["protected-prefixes", "blocked"],
  ["prefix-length", "blocked"],
  ["special-purpose", "partners"],
  ["require-reason", "blocked"],
  ["max-lifetime", "blocked"],
  ["naming", "BAD"],
  ["destination-within-owned", "victims"],
  ["signaling-length", "attack"],
  ["signaling-within-owned", "attack"],
  ["block-allow-conflict", "journey-test"],
  ["redundant-prefixes", "blocked"],
];

const program = (options: string) => `
  const set = (name, entries) =>
    new pf.PrefixSet(name, { arena: "edge", set: name, entries, shortestPrefix: { ipv4: 0 } }, ${options});
  set("blocked", { "0.0.0.0/0": 1, "192.0.2.0/24": 1, "203.0.113.0/25": 1, "203.0.113.128/25": 1 });
  set("partners", { "10.0.0.0/8": 1, "203.0.113.0/25": 1 });
  set("victims", { "203.0.113.9/32": 1 });
  set("BAD", { "198.51.100.9/32": 1 });
  new pf.CloudSignaling("attack", { prefixes: ["203.0.112.0/23"] }, ${options});`;

/** Not all of the sets exist; a provider reads nothing of the stack's configuration. */
const withoutLook = (resources: string) => native(resources).replace("node: {", 'detectDrift: "off", node: {');

it("each rule about prefixes judges a native program as it judges a dynamic one, in the same words, and stops it", async () => {
  const judged = async (text: string) => {
    await using w = await world({ program: text, config: { detectDrift: "off" } });
    const preview = async (level: string) => {
      await w.stack.write("packetfilter-policies.yaml", meaning(level));
      return w.stack.preview("--policy-pack", PACK);
    };
    const stopped = await preview("mandatory");
    expect(stopped.code, stopped.text).not.toBe(0);
    expect(stopped.text).toMatch(/\[mandatory\] +prefix-length/);
    // A mandatory rule ends the preview, so that others may not come to judge.
    const { code, text: printed } = await preview("advisory");
    expect(code, printed).toBe(0);
    return printed.replaceAll("pulumi-nodejs:dynamic/packetfilter:", "packetfilter:index:");
  };
  const found = (printed: string) => {
    const named = printed.matchAll(/\[(?:mandatory|advisory)\] +(\S+) +\(\S+: (\S+)\)/g);
    return [...new Set([...named].map(([, policy, resource]) => `${policy} ${resource}`))].toSorted();
  };
  const sentences = (printed: string) => new Set(printed.match(/(?:PrefixSet|CloudSignaling) "\w+" \(.*/g));
  const [dynamic, plugin] = [await judged(program("{}")), await judged(withoutLook(program("native")))];
  expect(found(plugin)).toEqual(found(dynamic));
  expect(found(plugin)).toEqual(expect.arrayContaining(BROKEN.map((broken) => broken.join(" "))));
  expect(sentences(plugin)).toEqual(sentences(dynamic));
});
