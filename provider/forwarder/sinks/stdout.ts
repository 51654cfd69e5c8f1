import { codeOf } from "../../model/errors";
import { visibleBytes } from "../../model/foreign-text";
import { members } from "../fields";
import { byteSink, SinkGone, sinkKind } from "./sink";

/**
 * Standard output, a line of JSON a record, with control characters escaped: names and addresses come from nodes. Nothing
 * acknowledges. Its reader may end, as `head` does, which ends the sink for good.
 */
export const stdout = sinkKind(members({}), async (context) => {
  const print = (lines: Buffer) =>
    context.stdout(visibleBytes(lines).toString("utf8")).catch((error: unknown) => {
      if (codeOf(error) !== "EPIPE") throw error;
      throw new SinkGone("standard output has no reader any more");
    });
  return byteSink(
    (records) => records.lines(context.format),
    print,
    async () => {},
  );
});
