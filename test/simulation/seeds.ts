import { play } from "./play";
import { kindsOf } from "./story/coverage";
import { generate } from "./story/generate";

/** Result of one seed, as JSON between processes. */
export interface SeedResult {
  readonly seed: number;
  readonly events: number;
  readonly kinds: readonly string[];
  /** The first broken promise, if there is one. */
  readonly broken?: { readonly promise: string; readonly sentence: string };
}

/** Plays a seed. */
export async function playSeed(seed: number): Promise<SeedResult> {
  const { broken, world } = await play(generate(seed));
  const [first] = broken;
  return { seed, events: world.story.events, kinds: kindsOf(world), ...(first && { broken: first }) };
}
