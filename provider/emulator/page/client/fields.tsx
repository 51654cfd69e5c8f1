import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { go, link, type View } from "./route";
import { hasWords, number, shortUrl } from "./texts";
import { Name } from "./ui";

interface FieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

/** Values of the fields of a form; `field` makes a control one of them. */
export function useFields<Field extends string>(first: Record<Field, string>) {
  const [values, setValues] = useState(first);
  const field = (name: Field): Omit<FieldProps, "label"> => ({
    value: values[name] ?? "",
    onChange: (value: string) => setValues({ ...values, [name]: value }),
  });
  return { values, field };
}

/** A row of controls with the button that sends them. */
export function Form(props: { submit?: string; onSubmit: () => void; children: ComponentChildren }) {
  const { submit, onSubmit, children } = props;
  const send = (event: Event) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form class="row" onSubmit={send}>
      {children}
      {submit && (
        <button type="submit" class="primary">
          {submit}
        </button>
      )}
    </form>
  );
}

/** A form control with its label. */
function Field({ label, grow, children }: { label: string; grow?: boolean; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children
    <label class={grow ? "field grow" : "field"}>
      <span>{label}</span>
      {children}
    </label>
  );
}

interface TextFieldProps extends FieldProps {
  placeholder?: string;
  grow?: boolean;
  type?: "text" | "number" | "search" | "password";
  required?: boolean;
}

export function TextField({ label, grow, onChange, type = "text", ...rest }: TextFieldProps) {
  return (
    <Field label={label} grow={grow}>
      <input
        // The types of Preact want to know which one it is.
        type={type as "text"}
        spellcheck={false}
        autocomplete="off"
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
        {...rest}
      />
    </Field>
  );
}

/** Field for the text to look for in a list. */
export function FindField(props: Omit<TextFieldProps, "label">) {
  return <TextField label="Find" type="search" grow {...props} />;
}

interface SelectFieldProps extends FieldProps {
  options: readonly (string | readonly [value: string, text: string])[];
}

export function SelectField({ label, value: chosen, options, onChange }: SelectFieldProps) {
  const texts = new Map(options.map((option) => (typeof option === "string" ? [option, option] : option)));
  return (
    <Field label={label}>
      <select value={chosen} title={texts.get(chosen)} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {[...texts].map(([value, text]) => (
          <option key={value} value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  );
}

export function Check(props: { label: string; checked: boolean; onChange: (checked: boolean) => void }) {
  const { label, checked, onChange } = props;
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}

/** Items of a list that need no search. */
const SEARCHED = 8;

/** Resources of a view to choose from: a list beside them, searched where it is long, on a narrow window a select. */
export function Choice(props: {
  view: View;
  label: string;
  items: readonly { readonly url: string; readonly hint: string }[];
  chosen: string | undefined;
}) {
  const { view, label, items, chosen } = props;
  const [filter, setFilter] = useState("");
  const found = items.filter(({ url, hint }) => hasWords(`${url} ${hint}`, filter));
  const options = items.map(({ url, hint }) => [url, hint ? `${shortUrl(url)}: ${hint}` : shortUrl(url)] as const);
  const isListed = items.some(({ url }) => url === chosen);
  return (
    <div class="choice">
      <nav class="choices" aria-label={label}>
        {items.length > SEARCHED && <FindField value={filter} onChange={setFilter} placeholder="part of a name" />}
        {found.map(({ url, hint }) => (
          <a key={url} href={link(view, url)} aria-current={url === chosen ? "true" : undefined}>
            <Name>{shortUrl(url)}</Name>
            {hint && <small>{hint}</small>}
          </a>
        ))}
        {found.length === 0 && <p class="hint">None of {number(items.length)}.</p>}
      </nav>
      <SelectField
        label={label}
        value={(isListed && chosen) || ""}
        options={isListed ? options : [["", "Choose …"], ...options]}
        onChange={(url) => url && go(view, url)}
      />
    </div>
  );
}
