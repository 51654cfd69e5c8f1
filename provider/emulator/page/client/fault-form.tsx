import type { Fault, FaultKind } from "../answers";
import { act } from "./ask";
import { Form, SelectField, TextField, useFields } from "./fields";
import { REQUESTS } from "./requests";
import { Panel } from "./ui";

/** Choices for the frequency of a fault. */
export const STRIKES: Record<string, { text: string; fault: Fault }> = {
  once: { text: "the next time", fault: {} },
  always: { text: "every time", fault: { every: 1 } },
  third: { text: "every third time", fault: { every: 3 } },
  tenth: { text: "one in ten, by chance", fault: { rate: 0.1 } },
};

export const strikeOptions = Object.entries(STRIKES).map(([name, { text }]) => [name, text] as const);

/**
 * Fields for the parameters of a kind. One that is not named here is a text. `digits`: given in digits it is a number, as a
 * delay in milliseconds and a Retry-After in seconds; digits in a message are its text.
 */
const PARAMETERS: Record<string, { label: string; type?: "number"; digits?: true; options?: Record<string, string> }> =
  {
    status: { label: "Status", type: "number", digits: true },
    delay: { label: "Delay", digits: true },
    message: { label: "Message" },
    body: { label: "Body" },
    retryAfter: { label: "Retry-After", digits: true },
    when: { label: "Effect", options: { before: "fault before effect", after: "effect before fault" } },
    staged: { label: "Staged entries", options: { lost: "lost", kept: "kept" } },
  };

/** A fault of one's own, of any kind that the emulator has. What is left empty has the default of its kind. */
export function FaultForm({ kinds }: { kinds: readonly FaultKind[] }) {
  const { values, field } = useFields({
    kind: kinds[0]?.kind ?? "",
    request: "any request",
    strike: "once",
    url: "",
    nth: "",
  });
  const parameterFields = useFields<string>({});
  const { kind, request, strike, url, nth } = values;
  const { about = "", parameters = {} } = kinds.find((one) => one.kind === kind) ?? {};
  // From the nth on, and every nth, contradict each other.
  const every = STRIKES[strike]?.fault.every !== undefined;
  const filled = Object.keys(parameters).filter((name) => parameterFields.values[name]);
  const fault = {
    kind,
    ...REQUESTS[request],
    ...STRIKES[strike]?.fault,
    ...(url && { url }),
    ...(nth && !every && { nth: Number(nth) }),
    ...Object.fromEntries(filled.map((name) => [name, parameterValue(name, parameterFields.values[name] ?? "")])),
  };
  return (
    <Panel title="A fault of your own" hint={about.replaceAll("`", "")}>
      <Form submit="Add fault" onSubmit={() => void act(`${kind}: added.`, "POST", "/faults", fault)}>
        <SelectField label="Kind" {...field("kind")} options={kinds.map((one) => one.kind)} />
        <SelectField label="Applies to" {...field("request")} options={Object.keys(REQUESTS)} />
        <TextField label="Only this url" {...field("url")} placeholder="prefixset://edge/*" grow />
        <SelectField label="Strikes" {...field("strike")} options={strikeOptions} />
        <TextField
          label="From the nth on"
          type="number"
          {...field("nth")}
          {...(every && { value: "" })}
          placeholder="1"
        />
        {Object.entries(parameters).map(([name, normal]) => {
          const { label = name, type, options } = PARAMETERS[name] ?? {};
          const usual = ["", `as usual: ${options?.[String(normal)] ?? normal}`] as const;
          return options ? (
            <SelectField
              key={name}
              label={label}
              {...parameterFields.field(name)}
              options={[usual, ...Object.entries(options)]}
            />
          ) : (
            <TextField
              key={name}
              label={label}
              type={type}
              {...parameterFields.field(name)}
              placeholder={String(normal ?? "")}
            />
          );
        })}
      </Form>
    </Panel>
  );
}

function parameterValue(name: string, text: string): string | number {
  return PARAMETERS[name]?.digits && /^\d+$/.test(text) ? Number(text) : text;
}
