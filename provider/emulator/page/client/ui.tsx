import type { ComponentChildren, ComponentProps } from "preact";
import { passes } from "./requests";
import { filterJournal, link, type RequestFilter, requestsOf } from "./route";
import { current, showMessage } from "./store";
import { plural, shortUrl } from "./texts";

interface PanelProps {
  as?: "section" | "aside";
  id?: string;
  /** Place in the columns of a wide window. */
  class?: "whole" | "tallest";
  role?: "region";
  "aria-label"?: string;
  title: ComponentChildren;
  hint?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** A part of a view with its heading. */
export function Panel({ as: Tag = "section", class: place, title, hint, actions, children, ...rest }: PanelProps) {
  return (
    <Tag class={place ? `panel ${place}` : "panel"} {...rest}>
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

/** The number of requests for an object. Clicked, the journal shows only them, with their answers, also where another node answers. */
export function Requests({ filter }: { filter: RequestFilter }) {
  const { length } = current().journal.filter((line) => passes(line, filter));
  const show = (event: Event) => filterJournal(filter) && event.preventDefault();
  return (
    <a class="chip" href={requestsOf(filter)} onClick={show}>
      {plural(length, "request")}
    </a>
  );
}

/** Copies a text. Browsers let only pages of this machine and over https do so. */
export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showMessage("done", "Copied.");
  } catch {
    showMessage("error", "The browser does not let this page copy: select the text and copy it by hand.");
  }
}

/** A text to be used elsewhere, with a button that copies it. */
export function Copyable({ text, name }: { text: string; name: string }) {
  return (
    <span class="copyable">
      <code>{text}</code> <Button text="Copy" aria-label={`Copy ${name}`} onClick={() => void copy(text)} />
    </span>
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
