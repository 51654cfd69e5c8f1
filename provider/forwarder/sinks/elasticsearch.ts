import { z } from "zod";
import { attempt } from "../../model/errors";
import { members, text } from "../fields";
import type { Outgoing } from "../record/outgoing";
import type { ForwardRecord } from "../record/record";
import type { SinkAnswer } from "./answers";
import { httpFields, postingKind } from "./http-post";
import type { Delivered, Rejected } from "./sink";

const schema = members({ ...httpFields, index: text });

const itemSchema = z.looseObject({ status: z.number().optional(), error: z.unknown().optional() });
const answerSchema = z.looseObject({
  items: z.array(z.record(z.string(), itemSchema)),
});

/** The status of a document that is there already: an earlier delivery of the same record. */
const EXISTS = 409;
/**
 * Statuses of documents that no repetition makes right. All others pass: an index that is blocked for writing answers 403
 * (`cluster_block_exception`), one that has no room in its queues 429.
 */
const REFUSED: readonly number[] = [400, 404, 413, 422];

/**
 * Elasticsearch, OpenSearch, or VictoriaLogs: `_bulk` with `create` and the record's id, so that a repeat changes nothing.
 * `url` is the base; `/_bulk` is put before its query string. Each item is judged by itself.
 */
export const elasticsearch = postingKind(
  schema,
  () => "/_bulk",
  async (context, { index }) => {
    const action = [`{"create":{"_index":${JSON.stringify(index)},"_id":"`, '"}}'] as const;
    return {
      contentType: "application/x-ndjson",
      answers: {
        acknowledgement: "an answer of _bulk with as many items as documents",
        acknowledged,
      },
      body: (records) => records.lines(context.format, action),
    };
  },
);

/** Outcome of each document; none is known unless there are as many items. */
async function acknowledged(outgoing: Outgoing, { body, sanitize }: SinkAnswer): Promise<Delivered | undefined> {
  const items = attempt(() => answerSchema.parse(JSON.parse(body.toString("utf8"))))?.items;
  if (items?.length !== outgoing.count) return undefined;
  const outcomes = items.map((item) => Object.values(item)[0] ?? {});
  if (outcomes.every(isTaken)) return {};
  const records = await outgoing.records();
  const rejected: Rejected[] = [];
  const again: ForwardRecord[] = [];
  let reason: string | undefined;
  for (const [place, outcome] of outcomes.entries()) {
    if (isTaken(outcome)) continue;
    const record = records[place] as ForwardRecord;
    const { status, error } = outcome;
    const refusal = `HTTP ${status ?? "status missing"}: ${sanitize(JSON.stringify(error ?? "no reason given"))}`;
    if (status !== undefined && REFUSED.includes(status)) rejected.push({ record, reason: refusal });
    else {
      again.push(record);
      reason ??= refusal;
    }
  }
  return { rejected, again, ...(reason !== undefined && { reason }) };
}

function isTaken({ status = 0 }: z.infer<typeof itemSchema>): boolean {
  return (status >= 200 && status < 300) || status === EXISTS;
}
