import { query } from "./api";
import { update } from "./store";

export const VIEWS = ["node", "sets", "marks", "signaling", "faults", "packets", "setup", "journal", "help"] as const;
export type View = (typeof VIEWS)[number];

/** A place in the page, in the part of the address behind `#`: `#sets/prefixset%3A%2F%2Fedge%2Fblocked?find=192.0.2.1`. */
interface Place {
  readonly view: View;
  /** Name in the address, when there is no such view. */
  readonly unknown?: string;
  /** Url of what the view shows. */
  readonly subject?: string;
  /** Filters and choices. Those of the journal apply beside every view. */
  readonly choices: Readonly<Record<string, string>>;
}

const JOURNAL = "journal.";
/** Choice with the words to look for in the list beside a view. */
export const LIST = "list";

const REQUEST_FILTERS = ["find", "outcome", "operation", "object", "run"] as const;

/** Filter of requests: words, and choices of `requests.ts`. */
export type RequestFilter = Partial<Readonly<Record<(typeof REQUEST_FILTERS)[number], string>>>;

/** The address of a view. The filter of the journal stays as it is, and within a view the search in its list. */
export function link(view: View, subject?: string): string {
  const { view: current, choices } = readPlace();
  const isKept = (name: string) => name.startsWith(JOURNAL) || (name === LIST && view === current);
  const kept = Object.entries(choices).filter(([name]) => isKept(name));
  return query(
    subject === undefined ? `#${view}` : `#${view}/${encodeURIComponent(subject)}`,
    Object.fromEntries(kept),
  );
}

/** The address of the journal with the requests that pass a filter. */
export function requestsOf(filter: RequestFilter): string {
  return query("#journal", journalChoices(filter));
}

/** Filters the journal if it is shown beside the view. @returns false on a window that is too narrow for both. */
export function filterJournal(filter: RequestFilter): boolean {
  const isJournalShown = matchMedia("(min-width: 1160px)").matches;
  if (isJournalShown) choose(journalChoices(filter));
  return isJournalShown;
}

/** The filter of the journal in the address. */
export function requestFilter(): RequestFilter {
  const { choices } = readPlace();
  return Object.fromEntries(REQUEST_FILTERS.map((name) => [name, choices[JOURNAL + name] ?? ""]));
}

/** Every choice of the journal: one that is not named is cleared. */
export function journalChoices(filter: RequestFilter): Record<string, string> {
  return Object.fromEntries(REQUEST_FILTERS.map((name) => [JOURNAL + name, filter[name] ?? ""]));
}

/** A choice of this view that is in the address, so that a link and a reload bring it back; empty where there is none. */
export function choice(name: string): [value: string, choose: (value: string) => void] {
  return [readPlace().choices[name] ?? "", (value) => choose({ [name]: value })];
}

/** Changes choices without another step in the history of the browser; an empty one is left out. */
export function choose(changes: Readonly<Record<string, string>>): void {
  const where = /^#?([^?]*)/.exec(location.hash)?.[1] || VIEWS[0];
  history.replaceState(null, "", query(`#${where}`, { ...readPlace().choices, ...changes }));
  update({});
}

/** Goes to a view, as a link does. */
export function go(view: View, subject?: string): void {
  location.hash = link(view, subject);
}

/** Reads the person's place from the address. */
export function readPlace(): Place {
  const [, name = "", subject, given = ""] = /^#([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/.exec(location.hash) ?? [];
  const view = VIEWS.find((each) => each === name);
  return {
    view: view ?? VIEWS[0],
    ...(view === undefined && name !== "" && { unknown: decode(name) }),
    ...(subject !== undefined && { subject: decode(subject) }),
    choices: Object.fromEntries(new URLSearchParams(given)),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
