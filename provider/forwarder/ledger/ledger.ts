import { randomUUID } from "node:crypto";
import { z } from "zod";
import { MarkStream } from "../reading/mark-stream";
import { Reading } from "../reading/reading";
import { EVENTS, type MarkEvent } from "../record/events";
import { type RowChunk, RowWriter, ruleFinder } from "../record/rows";
import { type TableName, tableKey } from "../table";
import { SpoolFull } from "./errors";
import type { BatchHead, Begin, Ledger, LedgerOptions, LedgerStatus, Opened, Portion, TakenOver } from "./protocol";
import { type Entry, SinkAccount } from "./sink-account";
import { isBroken, Store, setAside } from "./store";
import { TableState } from "./table-state";

/** What the head of a batch takes at most, but for its rules. */
const HEAD_BYTES = 400;

interface OpenReading {
  readonly table: TableState;
  readonly begin: Begin;
  readonly stream: MarkStream;
  readonly reading: Reading | undefined;
  readonly changes: RowWriter;
  readonly seen: RowWriter | undefined;
  /** The table's baseline begins anew with this reading. */
  readonly reset: boolean;
}

interface Finished {
  readonly open: OpenReading;
  readonly wall: number;
  readonly now: number;
  readonly listed: number;
  resolve(taken: TakenOver): void;
  reject(error: unknown): void;
}

interface Written {
  readonly entries: Entry[];
  readonly taken: TakenOver;
}

const text = z.object({ value: z.string() });
const batchRow = z.object({
  seq: z.number(),
  name: z.string(),
  records: z.number(),
  bytes: z.number(),
  taken: z.number(),
});

/**
 * The ledger in the store, in one thread. Readings that end together share a transaction, since each one waits for the
 * disk. All that is decided by comparing sinks with limits is decided here, next to the data.
 */
export class StoredLedger implements Ledger {
  private readonly tables = new Map<string, TableState>();
  private readonly readings = new Map<number, OpenReading>();
  private readonly sinks = new Map<string, SinkAccount>();
  private finished: Finished[] = [];
  private acknowledged = new Set<SinkAccount>();
  private scheduled = false;
  private lastReading = 0;
  private lastSeq = 0;
  private bytes = 0;
  /** What was still kept when a sink last moved. */
  private kept: { seq: number; bytes: number }[] = [];
  private stateId = "";
  private epoch = 0;
  private asides = 0;
  /** Tables that had a baseline in a store that was set aside say so with a `reset`. */
  private lostBaselines = false;

  private constructor(
    private readonly options: LedgerOptions,
    private store: Store,
  ) {}

  /** Opens the store of a state folder; one that is broken is set aside, and the work begins anew. */
  static async open(options: LedgerOptions): Promise<{ ledger: StoredLedger; opened: Opened }> {
    let aside: string | undefined;
    let store: Store;
    try {
      store = await Store.open(options.file, options);
    } catch (error) {
      if (!isBroken(error)) throw error;
      aside = setAside(options.file, options.wall);
      store = await Store.open(options.file, options);
    }
    const ledger = new StoredLedger(options, store);
    ledger.lostBaselines = aside !== undefined;
    ledger.asides = aside === undefined ? 0 : 1;
    const opened = ledger.load();
    return { ledger, opened: { ...opened, ...(aside !== undefined && { setAside: aside }) } };
  }

  async begin(begin: Begin): Promise<number> {
    return this.guarded(() => {
      const table = this.table(begin.table);
      const lost = this.lostBaselines && !table.known;
      const reset = lost || (begin.turn?.takeover === true && begin.turn.epoch !== table.epoch);
      if (reset) table.forget();
      const ruleOf = ruleFinder(begin.rules);
      const changes = new RowWriter(ruleOf);
      const all = this.options.records === "all";
      const seen = all || begin.snapshot ? new RowWriter(ruleOf) : undefined;
      if (reset && !all) changes.addTable("reset");
      const baseline = all ? undefined : reset ? table.fresh() : table.marks();
      const number = ++this.lastReading;
      const reading = baseline && new Reading({ baseline, changes, seen }, number);
      const take: Reading["take"] = reading
        ? (...mark) => reading.take(...mark)
        : (key, id, value, lifetime, details) => seen?.add("seen", key, id, value, lifetime, details);
      const stream = new MarkStream(begin.table.type, take, { answers: begin.answers, keyedPlaces: table.keyedPlaces });
      this.readings.set(number, { table, begin, stream, reading, changes, seen, reset });
      return number;
    });
  }

  async write(reading: number, bytes: Uint8Array): Promise<void> {
    const open = this.open(reading);
    try {
      open.stream.write(bytes);
    } catch (error) {
      this.drop(reading);
      throw error;
    }
  }

  async end(reading: number, time: { readonly wall: number; readonly now: number }): Promise<TakenOver> {
    const open = this.open(reading);
    this.readings.delete(reading);
    let listed: number;
    try {
      listed = open.stream.end();
      const { listed: last } = open.table;
      open.reading?.finish(last === undefined || open.reset ? 0 : Math.max(0, time.now - last));
    } catch (error) {
      open.table.forget();
      throw error;
    }
    return new Promise((resolve, reject) => {
      this.finished.push({ open, ...time, listed, resolve, reject });
      this.schedule();
    });
  }

  async abort(reading: number): Promise<void> {
    this.drop(reading);
  }

  async next(sink: string, maxRecords: number): Promise<Portion | undefined> {
    return this.guarded(() => {
      const entries = this.sink(sink).next(maxRecords);
      const last = entries.at(-1);
      const first = entries[0];
      if (!last || !first) return undefined;
      const wanted = new Set(entries.map(({ seq }) => seq));
      const bodies = this.store.all(
        z.object({ seq: z.number(), body: z.string() }),
        "SELECT seq, body FROM batches WHERE seq BETWEEN ? AND ? ORDER BY seq",
        first.seq,
        last.seq,
      );
      return {
        position: last.seq,
        batches: bodies.filter(({ seq }) => wanted.has(seq)).map(({ body }) => body),
        records: entries.reduce((sum, { records }) => sum + records, 0),
      };
    });
  }

  async acknowledge(sink: string, position: number): Promise<void> {
    const account = this.sink(sink);
    account.acknowledge(position);
    this.acknowledged.add(account);
    this.schedule();
  }

  async status(): Promise<LedgerStatus> {
    return { sinks: [...this.sinks.values()].map((sink) => sink.backlog()), bytes: this.bytes, setAside: this.asides };
  }

  async close(listed: number | undefined): Promise<void> {
    this.flush();
    try {
      this.store.transaction(() => {
        if (listed !== undefined) this.setMeta("listed", String(listed));
        for (const table of this.tables.values()) table.settle();
      });
    } finally {
      this.store.close();
    }
  }

  /** Reads what the store holds into memory: sinks, what they have not read, and when tables were last listed. */
  private load(): Opened {
    const { store } = this;
    const known = store.all(
      z.object({ name: z.string(), position: z.number(), dropped: z.number() }),
      "SELECT name, position, dropped FROM sinks",
    );
    this.lastSeq = Math.max(
      this.lastSeq,
      ...known.map(({ position }) => position),
      store.get(z.object({ seq: z.number() }), "SELECT seq FROM sqlite_sequence WHERE name = 'batches'")?.seq ?? 0,
    );
    const specs = this.options.sinks;
    const forgotten = known.map(({ name }) => name).filter((name) => !specs.some((spec) => spec.name === name));
    const listed = this.meta("listed");
    const fresh = this.meta("state") === undefined;
    this.stateId = this.meta("state") ?? randomUUID();
    // Without a cluster an epoch is the life of a state folder: greater than that of any folder before it.
    this.epoch = Number(this.meta("epoch") ?? this.options.wall);
    this.sinks.clear();
    store.transaction(() => {
      this.setMeta("state", this.stateId);
      this.setMeta("epoch", String(this.epoch));
      // Until this run ends cleanly, nobody knows when it listed last.
      store.run("DELETE FROM meta WHERE name = 'listed'");
      for (const name of forgotten) store.run("DELETE FROM sinks WHERE name = ?", name);
      for (const spec of specs) {
        const { position, dropped } = known.find(({ name }) => name === spec.name) ?? {
          position: this.lastSeq,
          dropped: 0,
        };
        this.sinks.set(spec.name, new SinkAccount(spec, position, dropped));
        store.run(
          "INSERT OR IGNORE INTO sinks (name, position, dropped) VALUES (?, ?, ?)",
          spec.name,
          position,
          dropped,
        );
      }
    });
    const entries = store.all(
      batchRow,
      "SELECT seq, name, records, batches.bytes AS bytes, taken FROM batches JOIN tables ON tables.id = table_id ORDER BY seq",
    );
    this.kept = [];
    this.bytes = 0;
    for (const { name, ...entry } of entries) {
      this.note({ ...entry, table: tableOf(name) });
    }
    store.transaction(() => this.purge(this.lastSeq));
    this.forgetPurged(this.lastSeq);
    const epochs: Record<string, number> = {};
    for (const { name, epoch } of store.all(
      z.object({ name: z.string(), epoch: z.number() }),
      "SELECT name, epoch FROM tables",
    )) {
      const { node } = tableOf(name);
      epochs[node] = Math.max(epochs[node] ?? 0, epoch);
    }
    if (fresh) return { listedBefore: "never", epochs, forgotten };
    return { listedBefore: listed === undefined ? "unknown" : Number(listed), epochs, forgotten };
  }

  private note(entry: Entry): void {
    this.kept.push({ seq: entry.seq, bytes: entry.bytes });
    this.bytes += entry.bytes;
    for (const sink of this.sinks.values()) sink.add(entry);
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    // What arrives until then shares the transaction: behind a slow disk, many readings.
    setImmediate(() => this.flush());
  }

  /** Writes finished readings and acknowledgements in one transaction. */
  private flush(): void {
    this.scheduled = false;
    const { finished } = this;
    this.finished = [];
    const accepted = finished.filter((one) => this.fits(one));
    const moved = [...this.acknowledged];
    if (accepted.length === 0 && moved.length === 0) return;
    let written: Written[] = [];
    const seq = this.lastSeq;
    try {
      written = this.store.transaction(() => {
        const all = accepted.map((one) => this.insert(one));
        for (const { spec, position, dropped } of moved) {
          this.store.run("UPDATE sinks SET position = ?, dropped = ? WHERE name = ?", position, dropped, spec.name);
        }
        if (moved.length > 0) this.purge(seq);
        return all;
      });
    } catch (error) {
      this.lastSeq = seq;
      this.failed(accepted, error);
      return;
    }
    this.acknowledged.clear();
    this.forgetPurged(seq);
    const wall = Math.max(0, ...accepted.map((one) => one.wall));
    for (const { entries } of written) for (const entry of entries) this.note(entry);
    if (written.length > 0) this.dropOldest(wall);
    accepted.forEach((one, index) => {
      one.open.table.taken(one.now);
      one.resolve((written[index] as Written).taken);
    });
  }

  /** Rejects a reading for which a sink that pauses has no room. */
  private fits({ open, wall, reject }: Finished): boolean {
    const chunks = [...open.changes.finish(), ...(open.seen?.finish() ?? [])];
    const bytes = chunks.reduce((sum, { rows, rules }) => sum + rows.length + HEAD_BYTES + rules.length * 100, 0);
    if (bytes === 0) return true;
    const full = [...this.sinks.values()].filter(
      (sink) => sink.spec.limits.whenFull === "pause" && sink.takes(open.begin.table) && sink.isFullFor(bytes, wall),
    );
    if (full.length === 0) return true;
    open.table.forget();
    reject(new SpoolFull(full.map(({ spec }) => spec.name)));
    return false;
  }

  private insert({ open, wall, now, listed }: Finished): Written {
    const { table, begin, reset, stream, changes, seen } = open;
    const before = { epoch: table.epoch, sequence: table.sequence };
    const epoch = begin.turn?.epoch ?? this.epoch;
    const chunks = [...changes.finish(), ...(seen?.finish() ?? [])];
    const counts = EVENTS.map((_, index) => (changes.counts[index] ?? 0) + (seen?.counts[index] ?? 0));
    const entries: Entry[] = [];
    try {
      table.ensureRow(epoch);
      if (table.epoch !== epoch) {
        table.epoch = epoch;
        table.sequence = 0;
      }
      for (const chunk of chunks) entries.push(this.insertBatch(table, chunk, wall));
      const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
      const noted = open.reading ? changes.finish() : [];
      if (chunks.length > 0 || before.epoch !== table.epoch) table.keep(noted, now, bytes, reset);
      const events = EVENTS.flatMap((event, index): [MarkEvent, number][] =>
        counts[index] ? [[event, counts[index]]] : [],
      );
      return {
        entries,
        taken: {
          listed,
          plain: stream.plain,
          events: Object.fromEntries(events),
          records: counts.reduce((sum, count) => sum + count, 0),
          bytes,
        },
      };
    } catch (error) {
      Object.assign(table, before);
      throw error;
    }
  }

  private insertBatch(table: TableState, chunk: RowChunk, wall: number): Entry {
    const head: BatchHead = {
      ...table.name,
      at: wall,
      epoch: table.epoch,
      first: table.sequence + 1,
      id: table.recordId,
      rules: chunk.rules,
    };
    table.sequence += chunk.count;
    const body = `{"head":${JSON.stringify(head)},"rows":${chunk.rows}}`;
    const bytes = Buffer.byteLength(body);
    const seq = ++this.lastSeq;
    this.store.run(
      "INSERT INTO batches (seq, table_id, records, bytes, taken, body) VALUES (?, ?, ?, ?, ?, ?)",
      seq,
      table.id,
      chunk.count,
      bytes,
      wall,
      body,
    );
    return { seq, table: table.name, records: chunk.count, bytes, taken: wall };
  }

  /** Nothing of this transaction happened. */
  private failed(accepted: readonly Finished[], error: unknown): void {
    if (isBroken(error)) this.startAnew();
    else for (const { open } of accepted) open.table.reload();
    for (const one of accepted) one.reject(error);
    // What was delivered makes room, if anything does; else it is written with the next reading.
    if (accepted.length > 0 && this.acknowledged.size > 0) this.schedule();
  }

  /** Runs something that reads the store; a store that turns out to be broken is set aside. */
  private guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (isBroken(error)) this.startAnew();
      throw error;
    }
  }

  private startAnew(): void {
    for (const number of this.readings.keys()) this.drop(number);
    this.asides++;
    this.store = this.store.startAnew(this.options.wall + this.asides);
    this.lostBaselines = true;
    this.tables.clear();
    this.acknowledged.clear();
    this.load();
  }

  private dropOldest(wall: number): void {
    for (const sink of this.sinks.values()) {
      if (sink.spec.limits.whenFull !== "drop-oldest") continue;
      const before = sink.position;
      sink.dropOldest(wall);
      if (sink.position === before) continue;
      this.acknowledged.add(sink);
      this.schedule();
    }
  }

  /** Within a transaction: removes what every sink that takes it has. */
  private purge(last: number): void {
    this.store.run("DELETE FROM batches WHERE seq <= ?", this.done(last));
  }

  private forgetPurged(before: number): void {
    const done = this.done(before);
    let count = 0;
    for (const { seq, bytes } of this.kept) {
      if (seq > done) break;
      this.bytes -= bytes;
      count++;
    }
    if (count > 0) this.kept.splice(0, count);
  }

  /** The position up to which nobody will read again. */
  private done(last: number): number {
    return Math.min(last, ...[...this.sinks.values()].map((sink) => sink.readUpTo(last)));
  }

  private table(name: TableName): TableState {
    const key = tableKey(name);
    const known = this.tables.get(key) ?? new TableState(() => this.store, name, this.stateId);
    this.tables.set(key, known);
    return known;
  }

  private open(reading: number): OpenReading {
    const open = this.readings.get(reading);
    if (!open) throw new TypeError(`Reading ${reading} has ended.`);
    return open;
  }

  private drop(reading: number): void {
    this.readings.get(reading)?.table.forget();
    this.readings.delete(reading);
  }

  private sink(name: string): SinkAccount {
    const sink = this.sinks.get(name);
    if (!sink) throw new TypeError(`There is no sink ${name}.`);
    return sink;
  }

  private meta(name: string): string | undefined {
    return this.store.get(text, "SELECT value FROM meta WHERE name = ?", name)?.value;
  }

  private setMeta(name: string, value: string): void {
    this.store.run("INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", name, value);
  }
}

function tableOf(name: string): TableName {
  const [node = "", arena = "", profile = "", type = ""] = name.split("/");
  return { node, arena, profile, type: z.enum(["shost", "dhost", "sdhost", "conn"]).parse(type) };
}
