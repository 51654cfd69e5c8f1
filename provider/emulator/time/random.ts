/** A source of numbers from 0 (included) to 1 (excluded). */
export type RandomSource = () => number;

/** The same numbers for the same seed (mulberry32), so that every random choice in the emulator is repeatable. */
export function seededRandom(seed: number): RandomSource {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pick<T>(random: RandomSource, choices: readonly [T, ...T[]]): T {
  return choices[Math.floor(random() * choices.length)] ?? choices[0];
}
