import { z } from "zod";
import { groupBy } from "../../model/group";
import { members, text } from "../fields";
import { formatter } from "../record/formats";
import type { ForwardRecord } from "../record/record";
import { inSlicesOf } from "../slices";
import { tableKey } from "../table";
import { httpFields, postingKind } from "./http-post";

const label = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: "is not the name of a label" });

const schema = members({ ...httpFields, labels: z.record(label, text).default({}) });

const NANOSECONDS = "000000";

/**
 * Grafana Loki, or what takes its push as JSON: `loki/api/v1/push` below `url`. A table is a stream, with its names as labels, and a record
 * a line of JSON; Loki drops a line that it has at the same time already, so repeats change nothing.
 */
export const loki = postingKind(
  schema,
  () => "/loki/api/v1/push",
  async (context, { labels }) => {
    const document = formatter(context.format);
    const stream = (records: readonly ForwardRecord[]): string => {
      const [{ node, arena, profile, type } = {}] = records;
      const values = records.map((one) => [
        `${Date.parse(one.timestamp)}${NANOSECONDS}`,
        JSON.stringify(document(one)),
      ]);
      return `,${JSON.stringify({ stream: { job: JOB, ...labels, node, arena, profile, type }, values })}`;
    };
    return {
      contentType: "application/json",
      answers: {
        acknowledgement: "the 204 of a push, or the empty 200 of VictoriaLogs",
        // VictoriaLogs takes the push of Loki, and answers 200 without a body.
        acknowledged: (_, { status, body }) =>
          status === 204 || (status === 200 && body.length === 0) ? {} : undefined,
      },
      // Streams one behind the other, each after a comma.
      async body(records) {
        const parts = await inSlicesOf(await records.records(), (slice) =>
          [...groupBy(slice, tableKey).values()].map(stream).join(""),
        );
        return Buffer.from(parts.join(""));
      },
      around: ['{"streams":[', "]}"],
    };
  },
);

const JOB = "pulumi-packetfilter";
