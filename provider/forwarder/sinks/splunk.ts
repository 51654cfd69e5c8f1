import { randomUUID } from "node:crypto";
import { z } from "zod";
import { attempt } from "../../model/errors";
import { SINK_DEFAULTS } from "../defaults";
import { bearer, members, text } from "../fields";
import { formatter } from "../record/formats";
import { written } from "../slices";
import { below, httpFields, PostingSink } from "./http-post";
import { sinkKind } from "./sink";

const schema = members({
  ...httpFields,
  token: bearer,
  index: text.optional(),
  sourcetype: text.default(SINK_DEFAULTS.splunkSourcetype),
});

/**
 * Codes of the collector that are about the token, the index or the channel, with HTTP 400 or 403: no record is at fault, and a change of the
 * configuration on either side makes them go (Splunk Docs, "Troubleshoot HTTP Event Collector", possible error codes).
 */
const ABOUT_CONFIGURATION: readonly number[] = [1, 2, 3, 4, 7, 10, 11];

const answerSchema = z.looseObject({ code: z.number() });

/** Splunk's HTTP Event Collector: `services/collector/event` below `url`, an event a record, with the node as `host`. */
export const splunk = sinkKind(schema, async (context, { index, sourcetype }) => {
  const document = formatter(context.format);
  // Tokens with indexer acknowledgement want one, and are not asked for what became of it.
  const channel = randomUUID();
  return new PostingSink(context, {
    contentType: "application/json",
    divisible: [400, 413],
    headers: () => ({
      authorization: `Splunk ${context.options(schema).token}`,
      "x-splunk-request-channel": channel,
    }),
    path: (url) => below(url, "/services/collector/event"),
    // Events follow each other.
    async body(records) {
      const lines = await written(await records.records(), (record) => {
        const time = Date.parse(record.timestamp) / 1_000;
        const own = { time, host: record.node, source: SOURCE, sourcetype, index, event: document(record) };
        return `${JSON.stringify(own)}\n`;
      });
      return Buffer.from(lines);
    },
    isPassing({ body }) {
      const answer = attempt(() => answerSchema.parse(JSON.parse(body.toString("utf8"))));
      return answer !== undefined && ABOUT_CONFIGURATION.includes(answer.code);
    },
  });
});

const SOURCE = "pulumi-packetfilter";
