import type { ComponentChildren, ComponentProps } from "preact";
import { link, requestsOf } from "./route";
import { shortUrl } from "./texts";

interface PanelProps {
  as?: "section" | "aside";
  id?: string;
  role?: "region";
  "aria-label"?: string;
  title: ComponentChildren;
  hint?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** A part of a view with its heading. */
export function Panel({ as: Tag = "section", title, hint, actions, children, ...rest }: PanelProps) {
  return (
    <Tag class="panel" {...rest}>
      <div class="panel-head">
        <h2>{title}</h2>
        {hint && <p class="hint">{hint}</p>}
        {actions && <div class="panel-actions">{actions}</div>}
      </div>
      {children}
    </Tag>
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

/** A link to the requests that hold these words, and to their answers, also where another node answers. */
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

/** A button of a head or a row. `on`: it stands out while its effect lasts. */
export function Button({ text, on, ...rest }: ComponentProps<"button"> & { text: string; on?: boolean }) {
  return (
    <button type="button" class={on ? "small on" : "small"} {...rest}>
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
