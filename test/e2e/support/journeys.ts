import { it } from "vitest";

const proved = new Map<string, string>();

/**
 * A journey through the real engine that shows what resource options and engine flags do to entries.
 * @param shows as people write them; each has one journey
 */
export function journey(title: string, shows: readonly string[], act: () => Promise<void>): void {
  for (const name of shows) {
    if (proved.has(name)) throw new Error(`${name} is shown by "${proved.get(name)}" already`);
    proved.set(name, title);
  }
  it(title, act);
}
