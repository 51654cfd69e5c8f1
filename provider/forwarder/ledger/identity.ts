import { randomUUID } from "node:crypto";
import { z } from "zod";
import { tableOf } from "../table";
import type { Opened } from "./protocol";
import type { Store } from "./store";

const text = z.object({ value: z.string() });

/** What a state folder is by itself: its name, which no other has, and its epoch. */
export class StoreIdentity {
  private constructor(
    private readonly store: Store,
    /** Record ids are made from it. */
    readonly state: string,
    /** Without a cluster an epoch is the life of a state folder: greater than that of any folder before it. */
    readonly epoch: number,
  ) {}

  /** Reads the identity of a store, gives a new one its own, and reads what its last run knew. */
  static load(store: Store, wall: number): Pick<Opened, "listedBefore" | "epochs"> & { identity: StoreIdentity } {
    const meta = (name: string) => store.get(text, "SELECT value FROM meta WHERE name = ?", name)?.value;
    const listed = meta("listed");
    const state = meta("state");
    const identity = new StoreIdentity(store, state ?? randomUUID(), Number(meta("epoch") ?? wall));
    store.transaction(() => {
      identity.set("state", identity.state);
      identity.set("epoch", String(identity.epoch));
      // Until this run ends cleanly, it is not known when it listed last.
      store.run("DELETE FROM meta WHERE name = 'listed'");
    });
    const epochs: Record<string, number> = {};
    const rows = store.all(z.object({ name: z.string(), epoch: z.number() }), "SELECT name, epoch FROM tables");
    for (const { name, epoch } of rows) {
      const { node } = tableOf(name);
      epochs[node] = Math.max(epochs[node] ?? 0, epoch);
    }
    const before = listed === undefined ? "unknown" : Number(listed);
    return { identity, listedBefore: state === undefined ? "never" : before, epochs };
  }

  /** Within a transaction: the run ends cleanly, and this is when it listed last. */
  leave(listed: number): void {
    this.set("listed", String(listed));
  }

  private set(name: string, value: string): void {
    this.store.run("INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", name, value);
  }
}
