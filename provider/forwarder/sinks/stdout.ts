import { codeOf } from "../../model/errors";
import { members } from "../config/fields";
import { joined } from "../record/sheet";
import { bytesOf, type Sink, SinkGone, sinkKind } from "./sink";

/**
 * Standard output, a line of JSON a record. What is written there is not acknowledged. Its reader may go away, as
 * `head` does: there is no other end to wait for then.
 */
export const stdout = sinkKind(members({}), async (context): Promise<Sink<Buffer>> => {
  return {
    write: async (records) => bytesOf(await records.lines(context.format)),
    async deliver(parcels) {
      try {
        await context.stdout(joined(parcels.map(({ payload }) => payload)).toString("utf8"));
      } catch (error) {
        if (codeOf(error) !== "EPIPE") throw error;
        throw new SinkGone("standard output has no reader any more");
      }
      return {};
    },
    close: async () => {},
  };
});
