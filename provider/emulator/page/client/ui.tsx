import type { ComponentChildren } from "preact";
import { link, requestsOf } from "./route";
import { shortUrl } from "./texts";

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

/** A name on one line. What does not fit is cut; the whole is seen on hover, and where it is part of a link, on focus. */
export function Name({ children }: { children: string }) {
  return (
    <code class="cut" title={children}>
      {children}
    </code>
  );
}

/** A link to the requests that hold these words: what clients were told, also where another node answers. */
export function Requests({ words }: { words: string }) {
  return (
    <a class="chip" href={requestsOf(words)}>
      Requests
    </a>
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

/** A profile in a table: its name, which leads to it. */
export function ProfileLink({ url }: { url: string }) {
  return (
    <a class="profile" href={link("node", url)}>
      <Name>{shortUrl(url)}</Name>
    </a>
  );
}
