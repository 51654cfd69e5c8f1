import { useState } from "preact/hooks";
import type { DialectSwitch, Dialects, Overview } from "../answers";
import { act } from "./ask";
import { FindField, Form, SelectField } from "./fields";
import { choice } from "./route";
import { Table } from "./table";
import { hasWords, number, plural } from "./texts";
import { Badge, Button, Panel } from "./ui";

type Deviations = Overview["deviations"];

const setTo = (done: string, choice: object) => act(done, "PUT", "/dialect", choice);

/** Settings of the open points of the contract: the one to be set, then changed ones, then all others. */
export function DialectPanel({ dialects, deviations }: { dialects: Dialects; deviations: Deviations }) {
  const { names, switches } = dialects;
  const [filter, setFilter] = choice("find");
  const [selected, want] = choice("switch");
  const others = Object.keys(deviations).length;
  const rank = (name: string) => (name === selected ? 2 : name in deviations ? 1 : 0);
  const found = switches.filter(
    ({ name, about }) => name === selected || hasWords(`${name} ${deviations[name] ?? ""} ${about}`, filter),
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
      <BySwitch switches={switches} deviations={deviations} name={selected} onName={want} />
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
          tone={({ name }) => (name === selected ? "selected" : "")}
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
  const selected = chosen ?? now;
  const value = settings.find((setting) => String(setting) === selected) ?? selected;
  const change = (next: string) => {
    onName(next);
    choose(undefined);
  };
  return (
    <Form
      submit="Set switch"
      disabled={settings.length === 0}
      onSubmit={() => void setTo(`${name} is ${selected}.`, { ...deviations, [name]: value })}
    >
      <SelectField
        label="A switch"
        value={name}
        options={[["", "Choose …"], ...switches.map((one) => [one.name, one.name] as const)]}
        onChange={change}
      />
      {settings.length > 0 && <SelectField label="Setting" value={selected} options={options} onChange={choose} />}
    </Form>
  );
}
