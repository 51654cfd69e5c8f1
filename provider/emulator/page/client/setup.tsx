import { useState } from "preact/hooks";
import type { Dialects, Overview } from "../answers";
import { act, useAnswer } from "./ask";
import { DialectPanel } from "./dialect";
import { Form, TextField, useFind } from "./fields";
import { update, type ViewProps } from "./store";
import { Table } from "./table";
import { answeredBy } from "./texts";
import { Button, Panel } from "./ui";

/** The view of the emulator's answers: their source, their dialect, and the states that it can be restored to. */
export function SetupView({ overview }: ViewProps) {
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
    ["Node API", answeredBy(sources, "node")],
    ["Signaling API", answeredBy(sources, "signaling")],
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
            "visually-hidden",
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
                "visually-hidden",
              ],
              [
                "Remove",
                (each) => <Button text="Remove" aria-label={`Remove ${each}`} onClick={() => void remove(each)} />,
                "visually-hidden",
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
      text: "The present content is lost. Journal, faults, dialect and clock stay.",
      action: "Restore",
      act: () => void act(`${name} is restored.`, "POST", `${path(name)}/restore`),
    },
  });
}
