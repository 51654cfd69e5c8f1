import { useEffect, useState } from "preact/hooks";

export const VIEWS = ["node", "sets", "marks", "signaling", "faults", "packets"] as const;
export type View = (typeof VIEWS)[number];

/** A place in the page: a view and what it shows, in the part of the address behind `#`. */
export interface Place {
  readonly view: View;
  readonly subject?: string;
}

export const link = (view: View, subject?: string) =>
  subject === undefined ? `#${view}` : `#${view}/${encodeURIComponent(subject)}`;

function read(): Place {
  const [, name = "", subject] = /^#([a-z]*)(?:\/(.*))?$/.exec(location.hash) ?? [];
  const view = VIEWS.find((each) => each === name) ?? "node";
  return { view, ...(subject !== undefined && { subject: decode(subject) }) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Where the person is. */
export function usePlace(): Place {
  const [place, move] = useState(read);
  useEffect(() => {
    const moved = () => move(read());
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  return place;
}
