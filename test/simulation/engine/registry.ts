import type { SentNotes } from "../../../provider/deployment/sent-before";
import type { OtherProcesses } from "../../../provider/reconcile/desired";

interface Told {
  readonly from: number;
  readonly addresses: readonly string[];
  readonly keys: readonly string[];
}

/** Messages between the processes of one deployment, in memory: the form of their files without a disk. */
export class MemoryRegistry {
  private readonly told: Told[] = [];
  private members = 0;

  /** @param isDeaf True if nothing that was told can be read. */
  constructor(private readonly isDeaf = false) {}

  /** The registry as one process has it. */
  join(): OtherProcesses {
    const own = this.members;
    this.members += 1;
    const known = new Map<string, Set<string>>();
    let read = 0;
    return {
      publish: (addresses, keys) => {
        if (keys.length > 0) this.told.push({ from: own, addresses, keys });
      },
      sync: () => {
        if (this.isDeaf) return "What the other processes told cannot be read.";
        for (const { from, addresses, keys } of this.told.slice(read)) {
          if (from === own) continue;
          for (const address of addresses) {
            const there = known.get(address) ?? new Set();
            for (const key of keys) there.add(key);
            known.set(address, there);
          }
        }
        read = this.told.length;
        return undefined;
      },
      received: (address) => known.get(address) ?? new Set<string>(),
    };
  }
}

interface Note {
  readonly run: string;
  readonly place: string;
  readonly names: readonly string[];
  readonly keys: readonly string[];
}

/** Notes of one machine, in memory. Those of a run that ends in order are dropped, since its answers are in a state. */
export class MemoryNotes {
  private notes: Note[] = [];
  private readonly killed = new Set<string>();

  /** The notes as the processes of one run have them. */
  of(run: string): SentNotes {
    const isOf =
      (place: string, names?: readonly string[]) =>
      (note: Note): boolean =>
        this.killed.has(note.run) && note.place === place && (!names || note.names.some((it) => names.includes(it)));
    return {
      note: (place, names, keys) => void this.notes.push({ run, place, names, keys }),
      noted: (place, names) => new Set(this.notes.filter(isOf(place, names)).flatMap(({ keys }) => keys)),
      settle: (place, names) => {
        const isSettled = isOf(place, names);
        this.notes = this.notes.filter((note) => !isSettled(note));
      },
    };
  }

  ended(run: string, wasKilled: boolean): void {
    if (wasKilled) this.killed.add(run);
    else this.notes = this.notes.filter((note) => note.run !== run);
  }
}
