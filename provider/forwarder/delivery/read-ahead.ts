import type { Ledger, SpooledBatch } from "../ledger/protocol";
import { passing, type RecordFilter } from "../record/filter";
import { Outgoing, USUAL_LINE } from "../record/outgoing";
import { Sheet } from "../record/sheet";
import { type BatchLimits, type Parcel, parcelsOf, type Sink } from "../sinks/sink";

/** A delivery that is written and can be sent. */
export type Prepared = NonNullable<Awaited<ReturnType<ReadAhead["next"]>>>;

/** A parcel, or the end of the batch of the spool that those before it are of. */
interface Ready {
  readonly parcel?: Parcel;
  readonly ended?: SpooledBatch;
}

/** Reads the spool ahead of what its sink has acknowledged, and makes deliveries within the limits of the sink. */
export class ReadAhead {
  /** All batches up to here are read. */
  private position = 0;
  /** Written, and in no delivery yet. */
  private readonly ready: Ready[] = [];

  constructor(
    private readonly name: string,
    private readonly ledger: Pick<Ledger, "next">,
    private readonly sink: Sink,
    private readonly limits: BatchLimits,
    /** Which records the sink takes; asked for each batch. Default: all. */
    private readonly filter: () => RecordFilter | undefined = () => undefined,
  ) {}

  /**
   * The next delivery; `undefined` when all that is in the spool is read.
   *
   * @param maxRecords Fewer than the sink takes, where it is to be ready soon.
   * @throws when the spool cannot be read: no record is skipped, the next call continues from the same place.
   */
  async next(maxRecords = this.limits.maxRecords) {
    const taken: Ready[] = [];
    let records = 0;
    let bytes = 0;
    for (;;) {
      const next = this.ready[0];
      if (!next) {
        if (records >= maxRecords || !(await this.read(maxRecords - records))) break;
        continue;
      }
      records += next.parcel?.records.count ?? 0;
      bytes += next.parcel?.bytes ?? 0;
      if (taken.length > 0 && (records > maxRecords || bytes > this.limits.maxBytes)) break;
      taken.push(next);
      this.ready.shift();
    }
    if (taken.length === 0) return undefined;
    const ended = taken.map((one) => one.ended).filter((batch) => batch !== undefined);
    return {
      parcels: taken.map(({ parcel }) => parcel).filter((parcel) => parcel !== undefined),
      /** To acknowledge once it is delivered; undefined where it ends within a batch of the spool. */
      position: ended.at(-1)?.position,
      /** Of the spool. */
      bytes: ended.reduce((sum, { body }) => sum + body.length, 0),
    };
  }

  private async taken(records: Outgoing): Promise<Outgoing> {
    const passes = passing(this.filter());
    return passes ? Outgoing.of((await records.records()).filter(passes)) : records;
  }

  /** Reads and writes some batches. @returns false when there was none. */
  private async read(maxRecords: number): Promise<boolean> {
    const batches = await this.ledger.next(this.name, maxRecords, this.position);
    const sheet = new Sheet(USUAL_LINE * batches.reduce((sum, { records }) => sum + records, 0));
    for (const batch of batches) {
      const records = await this.taken(Outgoing.ofBatch(batch.body, batch.records, sheet, batch.sink));
      const parcels = records.count > 0 ? await parcelsOf(this.sink, records, this.limits) : [];
      this.ready.push(...parcels.map((parcel) => ({ parcel })), { ended: batch });
      this.position = batch.position;
    }
    return batches.length > 0;
  }
}
