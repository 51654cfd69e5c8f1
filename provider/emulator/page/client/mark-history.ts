import type { MarkType, Overview } from "./types";

/** Samples that are kept: a quarter of an hour, one a second. */
const KEPT = 900;

/** A line of the chart: the marks of a type and id in a profile. */
export interface Series {
  readonly key: string;
  readonly profile: string;
  readonly type: MarkType;
  readonly id: number;
  /** One number for each time, `null` before the first record. */
  readonly values: readonly (number | null)[];
}

/** How many marks there were, by profile, type and id. */
export class MarkHistory {
  /** Seconds since 1970, of the browser: the emulator's clock may stand or jump. */
  times: number[] = [];
  private series = new Map<string, Series & { values: (number | null)[] }>();

  sample({ arenas }: Overview, now: number): void {
    this.times.push(now);
    for (const profile of arenas.flatMap((arena) => arena.profiles)) {
      for (const { type, ids } of profile.marks) {
        for (const { id, records } of ids) this.line(profile.url, type, id).values[this.times.length - 1] = records;
      }
    }
    for (const line of this.series.values()) if (line.values.length < this.times.length) line.values.push(0);
    if (this.times.length > KEPT) this.dropOldest();
  }

  /** The lines of a profile (`undefined`: of all), those with most records now first. */
  largest(count: number, profile: string | undefined): Series[] {
    return [...this.series.values()]
      .filter((line) => profile === undefined || line.profile === profile)
      .sort((a, b) => (b.values.at(-1) ?? 0) - (a.values.at(-1) ?? 0) || (a.key < b.key ? -1 : 1))
      .slice(0, count);
  }

  clear(): void {
    this.times = [];
    this.series.clear();
  }

  private line(profile: string, type: MarkType, id: number) {
    const key = `${profile} ${type} ${id}`;
    let line = this.series.get(key);
    if (!line) {
      line = { key, profile, type, id, values: this.times.slice(1).map(() => null) };
      this.series.set(key, line);
    }
    return line;
  }

  private dropOldest(): void {
    this.times.shift();
    for (const line of this.series.values()) {
      line.values.shift();
      if (line.values.every((value) => !value)) this.series.delete(line.key);
    }
  }
}
