import { type JsonObject, sameJson, without } from "../../../provider/model/json";
import type { Call } from "../engine/deployment";
import type { Kept } from "../engine/state";
import type { Act, Disturbance, Run, Scenario, Turn } from "../scenario";
import type { CommandRecord, RunRecord } from "../simulation";

/** Acts whose effect does not depend on time. */
const TIMELESS: readonly Act["actor"][] = ["colleague", "client", "restore"];

/**
 * The part of a scenario in which real and simulated engine must do the same: everything through the plugin, one run at a time, without what depends on time.
 * In place of a node's faults, each of its commits is refused; the engine goes on, so that what is done does not depend on who fails first.
 */
export function timeless(scenario: Scenario): Scenario {
  const turns = withoutLimits(scenario.turns).flatMap((turn): Turn[] => {
    if (turn.kind === "act")
      return TIMELESS.includes(turn.act.actor) ? [{ ...turn, act: settled(scenario, turn.act) }] : [];
    return turn.runs.map((run) => ({ kind: "runs", runs: [withRefusals(run)] }));
  });
  const nodes = scenario.nodes.map(({ dialect, ...node }) =>
    dialect?.commitDelay === undefined && dialect ? { ...node, dialect } : node,
  );
  return { ...scenario, nodes, turns, stacks: scenario.stacks.map((plan) => ({ ...plan, door: "plugin" })) };
}

/** The same without the time limits of checks: here none hangs, and a busy machine is slow. */
function withoutLimits(turns: readonly Turn[]): readonly Turn[] {
  return JSON.parse(JSON.stringify(turns, (name, value) => (name === "checkTimeoutMs" ? undefined : value)));
}

/** Whichever of several writers comes first commits a change that a colleague staged: there the colleague commits it. */
function settled({ stacks, nodes }: Scenario, act: Act): Act {
  const hasSeveral =
    stacks.some(({ instances }) => instances > 0) || nodes.some(({ aliases }) => aliases !== undefined);
  return act.actor === "colleague" && hasSeveral ? { ...act, commit: true } : act;
}

function withRefusals(run: Run): Run {
  const places = run.meanwhile.flatMap((it) => (it.kind === "fault" && it.at.startsWith("n") ? [it.at] : []));
  const meanwhile = [...new Set(places)].map(
    (at): Disturbance => ({ kind: "fault", at, fault: { cmd: "commit", status: 400, times: 1_000 } }),
  );
  return { ...run, meanwhile, options: { ...run.options, ...(meanwhile.length > 0 && { continueOnError: true }) } };
}

/** Differences between what the simulated and the real engine did; empty if they conform. */
export function differencesOf(
  { stacks }: Scenario,
  simulated: readonly RunRecord[],
  real: readonly RunRecord[],
): string[] {
  return simulated.flatMap((record, index) => {
    const other = real[index];
    const title = `turn ${record.turn}, ${record.run.command} ${JSON.stringify(record.run.options)}`;
    if (!other) return [`${title}: the real engine did not run it`];
    const isAlone = stacks[record.run.stack]?.instances === 0;
    return [
      ...ofCommands(`${title}, preview`, isAlone, record.preview, other.preview),
      ...(record.done === record.preview ? [] : ofCommands(title, isAlone, record.done, other.done)),
    ];
  });
}

/** @param isAlone True if the stack has one provider process: with several, the look of one may come before or after a commit of another. */
function ofCommands(title: string, isAlone: boolean, simulated?: CommandRecord, real?: CommandRecord): string[] {
  if (!simulated || !real) return simulated === real ? [] : [`${title}: one of the engines has none`];
  const inputsOf = ({ inputs }: Kept) => (isAlone ? inputs : without(inputs, ["restores"]));
  // A mistake ends a preview, whether the engine has begun with the creates and updates that it planned before, or not.
  const isBegun = !simulated.isPreview || simulated.errors.length === 0;
  const parts: [string, unknown, unknown][] = [
    ["outcome", simulated.errors.length > 0, real.errors.length > 0],
    ["order of checks and diffs", planned(simulated.calls), planned(real.calls)],
    ["calls of each resource", byResource(simulated.calls, isBegun), byResource(real.calls, isBegun)],
    ["deletes", deletes(simulated.calls), deletes(real.calls)],
    ["state", shown(simulated.after.resources, inputsOf), shown(real.after.resources, inputsOf)],
  ];
  return parts
    .filter(([, one, other]) => !sameJson(one, other))
    .map(([part, one, other]) => `${title}: ${part}\n  simulated ${text(one)}\n  real      ${text(other)}`);
}

/** The calls whose order the program fixes. Those of a refresh run side by side. */
function planned(calls: readonly Call[]): string[] {
  const first = calls.findIndex(({ method }) => method === "check");
  return calls
    .slice(Math.max(first, 0))
    .flatMap(({ method, name }) =>
      method === "check" || (first >= 0 && method === "diff") ? [`${method} ${name}`] : [],
    );
}

function byResource(calls: readonly Call[], isBegun: boolean): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { method, name, preview, outcome } of calls) {
    if (method === "delete" || (!isBegun && (method === "create" || method === "update"))) continue;
    const call = `${method}${preview && (method === "create" || method === "update") ? "?" : ""}${outcome === "ok" ? "" : "!"}`;
    found[name] = found[name] === undefined ? call : `${found[name]} ${call}`;
  }
  return Object.fromEntries(Object.entries(found).sort());
}

/** The order of deletes that do not depend on one another is arbitrary. */
function deletes(calls: readonly Call[]): string[] {
  return calls.flatMap(({ method, name, outcome }) => (method === "delete" ? [`${name} ${outcome}`] : [])).sort();
}

function shown(resources: readonly Kept[], inputsOf: (kept: Kept) => JsonObject): unknown[] {
  return resources
    .map((kept) => {
      const { type, name, id, outputs, protect, retainOnDelete, failed, replaced } = kept;
      return {
        type,
        name,
        // Signalings have no id of their own.
        id: type === "CloudSignaling" ? "" : id,
        inputs: inputsOf(kept),
        outputs,
        protect,
        retainOnDelete,
        failed: failed ?? false,
        replaced: replaced ?? false,
      };
    })
    .sort((a, b) => (text(a) < text(b) ? -1 : 1));
}

function text(value: unknown): string {
  return JSON.stringify(value);
}
