import { useState } from "preact/hooks";
import type { ActiveFault, Fault, FaultPreset } from "../answers";
import { act } from "./ask";
import { FaultForm, STRIKES, strikeOptions } from "./fault-form";
import { SelectField, useFind } from "./fields";
import type { ViewProps } from "./store";
import { Table } from "./table";
import { listed, number } from "./texts";
import { Badge, Button, Panel, Switch } from "./ui";

/** The view of faults: switches for usual ones, a form for the rest, and those that are expected or met. */
export function FaultsView({ overview: { faults }, catalogue }: ViewProps) {
  const [strike, setStrike] = useState("once");
  const { found, field } = useFind(
    { name: "find", what: "a fault", placeholder: "title, effect or kind" },
    catalogue.presets,
    ({ group, title, text, fault }) => `${group} ${title} ${text} ${Object.values(fault).join(" ")}`,
  );
  const groups = [...new Set(found.map(({ group }) => group))];
  return (
    <>
      <Expected faults={faults} />
      <Panel
        title="Faults"
        actions={
          <SelectField label="A new fault takes effect" value={strike} options={strikeOptions} onChange={setStrike} />
        }
      >
        {field}
        {groups.map((group) => (
          <fieldset key={group} class="presets">
            <legend>{group}</legend>
            {found
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

/** Puts faults that are still expected first, the newest at the top. */
const expectedFirst = (a: ActiveFault, b: ActiveFault) => Number(a.spent) - Number(b.spent) || b.id - a.id;

function Expected({ faults }: { faults: readonly ActiveFault[] }) {
  const { found, field } = useFind(
    { name: "set", what: "a fault that was set", placeholder: "kind, request or state" },
    faults,
    (it) => `${it.fault.kind} ${faultText(it.fault)} ${it.spent ? "" : "expected"} ${it.hits > 0 ? "met" : ""}`,
  );
  if (faults.length === 0) return null;
  const waiting = faults.filter(({ spent }) => !spent).length;
  return (
    <Panel
      class="whole"
      title={waiting === 0 ? "Met" : waiting < faults.length ? "Expected and met" : "Expected"}
      actions={<Button text="Remove all" onClick={() => void act("All faults are removed.", "DELETE", "/faults")} />}
    >
      {field}
      <Table
        caption="Faults that were set"
        kind="expected"
        items={[...found].sort(expectedFirst)}
        keyOf={({ id }) => id}
        columns={[
          ["Kind", ({ fault }) => <code>{fault.kind}</code>, "row"],
          ["Applies to", ({ fault }) => faultText(fault)],
          ["Seen", ({ seen: matched }) => number(matched), "num"],
          ["Hits", ({ hits }) => number(hits), "num"],
          ["State", stateOf],
          ["Remove", removal, "visually-hidden"],
        ]}
      />
    </Panel>
  );
}

function stateOf({ spent, hits }: ActiveFault) {
  return (
    <>
      {!spent && <Badge tone="warn">expected</Badge>}
      {hits > 0 && <Badge tone="good">met</Badge>}
    </>
  );
}

function removal({ id, fault }: ActiveFault) {
  const label = `Remove fault ${id}, ${fault.kind}`;
  const remove = () => void act("The fault is removed.", "DELETE", `/faults/${id}`);
  return <Button text="Remove" aria-label={label} onClick={remove} />;
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
    [every, rate, times].every((part) => part === undefined) && "once",
  );
  const which = listed(...Object.entries(rest).map(([name, value]) => `${name} ${value}`));
  return `${which || "any request"}, ${often}`;
}
