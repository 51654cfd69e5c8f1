import { useState } from "preact/hooks";
import type { DialectSwitch, Dialects, Overview } from "../answers";
import { call } from "./api";
import { act, useAnswer } from "./ask";
import { FindField, Form, SelectField, TextField } from "./fields";
import { useChoice } from "./route";
import { update } from "./store";
import { Table } from "./table";
import { answeredBy, hasWords, number, plural } from "./texts";
import { Badge, Button, Panel } from "./ui";

/** How the emulator answers: from where, in which dialect, and the states that it can be put back to. */
export function SetupView({ overview }: { overview: Overview }) {
  const { answer: dialects, problem } = useAnswer<Dialects>("/page/dialects", undefined);
  return (
    <>
      <Answers overview={overview} />
      {problem && <p class="problem">{problem}</p>}
      {dialects && <DialectPanel dialects={dialects} deviations={overview.deviations} />}
      <Snapshots names={overview.snapshots} />
    </>
  );
}

function Answers({ overview: { endpoint, sources, seed } }: { overview: Overview }) {
  const facts: readonly (readonly [name: string, value: string | undefined])[] = [
    ["Address", endpoint],
    ["Node API", answeredBy(sources, sources.proxy)],
    ["Signaling API", answeredBy(sources, sources.proxySignaling)],
    ["Answers kept in", sources.record],
    ["State kept in", sources.persist],
    ["Seed", String(seed)],
  ];
  return (
    <Panel title="Answers">
      <dl class="facts">
        {facts.map(([name, value]) => value !== undefined && <Fact key={name} name={name} value={value} />)}
      </dl>
    </Panel>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

const path = (name: string) => `/snapshots/${encodeURIComponent(name)}`;

/** States that are kept under a name until the emulator ends. */
function Snapshots({ names }: { names: readonly string[] }) {
  const [name, setName] = useState("");
  const given = name.trim();
  const take = () => act(`${given} is kept.`, () => call("PUT", path(given))).then((done) => done && setName(""));
  return (
    <Panel title="Snapshots" hint="what the emulator holds, kept under a name until it ends">
      <Form submit="Take" onSubmit={() => void take()}>
        <TextField label="Name" value={name} onChange={setName} required />
      </Form>
      {names.length === 0 ? (
        <p class="hint">None was taken.</p>
      ) : (
        <Table
          caption="Snapshots"
          items={names}
          keyOf={(each) => each}
          columns={[
            ["Name", (each) => <code>{each}</code>, "row"],
            [
              "Restore",
              (each) => <Button text="Restore …" label={`Restore … ${each}`} onClick={() => ask(each)} />,
              "unseen",
            ],
            [
              "Forget",
              (each) => <Button text="Forget" label={`Forget ${each}`} onClick={() => void forget(each)} />,
              "unseen",
            ],
          ]}
        />
      )}
    </Panel>
  );
}

const forget = (name: string) => act(`${name} is forgotten.`, () => call("DELETE", path(name)));

function ask(name: string): void {
  update({
    question: {
      title: `Restore ${name}?`,
      text: "What the emulator holds now is lost. Journal, faults, dialect and clock stay.",
      action: "Restore",
      act: () => void act(`${name} is restored.`, () => call("POST", `${path(name)}/restore`)),
    },
  });
}

type Deviations = Overview["deviations"];

const setTo = (done: string, choice: object) => act(done, () => call("PUT", "/dialect", choice));

/** How the open points of the contract are settled: what is not the default first, and a way to settle them otherwise. */
function DialectPanel({ dialects, deviations }: { dialects: Dialects; deviations: Deviations }) {
  const { names, switches } = dialects;
  const [filter, setFilter] = useChoice("find");
  const others = Object.keys(deviations).length;
  const found = switches.filter((one) => holds(one, deviations, filter));
  const sorted = [...found].sort((a, b) => Number(b.name in deviations) - Number(a.name in deviations));
  return (
    <Panel
      title="Dialect"
      hint={
        others === 0
          ? "every switch has its default"
          : `${number(others)} of ${plural(switches.length, "switch", "switches")} not at the default`
      }
      actions={
        others > 0 && <Button text="All defaults" onClick={() => void setTo("Every switch has its default.", {})} />
      }
    >
      <ByName names={names} />
      <BySwitch switches={switches} deviations={deviations} />
      <div class="row">
        <FindField value={filter} onChange={setFilter} placeholder="name, setting, or a word of what it settles" />
      </div>
      {sorted.length === 0 ? (
        <p class="hint">No switch.</p>
      ) : (
        <Table
          caption="Switches of the dialect"
          kind="dialect"
          tall
          items={sorted}
          keyOf={({ name }) => name}
          columns={[
            ["Switch", ({ name }) => <code>{name}</code>, "row"],
            ["Setting", (one) => <Setting one={one} deviations={deviations} />],
            ["Default", ({ settings: [normal] }) => String(normal)],
            ["Settles", ({ about }) => about],
          ]}
        />
      )}
    </Panel>
  );
}

function Setting({ one: { name, settings }, deviations }: { one: DialectSwitch; deviations: Deviations }) {
  return name in deviations ? (
    <Badge tone="info">{String(deviations[name])}</Badge>
  ) : (
    <span>{String(settings[0])}</span>
  );
}

function ByName({ names }: { names: readonly string[] }) {
  const [name, setName] = useState(names[0] ?? "");
  return (
    <Form submit="Set dialect" onSubmit={() => void setTo(`The dialect is ${name}.`, { name })}>
      <SelectField label="A whole dialect" value={name} options={names} onChange={setName} />
    </Form>
  );
}

function BySwitch({ switches, deviations }: { switches: readonly DialectSwitch[]; deviations: Deviations }) {
  const [name, setName] = useState(switches[0]?.name ?? "");
  const [chosen, choose] = useState<string>();
  const { settings = [], about = "" } = switches.find((one) => one.name === name) ?? {};
  const now = String(deviations[name] ?? settings[0]);
  // What only a program sets is not among the settings that are offered, and is seen here nevertheless.
  const options = [...new Set([...settings.map(String), now])];
  const wanted = chosen ?? now;
  const value = settings.find((setting) => String(setting) === wanted) ?? wanted;
  const change = (next: string) => {
    setName(next);
    choose(undefined);
  };
  return (
    <>
      <Form submit="Set switch" onSubmit={() => void setTo(`${name} is ${wanted}.`, { ...deviations, [name]: value })}>
        <SelectField label="A switch" value={name} options={switches.map((one) => one.name)} onChange={change} />
        <SelectField label="Setting" value={wanted} options={options} onChange={choose} />
      </Form>
      <p class="hint">{about}</p>
    </>
  );
}

function holds({ name, about }: DialectSwitch, deviations: Deviations, filter: string): boolean {
  return hasWords(`${name} ${deviations[name] ?? ""} ${about}`, filter);
}
