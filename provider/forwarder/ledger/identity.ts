import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { z } from "zod";
import { tableOf } from "../table";
import type { Opened } from "./protocol";
import type { Place, Store } from "./store";

const PLACE = "place";
const UNKNOWN = "null";
const placeSchema = z.object({ file: z.string(), born: z.string(), lock: z.string(), opener: z.string() });

const text = z.object({ value: z.string() });

/** A text that {@link setMeta} kept. */
function meta(store: Store, name: string): string | undefined {
  return store.get(text, "SELECT value FROM meta WHERE name = ?", name)?.value;
}

/** The epoch of a table whose next list begins with `reset`: no turn has it. */
export const VOID_EPOCH = -1;

/**
 * Gives a run of a store its identity, and reads what the last run left. The original of a copy may have gone on, so nothing is
 * known about its last deliveries: every table of a copy starts again.
 */
export function loadIdentity(store: Store, wall: number) {
  const listed = meta(store, "listed");
  const last = meta(store, "epoch");
  const place = placeSchema.safeParse(JSON.parse(meta(store, PLACE) ?? UNKNOWN)).data;
  const isCopy = place !== undefined && !isSamePlace(place, store.place);
  const identity = {
    /** Its name, which no other run has, also of a copy: record ids are made from it. */
    run: randomUUID(),
    /** Without a cluster: greater than that of any run before it. */
    epoch: Math.max(Number(last ?? 0) + 1, wall),
  };
  store.transaction(() => {
    setMeta(store, "epoch", String(identity.epoch));
    setMeta(store, PLACE, UNKNOWN);
    if (isCopy) store.run("UPDATE tables SET epoch = ?", VOID_EPOCH);
    // Until this run ends cleanly, it is not known when it listed last.
    store.run("DELETE FROM meta WHERE name = 'listed'");
  });
  keepPlace(store);
  const epochs: Record<string, number> = {};
  const known = "SELECT name, epoch FROM tables WHERE epoch <> ?";
  const rows = store.all(z.object({ name: z.string(), epoch: z.number() }), known, VOID_EPOCH);
  for (const { name, epoch } of rows) {
    const { node } = tableOf(name);
    epochs[node] = Math.max(epochs[node] ?? 0, epoch);
  }
  const tables = rows.filter(({ name, epoch }) => epoch === epochs[tableOf(name).node]).map(({ name }) => name);
  const before = listed === undefined || isCopy ? "unknown" : Number(listed);
  const listedBefore: Opened["listedBefore"] = last === undefined ? "never" : before;
  return { identity, listedBefore, epochs, tables, ...(isCopy && { copyOf: place.opener }) };
}

/** Within a transaction: the run ends cleanly, and this is when it listed last. {@link keepPlace} follows. */
export function setEnded(store: Store, listed: number | undefined): void {
  if (listed !== undefined) setMeta(store, "listed", String(listed));
  setMeta(store, PLACE, UNKNOWN);
}

/** Stores the present place of the store. Until then it is unknown, so that a killed run does not look like a copy. */
export function keepPlace(store: Store): void {
  store.touch();
  const opener = `${hostname()}:${resolve(store.file)}`;
  store.transaction(() => setMeta(store, PLACE, JSON.stringify({ ...store.place, opener })));
}

function isSamePlace(before: Place, now: Place): boolean {
  const isBorn = before.born === now.born || before.born === "0" || now.born === "0";
  return before.file === now.file && isBorn && before.lock === now.lock;
}

/** Within a transaction: keeps a text under a name. */
function setMeta(store: Store, name: string, value: string): void {
  store.run("INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", name, value);
}
