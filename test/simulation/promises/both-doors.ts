import type { Declared, Door, Run, Scenario } from "../scenario";
import { World } from "../simulation";
import { isMutating, requestsOf } from "./model";

/** Runs of a scenario that are compared: each costs as much as it does alone. */
const COMPARED_RUNS = 4;

/** 19. Dynamic resources and the plugin send equal requests that change something for equal programs. */
export async function bothDoorsAgree(scenario: Scenario): Promise<string[]> {
  const [dynamic, plugin] = [await changesBy("dynamic", scenario), await changesBy("plugin", scenario)];
  return dynamic.flatMap((sent, run) =>
    sent === plugin[run]
      ? []
      : [
          `in calm run ${run} of stack 0, dynamic resources send ${sent || "nothing"}, the plugin ${plugin[run] || "nothing"}`,
        ],
  );
}

/** Requests that change something, by run, in an order of their own. */
async function changesBy(door: Door, scenario: Scenario): Promise<string[]> {
  const world = new World(calmPart(door, scenario));
  await world.play();
  return world.records.map(({ done }) =>
    [...world.machines.keys()]
      .flatMap((machine) =>
        requestsOf(world, done, machine)
          .filter(isMutating)
          .map(({ cmd, op, url, data }) =>
            [machine, cmd ?? op, url, data?.map((item) => JSON.stringify(item)).sort()].join(" "),
          ),
      )
      .sort()
      .join("; "),
  );
}

/** The first runs of the first stack, without anything that disturbs, and in one process. */
function calmPart(door: Door, scenario: Scenario): Scenario {
  const runs = scenario.turns.flatMap((turn) => (turn.kind === "runs" ? turn.runs : []));
  const calm = runs.filter(({ stack, command }) => stack === 0 && command !== "preview").slice(0, COMPARED_RUNS);
  const [first] = scenario.stacks;
  return {
    ...scenario,
    stacks: first ? [{ ...first, door, instances: 0 }] : [],
    turns: calm.map((run) => ({ kind: "runs", runs: [undisturbed(run)] })),
  };
}

function undisturbed({ program, ...run }: Run): Run {
  return { ...run, program: program.map(plainly), meanwhile: [] };
}

/** Without an option that only the classes of one door read. */
function plainly({ options: { instance: _, ...options } = {}, ...declared }: Declared): Declared {
  return { ...declared, options };
}
