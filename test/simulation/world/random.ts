/** Random numbers of a seed. Two sources with one seed give the same numbers. */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** A source of its own, so that more draws in one place change none in another. */
  fork(name: string): Random {
    let hash = this.state ^ 0x9e3779b9;
    for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
    return new Random(hash ^ (hash >>> 15));
  }

  /** From 0 up to 1 (mulberry32). */
  next = (): number => {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of several. */
  pick<T>(from: readonly T[]): T {
    return from[this.int(0, from.length - 1)] as T;
  }

  /** One of several names, each as often as its weight says. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const all = Object.entries(weights) as [Name, number][];
    let left = this.next() * all.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of all) {
      left -= weight;
      if (left < 0) return name;
    }
    return (all.at(-1) as [Name, number])[0];
  }

  /** Some of several, in their order, each with this probability. */
  some<T>(from: readonly T[], probability = 0.5): T[] {
    return from.filter(() => this.chance(probability));
  }

  /** The same in any order. */
  shuffle = <T>(from: readonly T[]): T[] => {
    const left = [...from];
    const found: T[] = [];
    while (left.length > 0) found.push(...left.splice(this.int(0, left.length - 1), 1));
    return found;
  };
}
