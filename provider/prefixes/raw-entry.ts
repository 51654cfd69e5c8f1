import type { Place } from "./problems";

/** The parts of an entry, as a format finds them; each may be anything. */
export interface RawEntry {
  readonly prefix: unknown;
  readonly value?: unknown;
  readonly reason?: unknown;
  readonly ticket?: unknown;
  readonly expires?: unknown;
  readonly sent?: unknown;
}

export type Part = keyof RawEntry;

/** Tells where a part stands; asked only when something is wrong with it. */
export type Where = (part: Part) => Place;
