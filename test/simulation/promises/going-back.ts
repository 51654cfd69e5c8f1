import type { Declared } from "../scenario";
import type { RunRecord, World } from "../simulation";
import { canonicalEntries, claimsOf } from "./model";
import type { Promised } from "./promise";

/**
 * A group that goes back to the content that all of its nodes had is there at once, at every node that answers, whatever the
 * health of any: neither a wave nor a check stands between a mistake and its end.
 */
export const goesBackAtOnce: Promised = {
  number: 16,
  name: "going back reaches every node",
  judge: ({ world, record }) => {
    const { run, done } = record;
    const isUndisturbed = run.meanwhile.length === 0 && !record.hasCompany && Object.keys(run.options).length === 0;
    if (run.command !== "up" || !isUndisturbed || done === record.preview) return [];
    const isLook = (one: RunRecord) => one.run.command === "refresh" && one.isCalm && one.done.errors.length === 0;
    const earlier = world.records.filter((one) => one !== record && one.run.stack === run.stack && !isLook(one));
    const [whole, mistake] = earlier.slice(-2);
    const [before, wrong, now] = [whole, mistake, record].map(groupOf);
    if (!before || !wrong || !now || !isWhole(whole) || mistake?.run.command !== "up" || !isAlike(before, wrong, now))
      return [];
    if (isDisturbed(world, whole?.done.ended ?? 0)) return [];
    const [news, olds] = [wrong, now].map(({ args }) => canonicalEntries(args.entries as Record<string, number>));
    const url = `prefixset://${now.args.arena}/${now.args.set}`;
    // Another group may have taken over what this one gave up.
    const others = claimsOf(run.program.filter((it) => it !== now && it.type === "PrefixSetGroup"));
    const isOthers = (at: string, prefix: string) =>
      others.some((it) => it.kind === "set" && it.url === url && it.node === at && prefix in it.entries);
    return (now.args.nodes as readonly string[]).flatMap((node) => {
      const machine = world.nodes.get(node);
      if (machine?.reach !== "up") return [];
      const held = machine.held(url);
      const isLeft = (prefix: string) => !(prefix in (olds ?? {})) && prefix in held && !isOthers(node, prefix);
      const left = Object.keys(news ?? {}).filter(isLeft);
      const lacks = Object.entries(olds ?? {}).filter(([prefix, value]) => held[prefix] !== value);
      return [
        ...left.map((prefix) => `${node} still holds ${prefix} after the program went back`),
        ...lacks.map(([prefix]) => `${node} does not hold ${prefix} as before after the program went back`),
      ];
    });
  },
};

function groupOf(record: RunRecord | undefined): Declared | undefined {
  return record?.run.program.find(({ type }) => type === "PrefixSetGroup");
}

/** A green run of the whole program, after which every node held it. */
function isWhole(record: RunRecord | undefined): boolean {
  if (record?.run.command !== "up" || Object.keys(record.run.options).length > 0) return false;
  const { done } = record;
  const isOpen = done.printed.some((line) => /adopted|is left as it is/.test(line));
  return done.errors.length === 0 && !done.wasKilled && !done.wasCancelled && !isOpen;
}

/** True for the same group, of which the last has the content of the first. */
function isAlike(first: Declared, wrong: Declared, last: Declared): boolean {
  const frame = ({ name, args: { entries: _, ...args }, options }: Declared) => JSON.stringify([name, args, options]);
  const isSame = JSON.stringify(first.args.entries) === JSON.stringify(last.args.entries);
  return isSame && frame(first) === frame(wrong) && frame(wrong) === frame(last) && first.args.rollout !== undefined;
}

/** True where others changed something meanwhile. */
function isDisturbed({ acts, scenario }: World, since: number): boolean {
  const isQuiet = ({ actor }: { actor: string }) => ["health", "time", "calendar"].includes(actor);
  return scenario.stacks.length > 1 || acts.some(({ at, act }) => at >= since && !isQuiet(act));
}
