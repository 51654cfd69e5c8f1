import { useState } from "preact/hooks";
import type { ActiveFault, Fault, FaultCatalogue, FaultPreset, Overview } from "../answers";
import { call } from "./api";
import { act } from "./ask";
import { FaultForm, STRIKES, type Strike } from "./fault-form";
import { SelectField } from "./fields";
import { Table } from "./table";
import { number } from "./texts";
import { Badge, Button, Panel, Switch } from "./ui";

/** What can go wrong: switches for what is usual, a form for the rest, and what is armed. */
export function FaultsView({ overview: { faults }, catalogue }: { overview: Overview; catalogue: FaultCatalogue }) {
  const groups = [...new Set(catalogue.presets.map(({ group }) => group))];
  const [strike, setStrike] = useState<Strike>("once");
  const strikes = Object.entries(STRIKES).map(([name, { text }]) => [name as Strike, text] as const);
  return (
    <>
      <Armed faults={faults} />
      <Panel
        title="Faults"
        actions={
          <SelectField label="A fault switched on strikes" value={strike} options={strikes} onChange={setStrike} />
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
                  active={armed(preset, faults)}
                  hits={hitsOf(preset, faults)}
                />
              ))}
          </fieldset>
        ))}
      </Panel>
      <FaultForm kinds={catalogue.kinds} />
    </>
  );
}

function FaultSwitch(props: { preset: FaultPreset; strike: Strike; active?: ActiveFault; hits: number }) {
  const { preset, strike, active, hits } = props;
  const toggle = () =>
    void (active
      ? act(`${preset.title}: switched off.`, () => call("DELETE", `/faults/${active.id}`))
      : act(`${preset.title}: strikes ${STRIKES[strike].text}.`, () =>
          call("POST", "/faults", { ...preset.fault, ...STRIKES[strike].fault }),
        ));
  return (
    <Switch on={active !== undefined} onClick={toggle}>
      <strong>
        {preset.title} {hits > 0 && <Badge tone="good">met {hits === 1 ? "once" : `${number(hits)} times`}</Badge>}
      </strong>
      <small>{preset.text}</small>
    </Switch>
  );
}

/** What still waits comes first, and of that the newest. */
const armedFirst = (a: ActiveFault, b: ActiveFault) => Number(a.spent) - Number(b.spent) || b.id - a.id;

function Armed({ faults }: { faults: readonly ActiveFault[] }) {
  if (faults.length === 0) return null;
  const waiting = faults.filter(({ spent }) => !spent).length;
  return (
    <Panel
      title={waiting === 0 ? "Met" : waiting < faults.length ? "Armed and met" : "Armed"}
      actions={
        <Button text="Take all back" onClick={() => void act("No faults any more.", () => call("DELETE", "/faults"))} />
      }
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
  const remove = () => void act("Taken back.", () => call("DELETE", `/faults/${id}`));
  return <Button text="Take back" label={label} onClick={remove} />;
}

const TIMING = new Set(["every", "rate", "seed", "times", "nth"]);

/** The fault of a preset that is armed, however often it strikes. */
function armed({ fault: wanted }: FaultPreset, faults: readonly ActiveFault[]): ActiveFault | undefined {
  return faults.find(({ fault, spent }) => !spent && effect(fault) === effect(wanted));
}

/** How many requests the faults of a preset have met, spent ones included. */
function hitsOf({ fault: wanted }: FaultPreset, faults: readonly ActiveFault[]): number {
  return faults.filter(({ fault }) => effect(fault) === effect(wanted)).reduce((sum, { hits }) => sum + hits, 0);
}

/** What a fault does, however often. */
function effect(fault: Fault): string {
  return Object.entries(fault)
    .filter(([name]) => !TIMING.has(name))
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join(" ");
}

/** A fault in a few words: which requests, how often. */
function faultText({ kind: _, seed: __, every, rate, times, nth, ...rest }: Fault): string {
  const often = [
    nth !== undefined && `from request ${nth} on`,
    every !== undefined && (every === 1 ? "every time" : `every ${every} requests`),
    rate !== undefined && `${Number(rate) * 100} % by chance`,
    times !== undefined && `${times} times at most`,
  ].filter(Boolean);
  const which = Object.entries(rest).map(([name, value]) => `${name} ${value}`);
  return [...(which.length > 0 ? which : ["any request"]), ...(often.length > 0 ? often : ["once"])].join(", ");
}
