import { Prefix } from "../../../provider/model/prefix";
import { requestsOf } from "./model";
import type { Promised } from "./promise";

/** No resource, by whichever door, brings a prefix that overlaps one that the stack forbids. */
export const limitsHold: Promised = {
  number: 13,
  name: "one rule for every entry point",
  judge: ({ world, record: { run, done } }) => {
    const { forbiddenPrefixes } = world.scenario.stacks[run.stack]?.settings ?? {};
    if (typeof forbiddenPrefixes !== "string") return [];
    const forbidden = (JSON.parse(forbiddenPrefixes) as string[]).map((text) => Prefix.parse(text));
    const isForbidden = (text: string) => {
      const prefix = Prefix.parse(text);
      return forbidden.some((other) => other.contains(prefix) || prefix.contains(other));
    };
    return [...world.machines.keys()].flatMap((machine) =>
      requestsOf(world, done, machine)
        .filter(({ cmd }) => cmd === "insert")
        .flatMap(({ data = [], index }) => data.map((item) => [String((item as { p?: unknown }).p), index] as const))
        .filter(([prefix]) => isForbidden(prefix))
        .map(([prefix, index]) => `request ${index} to ${machine} inserts ${prefix}, which the stack forbids`),
    );
  },
};
