import { members } from "../config/fields";
import { formatter } from "../record/formats";
import { sinkKind } from "./sink";
import { written } from "./written";

/** Standard output, a line of JSON a record. Nobody acknowledges what is written there. */
export const stdout = sinkKind(members({}), async (context) => {
  const format = formatter(context.format);
  return {
    maxRecords: 1_000,
    async deliver(records) {
      await context.stdout(await written(records, (record) => `${JSON.stringify(format(record))}\n`));
      return {};
    },
    close: async () => {},
  };
});
