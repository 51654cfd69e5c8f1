import { messageOf } from "../../model/errors";
import { SIZES } from "../defaults";
import { Outgoing } from "../record/outgoing";
import type { ForwardRecord } from "../record/record";
import { nextTurn } from "../slices";
import type { Sink } from "./sink";

/** Name of the sink of `onRecord` in the spool. Names of the configuration cannot hold a space. */
export const CALLBACK = "on record";

/** Is called with each record, in order and one at a time. */
export type OnRecord = (record: ForwardRecord) => void | Promise<void>;

/** A function of the program as a sink. Where it throws or rejects, it is called again from that record on. */
export function callback(onRecord: OnRecord): Sink {
  return {
    write: async () => ({ payload: undefined, bytes: 0 }),
    async deliver(parcels) {
      const records = await Outgoing.all(parcels.map((parcel) => parcel.records)).records();
      for (const [index, record] of records.entries()) {
        if (index > 0 && index % SIZES.recordsASlice === 0) await nextTurn();
        try {
          await onRecord(record);
        } catch (error) {
          return { again: records.slice(index), reason: messageOf(error) };
        }
      }
      return {};
    },
    close: async () => {},
  };
}
