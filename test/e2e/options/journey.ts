import { it } from "vitest";
import type { Emulator } from "../../../provider/emulator";
import { KIND, tokenOf } from "../support/kind";
import { finished, type Run, type TestStack } from "../support/stack";
import { BLOCKED } from "../support/world";

const shown = new Map<string, string>();

/**
 * A journey through the real engine that shows what resource options and engine flags do to entries.
 * @param shows as docs/guides/options-and-flags.md names them; each has one journey
 * @param through Dynamic resources, and those of the plugin.
 */
export function journey(
  title: string,
  shows: readonly string[],
  act: () => Promise<void>,
  through: readonly (typeof KIND)[] = ["dynamic", "plugin"],
): void {
  for (const name of shows) {
    if (shown.has(name)) throw new Error(`${name} is shown by "${shown.get(name)}" already`);
    shown.set(name, title);
  }
  if (through.includes(KIND)) it(title, act);
}

/** Each option and flag, with the journey that shows it. */
export function journeys(): Record<string, string> {
  return Object.fromEntries(shown);
}

export const UP = ["up", "--yes", "--skip-preview"] as const;
export const DESTROY = ["destroy", "--yes", "--skip-preview"] as const;

/** The urn of a resource of the test's stack, at the top of its program. */
export function urn(type: string, name: string): string {
  return `urn:pulumi:test::journey::${tokenOf(type)}::${name}`;
}

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
