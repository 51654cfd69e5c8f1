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
  readonly by: symbol;
  readonly place: string;
  readonly names: readonly string[];
  readonly keys: readonly string[];
  readonly isLasting: boolean;
}

/** Notes of one machine, in memory. Of a run that ends in order only the lasting ones stay, since its answers are in a state. */
export class MemoryNotes {
  private notes: Note[] = [];
  private readonly over = new Set<string>();

  /** The notes as one process of a run has them. */
  of(run: string): SentNotes {
    const by = Symbol(run);
    const isAt = (place: string, names?: readonly string[]) => (note: Note) =>
      note.place === place && (!names || note.names.some((it) => names.includes(it)));
    const isOver = (note: Note) => this.over.has(note.run);
    return {
      note: (place, names, keys, isLasting = false) => void this.notes.push({ run, by, place, names, keys, isLasting }),
      noted: (place, names) =>
        new Set(
          this.notes
            .filter(isOver)
            .filter(isAt(place, names))
            .flatMap(({ keys }) => keys),
        ),
      settle: (place, names) => {
        const isSettled = (note: Note) =>
          isAt(place, names)(note) && (isOver(note) || (note.by === by && note.isLasting));
        this.notes = this.notes.filter((note) => !isSettled(note));
      },
    };
  }

  /** Places that runs of a stack have noted, and none has settled. */
  left(stack: string): string[] {
    return this.notes.flatMap(({ run, place }) => (run.startsWith(`${stack} `) ? [place] : []));
  }

  ended(run: string, wasKilled: boolean): void {
    this.over.add(run);
    if (!wasKilled) this.notes = this.notes.filter((note) => note.run !== run || note.isLasting);
  }
}
