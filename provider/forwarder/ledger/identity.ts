import { randomUUID } from "node:crypto";
import { type BigIntStats, statSync } from "node:fs";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { z } from "zod";
import { tableOf } from "../table";
import type { Opened } from "./protocol";
import type { Store } from "./store";

/** One run of a store. */
export type RunIdentity = ReturnType<typeof loadIdentity>["identity"];

const text = z.object({ value: z.string() });

/** A text that {@link setMeta} kept. */
export function meta(store: Store, name: string): string | undefined {
  return store.get(text, "SELECT value FROM meta WHERE name = ?", name)?.value;
}

/** The epoch of a table whose next list begins with `reset`: no turn has it. */
export const VOID_EPOCH = -1;

/**
 * Gives a run of a store its identity, and reads what the last one knew. Of a copy, the original may have gone on: what its
 * tables were last told as is known to no one, so each of them begins anew.
 */
export function loadIdentity(store: Store, wall: number) {
  const listed = meta(store, "listed");
  const last = meta(store, "epoch");
  const opener = meta(store, "opener");
  const place = placeOf(statSync(store.file, { bigint: true }));
  const isCopy = !isSamePlace(meta(store, "place") ?? place, place);
  const identity = {
    /** Its name, which no other run has, also of a copy: record ids are made from it. */
    run: randomUUID(),
    /** Without a cluster: greater than that of any run before it. */
    epoch: Math.max(Number(last ?? 0) + 1, wall),
  };
  store.transaction(() => {
    setMeta(store, "epoch", String(identity.epoch));
    setMeta(store, "place", place);
    setMeta(store, "opener", `${hostname()}:${resolve(store.file)}`);
    if (isCopy) store.run("UPDATE tables SET epoch = ?", VOID_EPOCH);
    // Until this run ends cleanly, it is not known when it listed last.
    store.run("DELETE FROM meta WHERE name = 'listed'");
  });
  const epochs: Record<string, number> = {};
  const known = "SELECT name, epoch FROM tables WHERE epoch <> ?";
  const rows = store.all(z.object({ name: z.string(), epoch: z.number() }), known, VOID_EPOCH);
  for (const { name, epoch } of rows) {
    const { node } = tableOf(name);
    epochs[node] = Math.max(epochs[node] ?? 0, epoch);
  }
  const before = listed === undefined || isCopy ? "unknown" : Number(listed);
  const listedBefore: Opened["listedBefore"] = last === undefined ? "never" : before;
  return { identity, listedBefore, epochs, ...(isCopy && { copyOf: opener ?? "" }) };
}

/** Within a transaction: the run ends cleanly, and this is when it listed last. */
export function setListed(store: Store, listed: number): void {
  setMeta(store, "listed", String(listed));
}

/** Which file it is, whatever its name: its number, and when it was made, since numbers are given again. */
function placeOf({ ino, birthtimeNs, ctimeNs }: BigIntStats): string {
  // Where a file system does not know when a file was made, Node says 0, or when it last changed.
  return `${ino} ${birthtimeNs === ctimeNs ? 0 : birthtimeNs}`;
}

function isSamePlace(before: string, now: string): boolean {
  const [ino, born] = before.split(" ");
  const [inoNow, bornNow] = now.split(" ");
  return ino === inoNow && (born === bornNow || born === "0" || bornNow === "0");
}

/** Within a transaction: keeps a text under a name. */
export function setMeta(store: Store, name: string, value: string): void {
  store.run("INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", name, value);
}
