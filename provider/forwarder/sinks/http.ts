import { members } from "../fields";
import { httpFields, PostingSink } from "./http-post";
import { sinkKind } from "./sink";

/** NDJSON by POST; any 2xx acknowledges. */
export const http = sinkKind(
  members(httpFields),
  async (context) =>
    new PostingSink(context, {
      contentType: "application/x-ndjson",
      divisible: [400, 413, 422],
      body: (records) => records.lines(context.format),
    }),
);
