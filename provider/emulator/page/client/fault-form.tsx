import { useState } from "preact/hooks";
import type { Fault, FaultKind } from "../answers";
import { call } from "./api";
import { act } from "./ask";
import { Form, SelectField, TextField } from "./fields";
import { Panel } from "./ui";

/** How often a fault strikes. */
export const STRIKES = {
  once: { text: "the next time", fault: {} },
  always: { text: "every time", fault: { every: 1 } },
  third: { text: "every third time", fault: { every: 3 } },
  tenth: { text: "one in ten, by chance", fault: { rate: 0.1 } },
} as const satisfies Record<string, { text: string; fault: Fault }>;

export type Strike = keyof typeof STRIKES;

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

/** How a parameter of a kind is asked for. One that is not named here is a text. */
const PARAMETERS: Record<string, { label: string; number?: true; options?: Record<string, string> }> = {
  status: { label: "Status", number: true },
  delay: { label: "Delay" },
  message: { label: "Message" },
  body: { label: "Body" },
  retryAfter: { label: "Retry-After" },
  when: { label: "Effect", options: { before: "fault before effect", after: "effect before fault" } },
  staged: { label: "Staged entries", options: { lost: "lost", kept: "kept" } },
};

/** A fault of one's own, of any kind that the emulator has. What is left empty has the default of its kind. */
export function FaultForm({ kinds }: { kinds: readonly FaultKind[] }) {
  const [name, setName] = useState(kinds[0]?.kind ?? "");
  const [request, setRequest] = useState<keyof typeof REQUESTS>("any request");
  const [strike, setStrike] = useState<Strike>("once");
  const [place, setPlace] = useState({ url: "", nth: "" });
  const [told, setTold] = useState<Record<string, string>>({});
  const { about = "", parameters = {} } = kinds.find(({ kind }) => kind === name) ?? {};
  // From the nth on, and every nth, contradict each other.
  const every = "every" in STRIKES[strike].fault;
  const fault = {
    kind: name,
    ...REQUESTS[request],
    ...STRIKES[strike].fault,
    ...(place.url && { url: place.url }),
    ...(place.nth && !every && { nth: Number(place.nth) }),
    ...given(Object.keys(parameters), told),
  };
  return (
    <Panel title="A fault of your own" hint={about.replaceAll("`", "")}>
      <Form submit="Arm" onSubmit={() => void act(`${name}: armed.`, () => call("POST", "/faults", fault))}>
        <SelectField label="Kind" value={name} options={kinds.map(({ kind }) => kind)} onChange={setName} />
        <SelectField
          label="Meets"
          value={request}
          options={Object.keys(REQUESTS) as (keyof typeof REQUESTS)[]}
          onChange={setRequest}
        />
        <TextField
          label="Only this url"
          value={place.url}
          onChange={(url) => setPlace({ ...place, url })}
          placeholder="prefixset://edge/*"
          grow
        />
        <SelectField
          label="Strikes"
          value={strike}
          options={Object.entries(STRIKES).map(([key, { text }]) => [key as Strike, text] as const)}
          onChange={setStrike}
        />
        <TextField
          label="From the nth on"
          type="number"
          value={every ? "" : place.nth}
          onChange={(nth) => setPlace({ ...place, nth })}
          placeholder="1"
        />
        {Object.entries(parameters).map(([parameter, normal]) => (
          <ParameterField
            key={parameter}
            name={parameter}
            normal={normal}
            value={told[parameter] ?? ""}
            onChange={(value) => setTold({ ...told, [parameter]: value })}
          />
        ))}
      </Form>
    </Panel>
  );
}

function ParameterField(props: {
  name: string;
  normal: string | number | null;
  value: string;
  onChange: (value: string) => void;
}) {
  const { name, normal, value, onChange } = props;
  const { label, number, options } = PARAMETERS[name] ?? { label: name };
  if (options) {
    const usual = ["", `as usual: ${options[String(normal)] ?? normal}`] as const;
    return (
      <SelectField label={label} value={value} options={[usual, ...Object.entries(options)]} onChange={onChange} />
    );
  }
  return (
    <TextField
      label={label}
      type={number ? "number" : "text"}
      value={value}
      onChange={onChange}
      placeholder={String(normal ?? "")}
    />
  );
}

/** What was filled in of the parameters that the kind has, numbers as numbers. */
function given(parameters: readonly string[], told: Record<string, string>): Record<string, string | number> {
  const filled = parameters.flatMap((name) => (told[name] ? [[name, told[name]] as const] : []));
  return Object.fromEntries(
    filled.map(([name, text]) => [name, /^\d+$/.test(text) && isNumber(name) ? Number(text) : text]),
  );
}

/** A delay in digits is milliseconds, a Retry-After in digits seconds; digits in a message are its text. */
function isNumber(parameter: string): boolean {
  return parameter === "status" || parameter === "delay" || parameter === "retryAfter";
}
