import { members } from "../config/fields";
import { formatter } from "../record/formats";
import type { ForwardRecord } from "../record/record";
import { written } from "../slices";
import { HttpPost, httpFields, refusalOf } from "./http-post";
import { allRejected, type Delivered, sinkKind } from "./sink";

const schema = members(httpFields);

/** Too large, or something in it is wrong: then half of it may be neither. */
const DIVISIBLE = [400, 413, 422];

/** NDJSON by POST; any 2xx acknowledges. */
export const http = sinkKind(schema, async (context) => {
  const format = formatter(context.format);
  const post = new HttpPost(context);
  const deliver = async (records: readonly ForwardRecord[], signal: AbortSignal): Promise<Delivered> => {
    const body = await written(records, (record) => `${JSON.stringify(format(record))}\n`);
    const answer = await post.send(body, "application/x-ndjson", signal);
    if (answer.status < 300) return {};
    if (DIVISIBLE.includes(answer.status) && records.length > 1) return halves(records, signal, deliver);
    return allRejected(records, refusalOf(answer));
  };
  return { maxRecords: 2_000, deliver, close: () => post.close() };
});

/**
 * Delivers two halves one after the other, so that one record that a sink does not take keeps no other from being delivered. What the
 * second half's failure leaves open is sent again alone.
 */
export async function halves(
  records: readonly ForwardRecord[],
  signal: AbortSignal,
  deliver: (records: readonly ForwardRecord[], signal: AbortSignal) => Promise<Delivered>,
): Promise<Delivered> {
  const middle = records.length >> 1;
  const first = await deliver(records.slice(0, middle), signal);
  const rest = records.slice(middle);
  if (first.again && first.again.length > 0) return { ...first, again: [...first.again, ...rest] };
  try {
    const second = await deliver(rest, signal);
    return { ...second, rejected: [...(first.rejected ?? []), ...(second.rejected ?? [])] };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const afterMs = "afterMs" in error && typeof error.afterMs === "number" ? { afterMs: error.afterMs } : {};
    return { rejected: first.rejected ?? [], again: rest, reason: error.message, ...afterMs };
  }
}
