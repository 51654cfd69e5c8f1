import { codeOf } from "../../model/errors";
import { members } from "../config/fields";
import { byteSink, SinkGone, sinkKind } from "./sink";

/**
 * Standard output, a line of JSON a record. What is written there is not acknowledged. Its reader may go away, as
 * `head` does: there is no other end to wait for then.
 */
export const stdout = sinkKind(members({}), async (context) => {
  const print = (lines: Buffer) =>
    context.stdout(lines.toString("utf8")).catch((error: unknown) => {
      if (codeOf(error) !== "EPIPE") throw error;
      throw new SinkGone("standard output has no reader any more");
    });
  return byteSink(
    (records) => records.lines(context.format),
    print,
    async () => {},
  );
});
