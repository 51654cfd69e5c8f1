import { useState } from "preact/hooks";
import type { ActiveFault, Fault, FaultPreset } from "../answers";
import { act } from "./ask";
import { FaultForm, STRIKES, strikeOptions } from "./fault-form";
import { SelectField } from "./fields";
import type { Seen } from "./store";
import { Table } from "./table";
import { listed, number } from "./texts";
import { Badge, Button, Panel, Switch } from "./ui";

/** The view of faults: switches for usual ones, a form for the rest, and the armed ones. */
export function FaultsView({ overview: { faults }, catalogue }: Seen) {
  const groups = [...new Set(catalogue.presets.map(({ group }) => group))];
  const [strike, setStrike] = useState("once");
  return (
    <>
      <Armed faults={faults} />
      <Panel
        title="Faults"
        actions={
          <SelectField
            label="A fault switched on strikes"
            value={strike}
            options={strikeOptions}
            onChange={setStrike}
          />
        }
      >
        {groups.map((group) => (
          <fieldset key={group} class="presets">
            <legend>{group}</legend>
            {catalogue.presets
              .filter((preset) => preset.group === group)
              .map((preset) => (
                <FaultSwitch
                  key={preset.title}
                  preset={preset}
                  strike={strike}
                  set={faults.filter(({ fault }) => effect(fault) === effect(preset.fault))}
                />
              ))}
          </fieldset>
        ))}
      </Panel>
      <FaultForm kinds={catalogue.kinds} />
    </>
  );
}

/** `set` are the faults that do the same, however often, spent ones included. */
function FaultSwitch(props: { preset: FaultPreset; strike: string; set: readonly ActiveFault[] }) {
  const { preset, strike, set } = props;
  const active = set.find(({ spent }) => !spent);
  const hits = set.reduce((sum, fault) => sum + fault.hits, 0);
  const toggle = () =>
    void (active
      ? act(`${preset.title}: switched off.`, "DELETE", `/faults/${active.id}`)
      : act(`${preset.title}: strikes ${STRIKES[strike]?.text}.`, "POST", "/faults", {
          ...preset.fault,
          ...STRIKES[strike]?.fault,
        }));
  return (
    <Switch on={active !== undefined} onClick={toggle}>
      <strong>
        {preset.title} {hits > 0 && <Badge tone="good">met {hits === 1 ? "once" : `${number(hits)} times`}</Badge>}
      </strong>
      <small>{preset.text}</small>
    </Switch>
  );
}

/** Puts faults that still wait first, the newest at the top. */
const armedFirst = (a: ActiveFault, b: ActiveFault) => Number(a.spent) - Number(b.spent) || b.id - a.id;

function Armed({ faults }: { faults: readonly ActiveFault[] }) {
  if (faults.length === 0) return null;
  const waiting = faults.filter(({ spent }) => !spent).length;
  return (
    <Panel
      title={waiting === 0 ? "Met" : waiting < faults.length ? "Armed and met" : "Armed"}
      actions={<Button text="Take all back" onClick={() => void act("No faults any more.", "DELETE", "/faults")} />}
    >
      <Table
        caption="Faults that were set"
        kind="armed"
        items={[...faults].sort(armedFirst)}
        keyOf={({ id }) => id}
        columns={[
          ["Kind", ({ fault }) => <code>{fault.kind}</code>, "row"],
          ["Meets", ({ fault }) => faultText(fault)],
          ["Seen", ({ seen }) => number(seen), "num"],
          ["Hits", ({ hits }) => number(hits), "num"],
          ["State", stateOf],
          ["Take back", takeBack, "unseen"],
        ]}
      />
    </Panel>
  );
}

function stateOf({ spent, hits }: ActiveFault) {
  return (
    <>
      {!spent && <Badge tone="warn">armed</Badge>}
      {hits > 0 && <Badge tone="good">met</Badge>}
    </>
  );
}

function takeBack({ id, fault }: ActiveFault) {
  const label = `Take back fault ${id}, ${fault.kind}`;
  const remove = () => void act("Taken back.", "DELETE", `/faults/${id}`);
  return <Button text="Take back" aria-label={label} onClick={remove} />;
}

const TIMING = new Set(["every", "rate", "seed", "times", "nth"]);

/** Effect of a fault, however often. */
function effect(fault: Fault): string {
  return Object.entries(fault)
    .filter(([name]) => !TIMING.has(name))
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join(" ");
}

/** A fault in a few words: which requests, how often. */
function faultText({ kind: _, seed: __, every, rate, times, nth, ...rest }: Fault): string {
  const often = listed(
    nth !== undefined && `from request ${nth} on`,
    every !== undefined && (every === 1 ? "every time" : `every ${every} requests`),
    rate !== undefined && `${Number(rate) * 100} % by chance`,
    times !== undefined && `${times} times at most`,
  );
  const which = listed(...Object.entries(rest).map(([name, value]) => `${name} ${value}`));
  return `${which || "any request"}, ${often || "once"}`;
}
