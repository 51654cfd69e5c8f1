import { z } from "zod";
import { members, text } from "../fields";
import type { Outgoing } from "../record/outgoing";
import type { ForwardRecord } from "../record/record";
import { below, httpFields, PostingSink, type SinkAnswer } from "./http-post";
import { type Delivered, type Rejected, SinkFailure, sinkKind } from "./sink";

const schema = members({ ...httpFields, index: text });

const itemSchema = z.looseObject({ status: z.number().optional(), error: z.unknown().optional() });
const answerSchema = z.looseObject({
  errors: z.boolean().optional(),
  items: z.array(z.record(z.string(), itemSchema)).optional(),
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
export const elasticsearch = sinkKind(schema, async (context, { index }) => {
  const action = [`{"create":{"_index":${JSON.stringify(index)},"_id":"`, '"}}'] as const;
  return new PostingSink(context, {
    contentType: "application/x-ndjson",
    divisible: [413],
    body: (records) => records.lines(context.format, action),
    path: (url) => below(url, "/_bulk"),
    judge,
  });
});

/** Fate of each document. An answer without errors has taken all of them. */
async function judge(outgoing: Outgoing, { body, told }: SinkAnswer): Promise<Delivered> {
  let json: unknown;
  try {
    json = JSON.parse(body.toString("utf8"));
  } catch {
    throw new SinkFailure("the answer to _bulk is not JSON");
  }
  const answer = answerSchema.safeParse(json);
  if (!answer.success) throw new SinkFailure("the answer to _bulk has another form");
  if (answer.data.errors !== true) return {};
  const items = answer.data.items ?? [];
  if (items.length !== outgoing.count) {
    throw new SinkFailure(`the answer to _bulk has ${items.length} items for ${outgoing.count} documents`);
  }
  const records = await outgoing.records();
  const rejected: Rejected[] = [];
  const again: ForwardRecord[] = [];
  let reason: string | undefined;
  for (const [place, item] of items.entries()) {
    const record = records[place] as ForwardRecord;
    const { status = 0, error } = Object.values(item)[0] ?? {};
    if ((status >= 200 && status < 300) || status === EXISTS) continue;
    const refusal = `HTTP ${status}: ${told(JSON.stringify(error ?? "no reason given"))}`;
    if (REFUSED.includes(status)) rejected.push({ record, reason: refusal });
    else {
      again.push(record);
      reason ??= refusal;
    }
  }
  return { rejected, again, ...(reason !== undefined && { reason }) };
}
