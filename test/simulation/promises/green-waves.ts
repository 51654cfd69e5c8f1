import type { Declared } from "../scenario";
import type { RunRecord, World } from "../simulation";
import { START } from "../world/machines";
import { canonicalEntries } from "./model";
import type { Promised } from "./promise";
import { asksForHealth, isRedThere } from "./waves";

/** A green run leaves no node in a group whose check has failed since a red run brought the content there, unless it says so. */
export const greenIsPassed: Promised = {
  number: 16,
  name: "a green run has passed",
  judge: ({ world, record: { run, done, isCalm } }) => {
    const isWhole = run.options.targets === undefined && run.options.excludes === undefined;
    if (run.command !== "up" || !isCalm || !isWhole || done.errors.length > 0 || done.wasCancelled) return [];
    const red = world.records.filter((it) => it.run.stack === run.stack && isRed(it));
    return run.program.filter(isChecked).flatMap(({ args }) => {
      const url = `prefixset://${args.arena}/${args.set}`;
      const entries = Object.entries(canonicalEntries(args.entries as Record<string, number>));
      return (args.nodes as readonly string[])
        .filter((node) =>
          red.some(({ run: { program }, done: { label } }) => {
            const isIts = ({ args: { arena, set, nodes } }: Declared) =>
              `prefixset://${arena}/${set}` === url && (nodes as readonly string[]).includes(node);
            return (
              program.filter(isChecked).some(isIts) && isRedSince(world, { node, url, entries, now: done.ended, label })
            );
          }),
        )
        .map(
          (node) =>
            `the run is green, and the check of ${node} has failed since an earlier run brought the content of ${url} there`,
        );
    });
  },
};

const isRed = ({ done }: RunRecord) => !done.wasKilled && done.errors.some((error) => error.includes("did not pass"));
const isChecked = ({ type, args }: Declared) =>
  type === "PrefixSetGroup" && asksForHealth((args.rollout as { check?: object } | undefined)?.check);

interface Content {
  readonly node: string;
  readonly url: string;
  readonly entries: readonly (readonly [string, number])[];
  /** Virtual milliseconds. */
  readonly now: number;
  /** Label of the red run. */
  readonly label: string;
}

function isRedSince(world: World, { node, url, entries, now, label }: Content): boolean {
  const last = world.nodes.get(node)?.journal.at(-1);
  if (!last) return false;
  const at = { ...last, label: "", time: new Date(START + now).toISOString() };
  return entries.some(([prefix, value]) => isRedThere(world, { earlier: node, prefix, value, url, at, label }));
}
