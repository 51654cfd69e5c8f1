import { count } from "../../model/text";
import type { EventKind, EventOf, EventPlace, OtherValue } from "../events";

/**
 * Makes the lines of an event. `where` names all nodes with the same event.
 * `each`: events of one kind become one sentence although their contents differ, by their common part.
 */
export type Sentence<K extends EventKind> =
  | ((event: EventOf<K>, where: string | undefined) => string | readonly string[])
  | { readonly common: (event: EventOf<K>) => string; readonly each: (all: readonly EventOf<K>[]) => string };

export type Sentences<K extends EventKind> = { readonly [Kind in K]: Sentence<Kind> };

export function warning(text: string): string {
  return `warning: ${text}`;
}

/** `Set prefixset://edge/blocked on fra1` */
export function subject({ url }: EventPlace, where: string | undefined): string {
  if (url === undefined) return `Signaling at ${where}`;
  return where === undefined ? `Set ${url}` : `Set ${url} on ${where}`;
}

/** A message about the place of an event: `Set prefixset://edge/blocked on fra1: …` */
export function note<E extends EventPlace>(text: (event: E) => string) {
  return (event: E, where: string | undefined) => `${subject(event, where)}: ${text(event)}`;
}

/** {@link note} as a warning. */
export function warn<E extends EventPlace>(text: (event: E) => string) {
  return (event: E, where: string | undefined) => warning(`${subject(event, where)}: ${text(event)}`);
}

/** A warning about the result of a look: `fra1 prefixset://edge/blocked lacks …` */
export function found<E extends EventPlace>(text: (event: E) => string) {
  return (event: E, where: string | undefined) => {
    const place = [where ?? [], event.url ?? "signaling"].flat().join(" ");
    return warning(`${place} ${text(event)}`);
  };
}

export function entries(number: number): string {
  return count(number, "entry", "entries");
}

/** `3 declared entries` */
export function declared(number: number): string {
  return count(number, "declared entry", "declared entries");
}

export function them(number: number): string {
  return number === 1 ? "it" : "them";
}

/** `is` or `are`. */
export function are(number: number): string {
  return number === 1 ? "is" : "are";
}

/** `was` or `were`. */
export function were(number: number): string {
  return number === 1 ? "was" : "were";
}

/** `stays` or `stay`. */
export function stay(number: number): string {
  return number === 1 ? "stays" : "stay";
}

/** ` with this value` if the program declares some of these entries. */
export function withThisValue(all: readonly OtherValue[]): string {
  return all.some(({ desired }) => desired !== undefined) ? " with this value" : "";
}

/** `192.0.2.9/32 has the value 5, not 7` for each entry with another value. */
export function valuesOf(different: readonly OtherValue[]): string[] {
  return different.map(({ prefix, value, desired }) => `${prefix} has the value ${value}, not ${desired}`);
}
