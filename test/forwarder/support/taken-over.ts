import { cpSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { temporaryFolder } from "./forward";

/** The runs of a state by their epochs, and how many records of each were taken over: read from a copy of what a kill left. */
export function takenOver(folder: string): [epoch: number, records: number][] {
  using copy = temporaryFolder();
  cpSync(join(folder, "forwarder-state"), copy.path, { recursive: true });
  const db = new DatabaseSync(join(copy.path, "forwarder.db"));
  const hasTables = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'tables'").get();
  const rows = hasTables ? db.prepare("SELECT epoch, sequence FROM tables").all() : [];
  db.close();
  return rows.map(({ epoch, sequence }) => [Number(epoch), Number(sequence)]);
}
