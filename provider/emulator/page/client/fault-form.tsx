import { useState } from "preact/hooks";
import { call } from "./api";
import { STRIKES, type Strike } from "./fault-presets";
import type { Fault } from "./types";
import { act, Panel, SelectField, TextField } from "./ui";

const KINDS = [
  "error",
  "delay",
  "reset",
  "lost-answer",
  "truncated",
  "silence",
  "html",
  "unknown-shape",
  "refuse",
  "restart",
  "slow-commit",
  "late-commit",
  "stuck-commit",
  "full-table",
  "stale-list",
  "clock-skew",
] as const;

/** Which requests, in one choice: a command of the node API or an operation of signaling. */
const REQUESTS = {
  "any request": {},
  "node: any": { api: "node" },
  "node: list": { cmd: "list" },
  "node: insert": { cmd: "insert" },
  "node: delete": { cmd: "delete" },
  "node: commit": { cmd: "commit" },
  "signaling: status": { op: "status" },
  "signaling: start": { op: "start" },
  "signaling: stop": { op: "stop" },
} as const satisfies Record<string, Fault>;

const EMPTY = { url: "", nth: "", status: "", delay: "" };

/** A fault of one's own. What is left empty has the default of its kind. */
export function FaultForm() {
  const [kind, setKind] = useState<(typeof KINDS)[number]>("error");
  const [request, setRequest] = useState<keyof typeof REQUESTS>("any request");
  const [strike, setStrike] = useState<Strike>("once");
  const [when, setWhen] = useState<"" | "before" | "after">("");
  const [texts, setTexts] = useState(EMPTY);
  const text = (name: keyof typeof EMPTY) => (value: string) => setTexts({ ...texts, [name]: value });
  const fault: Fault = {
    kind,
    ...REQUESTS[request],
    ...STRIKES[strike].fault,
    ...(texts.url && { url: texts.url }),
    ...(texts.nth && { nth: Number(texts.nth) }),
    ...(texts.status && { status: Number(texts.status) }),
    ...(texts.delay && { delay: texts.delay }),
    ...(when && { when }),
  };
  return (
    <Panel title="A fault of your own">
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          void act(`${kind}: armed.`, () => call("POST", "/faults", fault));
        }}
      >
        <SelectField label="Kind" value={kind} options={KINDS} onChange={setKind} />
        <SelectField
          label="Meets"
          value={request}
          options={Object.keys(REQUESTS) as (keyof typeof REQUESTS)[]}
          onChange={setRequest}
        />
        <TextField
          label="Only this url"
          value={texts.url}
          onChange={text("url")}
          placeholder="prefixset://edge/*"
          grow
        />
        <SelectField
          label="Strikes"
          value={strike}
          options={Object.entries(STRIKES).map(([name, it]) => [name as Strike, it.text] as const)}
          onChange={setStrike}
        />
        <TextField label="From the nth on" type="number" value={texts.nth} onChange={text("nth")} placeholder="1" />
        <TextField label="Status" type="number" value={texts.status} onChange={text("status")} placeholder="500" />
        <TextField label="Delay" value={texts.delay} onChange={text("delay")} placeholder="1s" />
        <SelectField
          label="Effect"
          value={when}
          options={[
            ["", "as usual"],
            ["before", "fault before effect"],
            ["after", "effect before fault"],
          ]}
          onChange={setWhen}
        />
        <button type="submit" class="primary">
          Arm
        </button>
      </form>
    </Panel>
  );
}
