import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import type { LiveConfig } from "./config/config";
import { SecretFiles } from "./config/secret-files";
import { Delivery } from "./delivery/delivery";
import { openSinks, type SinkParts, specsOf } from "./delivery/sinks";
import { StoredLedger } from "./ledger/ledger";
import { LeftSpool } from "./ledger/left-spool";
import { Store } from "./ledger/store";
import { Metrics } from "./telling/metrics";
import { type Log, Troubles } from "./telling/troubles";

/**
 * Sends the undelivered records of a state to the sinks of a configuration, with their ids. They are copied into a store beside
 * the state first, `<file>.requeue`, so that a killed run can continue; the store is removed once all are delivered. May run
 * beside a
 * forwarder. Ends when no sink took anything for `onceDeadlineMs`.
 *
 * @param path A state folder that no forwarder uses, or a file that was set aside.
 * @returns how many records were acknowledged, and how many are left.
 * @throws {StoreError} when there is no state, or another process is at it.
 */
export async function requeue(
  config: LiveConfig,
  path: string,
  parts: Pick<SinkParts, "world" | "stdout"> & { readonly log: Log; readonly signal: AbortSignal },
): Promise<{ delivered: number; left: number }> {
  const { log, world, signal } = parts;
  const file = await copied(path);
  const sinks = await openSinks({ ...parts, config });
  const sinkSpecs = specsOf({ config });
  const { ledger, opened } = await StoredLedger.open({
    file,
    sinks: sinkSpecs,
    records: "changes",
    wall: world.wall(),
  });
  for (const sink of opened.forgotten) {
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
  try {
    let before: number;
    do {
      before = deliveredSoFar();
      await Promise.race([delivery.drained(config.current.onceDeadlineMs, signal), delivering]);
      left = delivery.status.sinks.reduce((sum, { records }) => sum + records, 0);
    } while (left > 0 && deliveredSoFar() > before && !signal.aborted);
  } finally {
    stop.abort();
    await delivering;
    await ledger.close(undefined);
  }
  if (left === 0) for (const end of STORE_ENDS) await rm(`${file}${end}`, { force: true });
  return { delivered: deliveredSoFar(), left };
}

/** The files of a store. */
const STORE_ENDS = ["", "-wal", "-shm", ".lock"];

/** Copies the readable content of a store into a sound one. */
async function copied(path: string): Promise<string> {
  using source = await LeftSpool.open(path);
  const file = `${source.file}.requeue`;
  if (existsSync(file)) return file;
  const draft = `${file}.draft`;
  for (const end of STORE_ENDS) await rm(`${draft}${end}`, { force: true });
  const target = await Store.open(draft);
  try {
    target.transaction(() => {
      const tables = new Map<string, number>();
      for (const { name, position, dropped } of source.sinks()) {
        target.run("INSERT INTO sinks (name, position, dropped) VALUES (?, ?, ?)", name, position, dropped);
      }
      for (const { seq, table, records, bytes, taken, body, sinks } of source.batches()) {
        const sql = "INSERT INTO tables (name, epoch, sequence, bytes) VALUES (?, 0, 0, 0)";
        const id = tables.get(table) ?? target.run(sql, table);
        tables.set(table, id);
        const into =
          "INSERT INTO batches (seq, table_id, records, bytes, taken, now, body) VALUES (?, ?, ?, ?, ?, 0, ?)";
        target.run(into, seq, id, records, bytes, taken, body);
        for (const sink of sinks) target.run("INSERT INTO unread (sink, seq) VALUES (?, ?)", sink, seq);
      }
    });
  } finally {
    target.close();
  }
  await rename(draft, file);
  await rm(`${draft}.lock`, { force: true });
  return file;
}
