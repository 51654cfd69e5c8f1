import { useState } from "preact/hooks";
import type { DialectSwitch, Dialects, Overview } from "../answers";
import { act, useAnswer } from "./ask";
import { FindField, Form, SelectField, TextField, useFind } from "./fields";
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
    <Panel title="Source of answers">
      <dl class="facts">{facts.map(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={value}>{value}</dd>])}</dl>
    </Panel>
  );
}

/** Emulators that tests have started in the process of this one. */
function Isolated({ emulators }: { emulators: Overview["isolated"] }) {
  const { found, field } = useFind(
    { name: "isolated", what: "an emulator", placeholder: "label or address" },
    emulators,
    ({ label, endpoint, control }) => `${label} ${endpoint} ${control}`,
  );
  const end = (label: string) => act(`${label} has ended.`, "DELETE", `/emulators/${encodeURIComponent(label)}`);
  return (
    <Panel
      title="Isolated emulators"
      hint="each has state, journal, faults and addresses of its own, until it is ended"
    >
      {field}
      <Table
        caption="Isolated emulators"
        items={found}
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
  const { found, field } = useFind(
    { name: "snapshot", what: "a snapshot", placeholder: "part of a name" },
    names,
    String,
  );
  const take = () => act(`${given} is kept.`, "PUT", path(given)).then((done) => done && setName(""));
  return (
    <Panel title="Snapshots" hint="states that are kept under a name until the emulator ends">
      <Form submit="Take snapshot" onSubmit={() => void take()}>
        <TextField label="Name" value={name} onChange={setName} required />
      </Form>
      {names.length === 0 ? (
        <p class="hint">No snapshots yet. Take one before a test, and restore it afterwards.</p>
      ) : (
        <>
          {field}
          <Table
            caption="Snapshots"
            items={found}
            keyOf={(each) => each}
            columns={[
              ["Name", (each) => <code>{each}</code>, "row"],
              [
                "Restore",
                (each) => <Button text="Restore …" aria-label={`Restore … ${each}`} onClick={() => ask(each)} />,
                "unseen",
              ],
              [
                "Remove",
                (each) => <Button text="Remove" aria-label={`Remove ${each}`} onClick={() => void remove(each)} />,
                "unseen",
              ],
            ]}
          />
        </>
      )}
    </Panel>
  );
}

const remove = (name: string) => act(`${name} is removed.`, "DELETE", path(name));

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

/** Settings of the open points of the contract: the one to be set, then changed ones, then all others. */
function DialectPanel({ dialects, deviations }: { dialects: Dialects; deviations: Deviations }) {
  const { names, switches } = dialects;
  const [filter, setFilter] = choice("find");
  const [wanted, want] = choice("switch");
  const others = Object.keys(deviations).length;
  const rank = (name: string) => (name === wanted ? 2 : name in deviations ? 1 : 0);
  const found = switches.filter(
    ({ name, about }) => name === wanted || hasWords(`${name} ${deviations[name] ?? ""} ${about}`, filter),
  );
  return (
    <Panel
      class="tallest"
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
      <BySwitch switches={switches} deviations={deviations} name={wanted} onName={want} />
      <div class="row">
        <FindField
          what="a switch"
          value={filter}
          onChange={setFilter}
          placeholder="name, setting, or a word of its meaning"
        />
      </div>
      {found.length === 0 ? (
        <p class="hint">No switch.</p>
      ) : (
        <Table
          caption="Switches of the dialect"
          kind="dialect"
          tall
          items={[...found].sort((a, b) => rank(b.name) - rank(a.name))}
          keyOf={({ name }) => name}
          tone={({ name }) => (name === wanted ? "wanted" : "")}
          columns={[
            ["Switch", ({ name }) => <code>{name}</code>, "row"],
            [
              "Setting",
              ({ name, settings: [normal] }) =>
                name in deviations ? <Badge tone="info">{String(deviations[name])}</Badge> : normal,
            ],
            ["Default", ({ settings: [normal] }) => normal],
            ["Meaning", ({ about }) => about],
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

/** Sets one switch. The table below has its meaning, in its first row. */
function BySwitch(props: {
  switches: readonly DialectSwitch[];
  deviations: Deviations;
  name: string;
  onName: (name: string) => void;
}) {
  const { switches, deviations, name, onName } = props;
  const [chosen, choose] = useState<string>();
  const { settings = [] } = switches.find((one) => one.name === name) ?? {};
  const now = String(deviations[name] ?? settings[0] ?? "");
  // A setting that only a program can make is not offered, but is shown here.
  const options = [...new Set([...settings.map(String), now])];
  const wanted = chosen ?? now;
  const value = settings.find((setting) => String(setting) === wanted) ?? wanted;
  const change = (next: string) => {
    onName(next);
    choose(undefined);
  };
  return (
    <Form
      submit="Set switch"
      disabled={settings.length === 0}
      onSubmit={() => void setTo(`${name} is ${wanted}.`, { ...deviations, [name]: value })}
    >
      <SelectField
        label="A switch"
        value={name}
        options={[["", "Choose …"], ...switches.map((one) => [one.name, one.name] as const)]}
        onChange={change}
      />
      {settings.length > 0 && <SelectField label="Setting" value={wanted} options={options} onChange={choose} />}
    </Form>
  );
}
