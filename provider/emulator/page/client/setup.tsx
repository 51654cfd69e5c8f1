import { useState } from "preact/hooks";
import type { DialectSwitch, Dialects, Overview } from "../answers";
import { act, useAnswer } from "./ask";
import { FindField, Form, SelectField, TextField } from "./fields";
import { choice } from "./route";
import { type Seen, update } from "./store";
import { Table } from "./table";
import { answeredBy, hasWords, number, plural } from "./texts";
import { Badge, Button, Panel } from "./ui";

/** The view of the emulator's answers: their source, their dialect, and the states that it can be put back to. */
export function SetupView({ overview }: Seen) {
  const { answer: dialects, problem } = useAnswer<Dialects>("/page/dialects", undefined);
  return (
    <>
      <Answers overview={overview} />
      {problem && <p class="problem">{problem}</p>}
      {dialects && <DialectPanel dialects={dialects} deviations={overview.deviations} />}
      <Snapshots names={overview.snapshots} />
      {overview.isolated.length > 0 && <Isolated emulators={overview.isolated} />}
    </>
  );
}

function Answers({ overview: { endpoint, sources, seed } }: { overview: Overview }) {
  const facts = [
    ["Address", endpoint],
    ["Node API", answeredBy(sources, sources.proxy)],
    ["Signaling API", answeredBy(sources, sources.proxySignaling)],
    ["Answers kept in", sources.record],
    ["State kept in", sources.persist],
    ["Seed", seed],
  ].filter(([, value]) => value !== undefined);
  return (
    <Panel title="Answers">
      <dl class="facts">{facts.map(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={value}>{value}</dd>])}</dl>
    </Panel>
  );
}

/** Emulators that tests have started in the process of this one. */
function Isolated({ emulators }: { emulators: Overview["isolated"] }) {
  const end = (label: string) => act(`${label} has ended.`, "DELETE", `/emulators/${encodeURIComponent(label)}`);
  return (
    <Panel
      title="Isolated emulators"
      hint="each has state, journal, faults and addresses of its own, until it is ended"
    >
      <Table
        caption="Isolated emulators"
        items={emulators}
        keyOf={({ label }) => label}
        columns={[
          ["Label", ({ label }) => <code>{label}</code>, "row"],
          ["Address", ({ endpoint }) => <code>{endpoint}</code>],
          ["Page", ({ control }) => <a href={control}>{control}</a>],
          [
            "End",
            ({ label }) => <Button text="End" aria-label={`End ${label}`} onClick={() => void end(label)} />,
            "unseen",
          ],
        ]}
      />
    </Panel>
  );
}

const path = (name: string) => `/snapshots/${encodeURIComponent(name)}`;

/** States that are kept under a name until the emulator ends. */
function Snapshots({ names }: { names: readonly string[] }) {
  const [name, setName] = useState("");
  const given = name.trim();
  const take = () => act(`${given} is kept.`, "PUT", path(given)).then((done) => done && setName(""));
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
              (each) => <Button text="Restore …" aria-label={`Restore … ${each}`} onClick={() => ask(each)} />,
              "unseen",
            ],
            [
              "Forget",
              (each) => <Button text="Forget" aria-label={`Forget ${each}`} onClick={() => void forget(each)} />,
              "unseen",
            ],
          ]}
        />
      )}
    </Panel>
  );
}

const forget = (name: string) => act(`${name} is forgotten.`, "DELETE", path(name));

function ask(name: string): void {
  update({
    question: {
      title: `Restore ${name}?`,
      text: "What the emulator holds now is lost. Journal, faults, dialect and clock stay.",
      action: "Restore",
      act: () => void act(`${name} is restored.`, "POST", `${path(name)}/restore`),
    },
  });
}

type Deviations = Overview["deviations"];

const setTo = (done: string, choice: object) => act(done, "PUT", "/dialect", choice);

/** Settings of the open points of the contract: changed ones first, with a way to set others. */
function DialectPanel({ dialects, deviations }: { dialects: Dialects; deviations: Deviations }) {
  const { names, switches } = dialects;
  const [filter, setFilter] = choice("find");
  const others = Object.keys(deviations).length;
  const found = switches.filter(({ name, about }) => hasWords(`${name} ${deviations[name] ?? ""} ${about}`, filter));
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
            [
              "Setting",
              ({ name, settings: [normal] }) =>
                name in deviations ? <Badge tone="info">{String(deviations[name])}</Badge> : normal,
            ],
            ["Default", ({ settings: [normal] }) => normal],
            ["Settles", ({ about }) => about],
          ]}
        />
      )}
    </Panel>
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
  // A setting that only a program can make is not offered, but is shown here.
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
