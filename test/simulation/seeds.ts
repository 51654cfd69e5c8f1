import { type Broken, type Played, play } from "./play";
import type { Scenario } from "./scenario";
import { calm } from "./story/calm";
import { corner } from "./story/corner";
import { kindsOf } from "./story/coverage";
import { generate } from "./story/generate";

/** Result of one seed, as JSON between processes. */
export interface SeedResult {
  readonly seed: number;
  readonly events: number;
  /** Kinds of events of each world. */
  readonly kinds: readonly (readonly string[])[];
  /** The first broken promise, if there is one. */
  readonly broken?: Broken;
}

/** The worlds of a seed: a drawn one, a small one in which nothing is disturbed, and one about a situation that needs more than a draw. */
export function worldsOf(seed: number): Scenario[] {
  return [generate(seed), calm(seed), corner(seed)];
}

/** Plays a seed. */
export async function playSeed(seed: number): Promise<SeedResult> {
  const played: Played[] = [];
  for (const scenario of worldsOf(seed)) played.push(await play(scenario));
  const [first] = played.flatMap(({ broken }) => broken);
  const events = played.reduce((sum, { world }) => sum + world.story.events, 0);
  const kinds = played.map(({ world }) => [...kindsOf(world)].sort());
  return { seed, events, kinds, ...(first && { broken: first }) };
}
