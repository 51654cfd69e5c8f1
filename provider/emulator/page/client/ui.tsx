import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { call } from "./api";
import { refresh } from "./connection";
import { tell } from "./store";
import { number, plural } from "./texts";

/** A part of a view with its heading. */
export function Panel({
  id,
  title,
  hint,
  actions,
  children,
}: {
  id?: string;
  title: ComponentChildren;
  hint?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section class="panel" id={id}>
      <div class="panel-head">
        <h2>{title}</h2>
        {hint && <p class="hint">{hint}</p>}
        {actions && <div class="panel-actions">{actions}</div>}
      </div>
      {children}
    </section>
  );
}

export type Tone = "plain" | "good" | "bad" | "warn" | "info";

/** A word that stands out. Its text says all: colour only helps. */
export function Badge({ tone = "plain", children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** A link that leads to nothing says so. */
export function Unknown({ children }: { children: ComponentChildren }) {
  return (
    <p class="unknown" role="alert">
      {children}
    </p>
  );
}

/** A button of a head or a row. `label` says what it does where its text does not. */
export function Button(props: {
  text: string;
  label?: string;
  /** It stands out while what it did holds. */
  on?: boolean;
  pressed?: boolean;
  disabled?: boolean;
  onClick: () => void;
}) {
  const { text, label, on, pressed, disabled, onClick } = props;
  const kind = on ? "small on" : "small";
  return (
    <button type="button" class={kind} aria-label={label} aria-pressed={pressed} disabled={disabled} onClick={onClick}>
      {text}
    </button>
  );
}

export function Switch({ on, onClick, children }: { on: boolean; onClick: () => void; children: ComponentChildren }) {
  return (
    <button type="button" role="switch" class="switch" aria-checked={on} onClick={onClick}>
      <span class="knob" />
      {children}
    </button>
  );
}

/** What a column shows of an item: numbers, what names the row, or (`unseen`) something whose title is only heard. */
type Column<Item> = readonly [
  title: string,
  cell: (item: Item) => ComponentChildren,
  form?: "num" | "row" | "unseen" | undefined,
];

/** A table that scrolls by itself. Its caption is for readers who hear the page. */
export function Table<Item>(props: {
  caption: string;
  items: readonly Item[];
  keyOf: (item: Item) => string | number;
  columns: readonly Column<Item>[];
  /** Class of the row of an item. */
  tone?: (item: Item) => string;
  kind?: string;
  tall?: boolean;
}) {
  const { caption, items, keyOf, columns, tone, kind, tall } = props;
  return (
    <div class={tall ? "scroll tall" : "scroll"}>
      <table class={kind}>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map(([title, , form]) => (
              <th key={title} scope="col" class={form === "num" ? "num" : undefined}>
                {form === "unseen" ? <span class="unseen">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={keyOf(item)} class={tone?.(item)}>
              {columns.map(([title, cell, form]) =>
                form === "row" ? (
                  <th key={title} scope="row">
                    {cell(item)}
                  </th>
                ) : (
                  <td key={title} class={form === "num" ? "num" : undefined}>
                    {cell(item)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
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

export function SelectField<Value extends string>(props: {
  label: string;
  value: Value;
  options: readonly (Value | readonly [value: Value, text: string])[];
  onChange: (value: Value) => void;
}) {
  return (
    <Field label={props.label}>
      <select value={props.value} onChange={({ currentTarget }) => props.onChange(currentTarget.value as Value)}>
        {props.options.map((option) => {
          const [value, text] = typeof option === "string" ? [option, option] : option;
          return (
            <option key={value} value={value} selected={value === props.value}>
              {text}
            </option>
          );
        })}
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

/** Numbers with their words; those of which there are none are left out. */
export function Parts(props: {
  parts: readonly (readonly [tone: string, word: string, count: number])[];
  between: string;
}) {
  const some = props.parts.filter(([, , count]) => count > 0);
  return (
    <>
      {some.map(([tone, word, count], at) => (
        <span key={tone}>
          {at > 0 && props.between}
          <span class={tone}>
            {word}
            {number(count)}
          </span>
        </span>
      ))}
    </>
  );
}

/** Says how much of a long list is there, and gives more of it. */
export function Shown(props: {
  shown: number;
  of: number;
  /** One of them, and many of them. */
  what: readonly [one: string, many: string];
  also?: string;
  step: number;
  onMore: () => void;
}) {
  const { shown, of, what, also = "", step, onMore } = props;
  const total = of === 0 ? `No ${what[1]}` : plural(of, ...what);
  return (
    <p class="shown">
      {shown < of ? `First ${number(shown)} of ${total}${also}.` : `${total}${also}.`}
      {shown < of && <Button text={`Show ${number(Math.min(step, of - shown))} more`} onClick={onMore} />}
    </p>
  );
}

/** Does something to the emulator, asks it again, and says so. Resolves to false when it failed. */
export async function act(done: string, action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    if (done) tell("done", done);
    return true;
  } catch (error) {
    tell("error", error instanceof Error ? error.message : String(error));
    return false;
  } finally {
    void refresh();
  }
}

/** What a path answers; asked again whenever `version` changes. The last answer to the same question stays meanwhile. */
export function useAnswer<T>(path: string | undefined, version: unknown): { answer?: T; problem?: string } {
  const [last, keep] = useState<{ path?: string; answer?: T; problem?: string }>({});
  useEffect(() => {
    if (path === undefined) return;
    let wanted = true;
    call<T>("GET", path).then(
      (answer) => wanted && keep({ path, answer }),
      (error: Error) => wanted && keep({ path, problem: error.message }),
    );
    return () => {
      wanted = false;
    };
  }, [path, version]);
  return last;
}

/** A value once it has not changed for a moment: not every letter is a question. */
export function useSettled<T>(value: T): T {
  const [settled, settle] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => settle(value), 150);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
