import type { Kept } from "../engine/state";
import type { World } from "../simulation";
import { canonical } from "./model";
import { namesIn } from "./preview-shows";
import type { Promised } from "./promise";

/** Faults after which an answer is not one that the contract knows. */
const UNREADABLE: readonly unknown[] = ["html", "unknown-shape", "truncated", "error", undefined];

/** An answer that cannot be read is never taken for an empty one: a refresh drops nothing that is there. */
export const unreadableChangesNothing: Promised = {
  number: 11,
  name: "what cannot be read changes nothing",
  judge: ({ world, record: { run, done, hasCompany } }) => {
    const isOnlyUnreadable = run.meanwhile.every((it) => it.kind === "fault" && UNREADABLE.includes(it.fault.kind));
    if (run.command !== "refresh" || hasCompany || !isOnlyUnreadable || done.wasKilled) return [];
    return done.before.resources.flatMap((was) => {
      const is = done.after.resources.find(({ name, type }) => name === was.name && type === was.type);
      const left = is ? JSON.stringify(is.outputs) : "";
      return prefixesOf(was)
        .filter((prefix) => !namesIn(left, prefix) && isEverywhere(world, was, prefix))
        .map((prefix) => `a refresh drops ${prefix} of ${was.name} from the state, and it is there`);
    });
  },
};

/** Prefixes of a resource by its outputs. */
function prefixesOf({ outputs }: Kept): string[] {
  const { entries, prefix, prefixes } = outputs as { entries?: object; prefix?: unknown; prefixes?: unknown };
  const given = [...Object.keys(entries ?? {}), ...(Array.isArray(prefixes) ? prefixes : []), prefix];
  return given.flatMap((one) => canonical(one) ?? []);
}

/** True where each node or receiver of a resource has the prefix. */
function isEverywhere(world: World, { inputs }: Kept, prefix: string): boolean {
  const { node, nodes, receiver, arena, set } = inputs as Record<string, unknown>;
  if (receiver !== undefined)
    return world.machines.get(String(receiver))?.emulator.signalings["client-a"]?.includes(prefix) === true;
  const names = Array.isArray(nodes) ? nodes : nodes ? Object.keys(nodes) : [node];
  return names.every((name) => {
    const held = world.nodes.get(String(name))?.held(`prefixset://${arena}/${set}`);
    return held !== undefined && prefix in held;
  });
}
