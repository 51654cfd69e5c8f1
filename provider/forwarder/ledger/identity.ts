import { randomUUID } from "node:crypto";
import { z } from "zod";
import { tableOf } from "../table";
import type { Opened } from "./protocol";
import type { Store } from "./store";

/** What a state folder is by itself. */
export type StoreIdentity = ReturnType<typeof loadIdentity>["identity"];

const text = z.object({ value: z.string() });

/** Reads the identity of a store, gives a new one its own, and reads what its last run knew. */
export function loadIdentity(store: Store, wall: number) {
  const meta = (name: string) => store.get(text, "SELECT value FROM meta WHERE name = ?", name)?.value;
  const listed = meta("listed");
  const state = meta("state");
  const identity = {
    /** Its name, which no other has: record ids are made from it. */
    state: state ?? randomUUID(),
    /** Without a cluster an epoch is the life of a state folder: greater than that of any folder before it. */
    epoch: Number(meta("epoch") ?? wall),
  };
  store.transaction(() => {
    for (const [name, value] of Object.entries(identity)) setMeta(store, name, String(value));
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
  const listedBefore: Opened["listedBefore"] = state === undefined ? "never" : before;
  return { identity, listedBefore, epochs };
}

/** Within a transaction: the run ends cleanly, and this is when it listed last. */
export function setListed(store: Store, listed: number): void {
  setMeta(store, "listed", String(listed));
}

function setMeta(store: Store, name: string, value: string): void {
  store.run("INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", name, value);
}
