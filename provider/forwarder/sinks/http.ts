import { members } from "../config/fields";
import { formatter } from "../record/formats";
import { written } from "../slices";
import { httpFields, postingSink } from "./http-post";
import { sinkKind } from "./sink";

/** NDJSON by POST; any 2xx acknowledges. */
export const http = sinkKind(members(httpFields), async (context) => {
  const format = formatter(context.format);
  return postingSink(context, {
    contentType: "application/x-ndjson",
    divisible: [400, 413, 422],
    body: (records) => written(records, (record) => `${JSON.stringify(format(record))}\n`),
  });
});
