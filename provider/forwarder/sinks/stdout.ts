import { members } from "../config/fields";
import { formatter } from "../record/formats";
import { written } from "../slices";
import { SinkGone, sinkKind } from "./sink";

/**
 * Standard output, a line of JSON a record. What is written there is not acknowledged. Its reader may go away, as
 * `head` does: there is no other end to wait for then.
 */
export const stdout = sinkKind(members({}), async (context) => {
  const format = formatter(context.format);
  return {
    maxRecords: 1_000,
    async deliver(records) {
      const lines = await written(records, (record) => `${JSON.stringify(format(record))}\n`);
      try {
        await context.stdout(lines);
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "EPIPE")) throw error;
        throw new SinkGone("standard output has no reader any more");
      }
      return {};
    },
    close: async () => {},
  };
});
