import type { ComponentChildren } from "preact";
import { go, link, type View } from "./route";
import { shortUrl } from "./texts";
import { Name } from "./ui";

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

export function TextField(props: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  placeholder?: string;
  grow?: boolean;
  type?: "text" | "number" | "search" | "password";
  required?: boolean;
}) {
  const { label, value, onChange, grow, type = "text", placeholder, required } = props;
  return (
    <Field label={label} grow={grow}>
      <input
        // The types of Preact want to know which one it is.
        type={type as "text"}
        value={value}
        placeholder={placeholder}
        required={required}
        spellcheck={false}
        autocomplete="off"
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </Field>
  );
}

/** What to look for in a list. */
export function FindField(props: { value: string; onChange: (value: string) => void; placeholder: string }) {
  return <TextField label="Find" type="search" grow {...props} />;
}

export function SelectField<Value extends string>(props: {
  label: string;
  value: Value;
  options: readonly (Value | readonly [value: Value, text: string])[];
  onChange: (value: Value) => void;
}) {
  const texts = new Map(props.options.map((option) => (typeof option === "string" ? [option, option] : option)));
  return (
    <Field label={props.label}>
      <select
        value={props.value}
        title={texts.get(props.value)}
        onChange={({ currentTarget }) => props.onChange(currentTarget.value as Value)}
      >
        {[...texts].map(([value, text]) => (
          <option key={value} value={value} selected={value === props.value}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  );
}

export function Check(props: { label: string; checked: boolean; onChange: (checked: boolean) => void }) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={props.checked}
        onChange={({ currentTarget }) => props.onChange(currentTarget.checked)}
      />
      <span>{props.label}</span>
    </label>
  );
}

/** Resources of a view to choose from: a list beside them, on a narrow window a select. */
export function Choice(props: {
  view: View;
  label: string;
  items: readonly { readonly url: string; readonly hint: string }[];
  chosen: string | undefined;
}) {
  const { view, label, items, chosen } = props;
  const isListed = items.some(({ url }) => url === chosen);
  return (
    <div class="choice">
      <nav class="choices" aria-label={label}>
        {items.map(({ url, hint }) => (
          <a key={url} href={link(view, url)} aria-current={url === chosen ? "true" : undefined}>
            <Name>{shortUrl(url)}</Name>
            {hint && <small>{hint}</small>}
          </a>
        ))}
      </nav>
      <SelectField
        label={label}
        value={(isListed && chosen) || ""}
        options={[
          ...(isListed ? [] : [["", "Choose …"] as const]),
          ...items.map(({ url, hint }) => [url, hint ? `${shortUrl(url)}: ${hint}` : shortUrl(url)] as const),
        ]}
        onChange={(url) => url && go(view, url)}
      />
    </div>
  );
}
