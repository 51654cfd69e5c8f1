import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { choice, LIST, link, type View } from "./route";
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
export function Form(props: {
  submit?: string;
  disabled?: boolean;
  onSubmit: () => void;
  children: ComponentChildren;
}) {
  const { submit, disabled, onSubmit, children } = props;
  const send = (event: Event) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form class="row" onSubmit={send}>
      {children}
      {submit && (
        <button type="submit" class="primary" disabled={disabled}>
          {submit}
        </button>
      )}
    </form>
  );
}

/** A form control with its label. */
function Field(props: { label: string; grow?: boolean; bare?: boolean; children: ComponentChildren }) {
  const { label, grow, bare, children } = props;
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children
    <label class={grow ? "field grow" : "field"}>
      <span class={bare ? "visually-hidden" : undefined}>{label}</span>
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

/** Field for the text to look for in a list of such items. */
export function FindField({ what, ...rest }: Omit<TextFieldProps, "label"> & { what: string }) {
  return <TextField label={`Find ${what}`} type="search" grow {...rest} />;
}

/** The items of a list with every word of a search, which is in the address; and its field, where there is a choice. */
export function useFind<Item>(
  { name, what, placeholder }: { name: string; what: string; placeholder: string },
  items: readonly Item[],
  textOf: (item: Item) => string,
) {
  const [words, setWords] = choice(name);
  const found = words.trim() === "" ? items : items.filter((item) => hasWords(textOf(item), words));
  const field = (items.length > 1 || words !== "") && (
    <div class="row find">
      <FindField what={what} value={words} onChange={setWords} placeholder={placeholder} />
      {found.length < items.length && (
        <p class="hint" role="status">
          {found.length === 0
            ? `None of ${number(items.length)}.`
            : `${number(found.length)} of ${number(items.length)}.`}
        </p>
      )}
    </div>
  );
  return { words, found, field };
}

interface SelectFieldProps extends FieldProps {
  options: readonly (string | readonly [value: string, text: string])[];
  /** The label is only heard: the first option says the same. */
  bare?: boolean;
}

export function SelectField({ label, value: chosen, options, onChange, bare }: SelectFieldProps) {
  const texts = new Map(options.map((option) => (typeof option === "string" ? [option, option] : option)));
  return (
    <Field label={label} bare={bare}>
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

/** Resources of a view to choose from, with a search: a list beside them, on a narrow window above them. */
export function Choice(props: {
  view: View;
  label: string;
  what: string;
  items: readonly { readonly url: string; readonly hint: string }[];
  chosen: string | undefined;
}) {
  const { view, label, what, items, chosen } = props;
  const { found, field } = useFind(
    { name: LIST, what, placeholder: "part of a name" },
    items,
    ({ url, hint }) => `${url} ${hint}`,
  );
  return (
    <div class="choice">
      {field}
      <nav class="choices" aria-label={label}>
        {found.map(({ url, hint }) => (
          <a key={url} href={link(view, url)} aria-current={url === chosen ? "true" : undefined}>
            <Name>{shortUrl(url)}</Name>
            {hint && <small>{hint}</small>}
          </a>
        ))}
      </nav>
    </div>
  );
}
