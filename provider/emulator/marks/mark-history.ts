import type { MarkType } from "../../model/mark";
import { MARK_HISTORY } from "../defaults";
import type { VirtualClock } from "../time/clock";

/** Number of a profile's live records of a type and id. */
export interface MarkCount {
  readonly profile: string;
  readonly type: MarkType;
  readonly id: number;
  readonly records: number;
}

/** A line of a chart: the number of live records of a profile, type and id at each time. */
interface MarkLine extends Omit<MarkCount, "records"> {
  /** Number of its colour and stroke, below {@link LOOKS}; constant while the emulator runs. */
  readonly look: number;
  /** Numbers of records; `null` without a sample. */
  readonly values: readonly (number | null)[];
}

/** Times of the virtual clock in seconds since 1970, and the largest lines. */
export interface MarkChart {
  readonly times: readonly number[];
  readonly lines: readonly MarkLine[];
}

interface Sample {
  readonly at: number;
  readonly counts: ReadonlyMap<string, MarkCount>;
}

/** A pause longer than this is a gap in the lines. */
const GAP = 3 * MARK_HISTORY.quietStepMs;
/** Colours, and strokes for each colour. */
const COLOURS = 8;
const STROKES = 3;
export const LOOKS = COLOURS * STROKES;

/**
 * Numbers of marks in the last five minutes of the virtual clock.
 *
 * A sample is taken after packets and when a view asks, at most two each second, and then every five seconds for five
 * minutes, so that expiring marks show. An emulator without marks plans no sample. A jump of the clock takes at most sixty
 * samples; the time beyond them is a gap.
 */
export class MarkHistory {
  private samples: Sample[] = [];
  private left = 0;
  private armed = false;
  private readonly looks = new Map<number, string>();

  constructor(
    private readonly clock: Pick<VirtualClock, "ms" | "after">,
    private readonly count: () => Iterable<MarkCount>,
  ) {}

  /** Takes a sample unless there is a recent one, and plans further ones. */
  follow(): void {
    this.take();
    this.left = MARK_HISTORY.quietSamples;
    if (!this.armed) this.arm();
  }

  /** Removes all samples; the caller clears the clock's plans. Lines keep their look. */
  clear(): void {
    this.samples = [];
    this.armed = false;
  }

  /** The lines with most records now, of a profile or of all. */
  chart(most: number, profile?: string): MarkChart {
    const now = this.sample();
    const earlier = this.samples.filter(({ at }) => at < now.at && at > now.at - MARK_HISTORY.windowMs);
    const samples = [...earlier, now];
    const latest = new Map(samples.flatMap(({ counts }) => [...counts]));
    const shown = [...latest]
      .filter(([, line]) => profile === undefined || line.profile === profile)
      .map(([key, line]) => ({ key, line, records: now.counts.get(key)?.records ?? 0 }))
      .sort((a, b) => b.records - a.records || (a.key < b.key ? -1 : 1))
      .slice(0, most);
    for (const key of shown.map((it) => it.key).sort()) this.lookOf(key);
    const points = withGaps(samples);
    return {
      times: points.map(({ at }) => at / 1000),
      lines: shown.map(({ key, line: { profile, type, id } }) => ({
        profile,
        type,
        id,
        look: this.lookOf(key),
        values: points.map(({ counts }) => counts && (counts.get(key)?.records ?? 0)),
      })),
    };
  }

  private take(): void {
    const at = this.clock.ms;
    // The clock can be set back: samples later than now do not exist yet.
    while ((this.samples.at(-1)?.at ?? 0) > at) this.samples.pop();
    const last = this.samples.at(-1);
    if (last && at - last.at < MARK_HISTORY.stepMs) return;
    this.samples = this.samples.filter((sample) => sample.at > at - MARK_HISTORY.windowMs);
    this.samples.push(this.sample());
  }

  private sample(): Sample {
    const counts = [...this.count()].sort((a, b) => b.records - a.records).slice(0, MARK_HISTORY.lines);
    return { at: this.clock.ms, counts: new Map(counts.map((it) => [`${it.profile} ${it.type} ${it.id}`, it])) };
  }

  private arm(): void {
    this.armed = this.left > 0 && (this.samples.at(-1)?.counts.size ?? 0) > 0;
    if (!this.armed) return;
    this.clock.after(MARK_HISTORY.quietStepMs, () => {
      this.left -= 1;
      this.take();
      this.arm();
    });
  }

  /**
   * The look depends on profile, type and id, not on the rank of the line, so it is the same in every run. If another line
   * has it, the next free look is used: another colour first, then another stroke.
   */
  private lookOf(key: string): number {
    const start = hash(key) % COLOURS;
    for (let nth = 0; nth < LOOKS; nth++) {
      const look = Math.floor(nth / COLOURS) * COLOURS + ((start + nth) % COLOURS);
      const owner = this.looks.get(look);
      if (owner === undefined) this.looks.set(look, key);
      if (owner === undefined || owner === key) return look;
    }
    return start;
  }
}

/** Adds a point without numbers in a long pause, since a line across it would be a guess. */
function withGaps(samples: readonly Sample[]): { at: number; counts: Sample["counts"] | null }[] {
  return samples.flatMap((sample, index) => {
    const before = samples[index - 1]?.at ?? sample.at;
    return sample.at - before > GAP ? [{ at: before + 1, counts: null }, sample] : [sample];
  });
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return value;
}
