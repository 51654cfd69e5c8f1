import { useEffect, useState } from "preact/hooks";

export const VIEWS = ["node", "sets", "marks", "signaling", "faults", "packets", "setup", "journal"] as const;
export type View = (typeof VIEWS)[number];

/** A place in the page, in the part of the address behind `#`: `#sets/prefixset%3A%2F%2Fedge%2Fblocked?find=192.0.2.1`. */
export interface Place {
  readonly view: View;
  /** What was asked for when there is no such view. */
  readonly unknown?: string;
  /** Url of what the view shows. */
  readonly subject?: string;
  /** Filters and choices. Those of the journal stand beside every view. */
  readonly choices: Readonly<Record<string, string>>;
}

const JOURNAL = "journal.";

/** The address of a view. The filter of the journal stays as it is. */
export function link(view: View, subject?: string): string {
  const kept = Object.entries(readPlace().choices).filter(([name]) => name.startsWith(JOURNAL));
  return address(subject === undefined ? view : `${view}/${encodeURIComponent(subject)}`, Object.fromEntries(kept));
}

/** The address of the journal with the requests that hold these words. */
export function requestsOf(words: string): string {
  return address("journal", { [`${JOURNAL}find`]: words });
}

/** A choice of this view that is in the address, so that a link and a reload bring it back; empty where there is none. */
export function useChoice(name: string): [value: string, choose: (value: string) => void] {
  const place = usePlace();
  return [place.choices[name] ?? "", (value) => choose({ [name]: value })];
}

/** Changes choices without another step in the history of the browser; an empty one is left out. */
export function choose(changes: Readonly<Record<string, string>>): void {
  const { choices } = readPlace();
  const where = /^#?([^?]*)/.exec(location.hash)?.[1] || VIEWS[0];
  history.replaceState(null, "", address(where, { ...choices, ...changes }));
  for (const listener of listeners) listener();
}

/** Goes to a view, as a link does. */
export function go(view: View, subject?: string): void {
  location.hash = link(view, subject);
}

const listeners = new Set<() => void>();
addEventListener("hashchange", () => {
  for (const listener of listeners) listener();
});

/** Where the person is. */
export function usePlace(): Place {
  const [place, move] = useState(readPlace);
  useEffect(() => {
    const moved = () => move(readPlace());
    listeners.add(moved);
    return () => void listeners.delete(moved);
  }, []);
  return place;
}

function address(where: string, choices: Readonly<Record<string, string>>): string {
  const given = Object.entries(choices).filter(([, value]) => value !== "");
  return `#${where}${given.length > 0 ? `?${new URLSearchParams(given)}` : ""}`;
}

function readPlace(): Place {
  const [, name = "", subject, query = ""] = /^#([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/.exec(location.hash) ?? [];
  const view = VIEWS.find((each) => each === name);
  return {
    view: view ?? VIEWS[0],
    ...(view === undefined && name !== "" && { unknown: decode(name) }),
    ...(subject !== undefined && { subject: decode(subject) }),
    choices: Object.fromEntries(new URLSearchParams(query)),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
