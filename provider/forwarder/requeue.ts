import { existsSync, realpathSync, statSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { OptionsError } from "../client";
import { attempt } from "../model/errors";
import type { LiveConfig } from "./config/config";
import { SecretFiles } from "./config/secret-files";
import { TIMES } from "./defaults";
import { Delivery } from "./delivery/delivery";
import { openSinks, type SinkParts, specsOf } from "./delivery/sinks";
import { StoredLedger } from "./ledger/ledger";
import { LeftSpool } from "./ledger/left-spool";
import { isBroken, StoreError } from "./ledger/sqlite";
import { Store } from "./ledger/store";
import { Metrics } from "./telling/metrics";
import { type Log, Troubles } from "./telling/troubles";
import { endsWithin } from "./world";

/**
 * Sends the undelivered records of a state to the sinks of a configuration, with their ids. They are copied into a store beside
 * the state first, `<file>.requeue`, so that a killed run can continue; the store is removed once all are delivered. May run
 * beside a forwarder that has another state. Ends when no sink took anything for `onceDeadlineMs`.
 *
 * @param path A state folder that no forwarder uses, or a file that was set aside.
 * @returns how many records were acknowledged, how many are left, and whether a delivery did not end, and keeps the process.
 * @throws {OptionsError} when there is no state, or it is that of the configuration. @throws {StoreError} when another process is at it.
 */
export async function requeue(
  config: LiveConfig,
  path: string,
  parts: Pick<SinkParts, "world" | "stdout"> & { readonly log: Log; readonly signal: AbortSignal },
): Promise<{ delivered: number; left: number; isStuck: boolean }> {
  const { log, world, signal } = parts;
  const { file, isComplete, others } = await copied(path, config);
  const sinks = await openSinks({ ...parts, config });
  const sinkSpecs = specsOf({ config });
  const { ledger, opened } = await StoredLedger.open({
    file,
    sinks: sinkSpecs,
    records: "changes",
    wall: world.wall(),
  });
  for (const sink of new Set([...others, ...opened.forgotten])) {
    log.warn(
      { sink },
      `Sink "${sink}" is not in the configuration: the records that it had not taken stay in ${path}.`,
    );
  }
  const metrics = new Metrics();
  const troubles = new Troubles(log);
  const secrets = new SecretFiles(config, { log, troubles, world });
  const delivery = new Delivery({ ledger, metrics, troubles, world, secrets, log, config }, sinks);
  const stop = new AbortController();
  const delivering = delivery.run(stop.signal);
  const deliveredSoFar = () =>
    sinkSpecs.reduce((sum, { name }) => sum + metrics.get("sent_records_total", { sink: name }), 0);
  let left: number;
  let isStuck = false;
  try {
    let before: number;
    do {
      before = deliveredSoFar();
      await Promise.race([delivery.drained(config.current.onceDeadlineMs, signal), delivering]);
      left = (await ledger.status()).sinks.reduce((sum, { records }) => sum + records, 0);
    } while (left > 0 && deliveredSoFar() > before && !signal.aborted);
  } finally {
    stop.abort();
    isStuck = !(await endsWithin(world, TIMES.stopMs, delivering));
    await ledger.close(undefined);
  }
  const delivered = deliveredSoFar();
  if (left > 0) return { delivered, left, isStuck };
  await remove(file);
  if (isComplete) return { delivered, left, isStuck };
  const rest = await requeue(config, path, parts);
  return { ...rest, delivered: delivered + rest.delivered, isStuck: isStuck || rest.isStuck };
}

const STORE_ENDS = ["", "-wal", "-shm", ".lock"];

async function remove(store: string): Promise<void> {
  for (const end of STORE_ENDS) await rm(`${store}${end}`, { force: true });
}

interface Copied {
  readonly file: string;
  /** False where it is the copy of a store that had this name before. */
  readonly isComplete: boolean;
  /** Sinks that the configuration does not name. */
  readonly others: readonly string[];
}

/** Copies what the sinks of a configuration can still get of a store into a sound one. The copy of a former run gets what it lacks. */
async function copied(path: string, config: LiveConfig): Promise<Copied> {
  using source = await LeftSpool.open(path);
  const own = attempt(() => realpathSync(join(config.stateFolder, "forwarder.db")));
  if (own === realpathSync(source.file)) {
    throw new OptionsError(
      `${path} is the state of the configuration: start the forwarder, it sends these records. Without a path, requeue sends those that sinks refused.`,
    );
  }
  if (await source.isInUse()) {
    throw new StoreError(`The state ${source.file} is in use by a forwarder, which sends these records itself.`);
  }
  const file = `${source.file}.requeue`;
  const configured = new Set(config.current.sinks.map(({ name }) => name));
  const others = source.sinks().flatMap(({ name }) => (configured.has(name) ? [] : [name]));
  const former = existsSync(file) ? await opened(file) : undefined;
  if (former) {
    try {
      const origin = former.get(originRow, "SELECT value FROM meta WHERE name = 'origin'")?.value;
      if (origin !== originOf(source)) return { file, isComplete: false, others: [] };
      copy(source, former, configured);
      return { file, isComplete: true, others };
    } finally {
      former.close();
    }
  }
  const draft = `${file}.draft`;
  for (const one of [draft, file]) await remove(one);
  const target = await Store.open(draft);
  try {
    copy(source, target, configured);
  } finally {
    target.close();
  }
  await rename(draft, file);
  await rm(`${draft}.lock`, { force: true });
  return { file, isComplete: true, others };
}

/** The copy of a former run. A broken one is removed: all that it had is in its source. */
async function opened(file: string): Promise<Store | undefined> {
  try {
    return await Store.open(file);
  } catch (error) {
    if (!isBroken(error)) throw error;
    await remove(file);
    return undefined;
  }
}

const originRow = z.object({ value: z.string() });
const nameRow = z.object({ name: z.string() });
const tableRow = nameRow.extend({ id: z.number() });
const lastRow = z.object({ seq: z.number() });

/** Tells a store from another one that had its name before, since that one was set aside. */
function originOf({ file }: LeftSpool): string {
  const { ino, birthtimeNs, ctimeNs } = statSync(file, { bigint: true });
  // File systems without a time of birth give that of the last change.
  return `${ino} ${birthtimeNs === ctimeNs ? 0n : birthtimeNs}`;
}

/**
 * Adds to the copy of a store the batches that are newer than all that it ever had. Sinks that it lacks, since a run with another
 * configuration left them out, get all that they have not taken, if they are configured now.
 */
function copy(source: LeftSpool, target: Store, configured: ReadonlySet<string>): void {
  target.transaction(() => {
    target.run("INSERT OR IGNORE INTO meta VALUES ('origin', ?)", originOf(source));
    // SQLite keeps the greatest number, whatever was deleted since.
    const last = target.get(lastRow, "SELECT seq FROM sqlite_sequence WHERE name = 'batches'")?.seq ?? 0;
    /** By name of a sink, the batch behind which it gets all. */
    const after = new Map(target.all(nameRow, "SELECT name FROM sinks").map(({ name }) => [name, last]));
    for (const { name, position, dropped } of source.sinks()) {
      if (after.has(name) || !configured.has(name)) continue;
      target.run("INSERT INTO sinks (name, position, dropped) VALUES (?, ?, ?)", name, position, dropped);
      after.set(name, 0);
    }
    const tables = new Map(target.all(tableRow, "SELECT id, name FROM tables").map(({ id, name }) => [name, id]));
    for (const { seq, table, records, bytes, taken, body, sinks } of source.batches(
      Math.min(last, ...after.values()),
    )) {
      const getting = sinks.filter((name) => seq > (after.get(name) ?? seq));
      if (getting.length === 0) continue;
      const sql = "INSERT INTO tables (name, epoch, sequence, bytes) VALUES (?, 0, 0, 0)";
      const id = tables.get(table) ?? target.run(sql, table);
      tables.set(table, id);
      const into =
        "INSERT OR IGNORE INTO batches (seq, table_id, records, bytes, taken, now, body) VALUES (?, ?, ?, ?, ?, 0, ?)";
      target.run(into, seq, id, records, bytes, taken, body);
      for (const sink of getting) target.run("INSERT INTO unread (sink, seq) VALUES (?, ?)", sink, seq);
    }
    target.run("DELETE FROM known");
    for (const { sink, table } of source.complete()) {
      target.run("INSERT INTO known SELECT ?, id, 0 FROM tables WHERE name = ?", sink, table);
    }
  });
}
