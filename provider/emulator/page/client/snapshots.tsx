import { useState } from "preact/hooks";
import { call } from "./api";
import { act } from "./ask";
import { Form, TextField } from "./fields";
import { update } from "./store";
import { Table } from "./table";
import { Button, Panel } from "./ui";

const path = (name: string) => `/snapshots/${encodeURIComponent(name)}`;

/** States that are kept under a name until the emulator ends. */
export function Snapshots({ names }: { names: readonly string[] }) {
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
