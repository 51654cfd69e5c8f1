import type { Declared } from "../scenario";
import type { World } from "../simulation";
import { START } from "../world/machines";
import { canonical, requestsOf } from "./model";
import type { Case, Promised } from "./promise";
import { everDeclared, wavesOf } from "./waves";

/** Virtual milliseconds to the end of a run after Ctrl-C: what is under way has its own deadline, and nothing else is waited for. */
const ENDS_WITHIN_MS = 120_000;
/** Virtual milliseconds in which an `up` brings blocks to nodes that answer, whatever others do. */
const BLOCKS_WITHIN_MS = 20_000;
/** Virtual milliseconds of the longest run: deadlines of a few requests one after the other. */
const LONGEST_MS = 400_000;

/** Every run obeys the first Ctrl-C: it ends soon, and no further wave begins. */
export const obeysCtrlC: Promised = {
  number: 17,
  name: "every run obeys the first Ctrl-C",
  judge: ({ world, record: { run, done } }) => {
    const { cancelledAt, ended } = done;
    if (cancelledAt === undefined) return [];
    const late = ended - cancelledAt > ENDS_WITHIN_MS ? [`the run ends ${ended - cancelledAt} ms after Ctrl-C`] : [];
    const groups = run.program.filter(({ type, args }) => type === "PrefixSetGroup" && args.rollout !== undefined);
    return [...late, ...groups.flatMap((group) => wavesAfter({ world, done, group, stack: run.stack }, cancelledAt))];
  },
};

interface GroupRun {
  readonly world: World;
  readonly done: Case["record"]["done"];
  readonly group: Declared;
  readonly stack: number;
}

/** Waves that began after Ctrl-C; the next one may have been on its way. */
function wavesAfter({ world, done, group, stack }: GroupRun, cancelledAt: number): string[] {
  const url = `prefixset://${group.args.arena}/${group.args.set}`;
  // What a node had before is no step of a rollout, and comes back to all nodes at once.
  const isNew = (node: string, data: readonly unknown[]) => {
    const known = everDeclared(world, node, url, stack, done.began);
    return data.some((item) => !known.includes(canonical((item as { p?: unknown }).p) ?? ""));
  };
  const inserts = wavesOf(group).map((nodes) =>
    nodes.flatMap((node) =>
      requestsOf(world, done, world.nodes.get(node)?.name ?? "")
        .filter(({ cmd, url: at, data = [] }) => cmd === "insert" && at === url && isNew(node, data))
        .map(({ time }) => Date.parse(time) - START),
    ),
  );
  const last = inserts.findLastIndex((times) => times.some((time) => time <= cancelledAt));
  const began = inserts.findIndex((times, index) => index > last + 1 && times.some((time) => time > cancelledAt));
  return began < 0 ? [] : [`wave ${began + 1} of ${group.name} is written after Ctrl-C in wave ${last + 1}`];
}

/** Nodes that answer have their blocks in seconds, whatever silent ones do, and every run ends. */
export const blocksInSeconds: Promised = {
  number: 17,
  name: "in an incident, seconds",
  judge: ({ world, record: { run, done, hasCompany } }) => {
    const took = done.ended - done.began;
    const long = took > LONGEST_MS ? [`the run takes ${took} ms`] : [];
    // A refresh asks every node first, and waits for a silent one as long as for any other answer.
    const waits =
      run.options.refresh ||
      run.options.parallel !== undefined ||
      run.program.some(({ args }) => args.rollout !== undefined);
    if (run.command !== "up" || run.meanwhile.length > 0 || hasCompany || waits) return long;
    const late = [...world.machines].flatMap(([name, { reach }]) =>
      requestsOf(world, done, name)
        .filter(({ commit }) => reach === "up" && Object.keys(commit?.inserted ?? {}).length > 0)
        .map(({ time }) => Date.parse(time) - START - done.began)
        .filter((ms) => ms > BLOCKS_WITHIN_MS)
        .map((ms) => `${name} answers, and gets its entries ${ms} ms after the start of the up`),
    );
    return [...long, ...late];
  },
};
