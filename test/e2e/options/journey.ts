import { it } from "vitest";
import type { Emulator } from "../../../provider/emulator";
import { type Declared, declare, FRONT_ENDS, type FrontEnd, prepare, urnIn } from "../support/front-ends";
import { finished, type Run, type TestStack } from "../support/stack";
import { BLOCKED, world } from "../support/world";

const shown = new Map<string, string>();

/**
 * A journey through the real engine that shows what resource options and engine flags do to entries, once by each front end.
 * @param shows as docs/guides/options-and-flags.md names them; each has one journey
 */
export function journey(title: string, shows: readonly string[], act: (frontEnd: FrontEnd) => Promise<void>): void {
  for (const name of shows) {
    if (shown.has(name)) throw new Error(`${name} is shown by "${shown.get(name)}" already`);
    shown.set(name, title);
  }
  it.each(FRONT_ENDS)(`${title} by %s`, act);
}

/** Each option and flag, with the journey that shows it. */
export function journeys(): Record<string, string> {
  return Object.fromEntries(shown);
}

/** An empty node, and a stack whose programs are in the language of the front end. */
export async function start(frontEnd: FrontEnd) {
  const made = await world({ program: "" });
  await prepare(frontEnd, made.stack);
  return {
    ...made,
    /** Replaces the program. @param more Lines after the resources, in the language. */
    declare: (resources: readonly Declared[], more?: string) => declare(frontEnd, made.stack, resources, more),
    /** The urn of a resource at the top of the program. */
    urn: (type: Declared["type"], name: string) => urnIn(frontEnd, type, name),
  };
}

/** A set of the place `edge`, an entry of the set `partners`, and a signaling. */
export const set = (
  name: string,
  entries: unknown,
  options?: object,
  place: object = { set: "blocked" },
): Declared => ({
  name,
  type: "PrefixSet",
  args: { arena: "edge", ...place, entries },
  ...(options && { options: { ...options } }),
});
export const entry = (name: string, prefix: unknown, options?: object, more: object = {}): Declared => ({
  name,
  type: "PrefixSetEntry",
  args: { arena: "edge", set: "partners", prefix, ...more },
  ...(options && { options: { ...options } }),
});
export const signaling = (prefixes: readonly string[], options?: object): Declared => ({
  name: "attack",
  type: "CloudSignaling",
  args: { prefixes },
  ...(options && { options: { ...options } }),
});

export const UP = ["up", "--yes", "--skip-preview"] as const;
export const DESTROY = ["destroy", "--yes", "--skip-preview"] as const;

/** Content of node and receiver: the sets `blocked` and `partners`, and what is active. */
export function held(emulator: Emulator) {
  return {
    blocked: emulator.prefixSet(BLOCKED).applied,
    partners: emulator.prefixSet("prefixset://edge/partners").applied,
    active: emulator.signalings["client-a"] ?? [],
  };
}

/** Requests other than commits, which only make sure that all entries are applied. */
export function butCommits(sent: readonly string[]): string[] {
  return sent.filter((request) => request !== "commit");
}

/** A command that takes no `--stack`. */
export async function bare(stack: TestStack, ...args: string[]): Promise<Run> {
  const run = await finished(stack.start(...args));
  if (run.code !== 0) throw new Error(`pulumi ${args.join(" ")} ended with ${run.code}:\n${run.text}`);
  return run;
}
