import { STATUS_CODES } from "node:http";
import { z } from "zod";
import { JOURNAL } from "../defaults";
import type { JournalEntry } from "./entry";
import type { Journal } from "./journal";
import { describeRun } from "./journal-text";
import type { Run } from "./runs";

const headerList = z.array(z.object({ name: z.string(), value: z.string() }));
const none = z.array(z.never()).max(0);
const unknownSize = z.literal(-1);
const empty = z.object({});

const page = z.object({ startedDateTime: z.string(), id: z.string(), title: z.string(), pageTimings: empty });

const entry = z.object({
  pageref: z.string().optional(),
  startedDateTime: z.string().describe("Virtual time."),
  time: z.number(),
  request: z.object({
    method: z.string(),
    url: z.string(),
    httpVersion: z.string(),
    cookies: none,
    headers: headerList,
    queryString: none,
    postData: z.object({ mimeType: z.string(), text: z.string(), comment: z.string().optional() }).optional(),
    headersSize: unknownSize,
    bodySize: z.int(),
  }),
  response: z.object({
    status: z.int().describe("0 where no answer was sent."),
    statusText: z.string(),
    httpVersion: z.string(),
    cookies: none,
    headers: headerList,
    content: z.object({
      size: z.int(),
      mimeType: z.string(),
      text: z.string().optional(),
      comment: z.string().optional(),
    }),
    redirectURL: z.string(),
    headersSize: unknownSize,
    bodySize: z.int(),
  }),
  cache: empty,
  timings: z.object({ send: z.number(), wait: z.number(), receive: z.number() }),
  _fault: z.string().optional(),
});

/**
 * An HTTP archive (HAR 1.2): a form that the network views of browsers open. Its pages are the runs; members that begin with
 * `_` are our own, as the format allows.
 */
export const harSchema = z.object({
  log: z.object({
    version: z.literal("1.2"),
    creator: z.object({ name: z.string(), version: z.string() }),
    pages: z.array(page),
    entries: z.array(entry),
  }),
});

/** See `harSchema`. */
export interface Har extends z.output<typeof harSchema> {}

type HarEntry = z.output<typeof entry>;

const HTTP = "HTTP/1.1";

/** The answered requests of a journal as an HTTP archive. @param version Of this package. */
export function har(journal: Journal, origin: string, version: string): Har {
  const runs = new Map(journal.runs.list().map((run) => [run.run, run]));
  const answered = journal.entries.filter(({ durationMs }) => durationMs !== undefined);
  const told = new Set(answered.map(({ run }) => run));
  return {
    log: {
      version: "1.2",
      creator: { name: "pulumi-packetfilter emulator", version },
      pages: [...runs.values()].flatMap((run) => (told.has(run.run) ? [pageOf(run)] : [])),
      entries: answered.map((entry) => harEntry(entry, origin, runs.has(entry.run))),
    },
  };
}

function pageOf(run: Run): z.output<typeof page> {
  const startedDateTime = run.from ?? new Date(0).toISOString();
  return { startedDateTime, id: pageId(run.run), title: describeRun(run), pageTimings: {} };
}

const pageId = (run: number) => `run_${run}`;

function harEntry(entry: JournalEntry, origin: string, hasPage: boolean): HarEntry {
  const { run, time, method, path, headers, status = 0, answerBytes = 0, answerHeaders = {}, fault } = entry;
  const took = entry.durationMs ?? 0;
  const postData = sent(entry);
  return {
    ...(hasPage && { pageref: pageId(run) }),
    startedDateTime: time,
    time: took,
    request: {
      method,
      url: origin + path,
      httpVersion: HTTP,
      cookies: [],
      headers: pairs(headers),
      queryString: [],
      ...(postData && { postData }),
      headersSize: -1,
      bodySize: Number(headers["content-length"] ?? -1),
    },
    response: {
      status,
      statusText: STATUS_CODES[status] ?? "",
      httpVersion: HTTP,
      cookies: [],
      headers: pairs(answerHeaders),
      content: {
        size: answerBytes,
        mimeType: answerHeaders["content-type"] ?? "",
        ...(entry.answer !== undefined && { text: entry.answer }),
        comment: "At most the first 2 KB.",
      },
      redirectURL: answerHeaders.location ?? "",
      headersSize: -1,
      bodySize: status === 0 ? -1 : answerBytes,
    },
    cache: {},
    timings: { send: 0, wait: took, receive: 0 },
    ...(fault !== undefined && { _fault: fault }),
  };
}

/** The body of a request, as far as it was understood: the journal keeps no others. */
function sent({ rawUrl, cmd, type, op, data, headers }: JournalEntry): HarEntry["request"]["postData"] {
  const items = data?.slice(0, JOURNAL.harItems);
  const body = op === undefined ? { url: rawUrl, cmd, type, data: items } : { IP_prefix: items };
  if (Object.values(body).every((member) => member === undefined)) return undefined;
  const cut = (data?.length ?? 0) > JOURNAL.harItems && {
    comment: `The first ${JOURNAL.harItems} of ${data?.length} data items.`,
  };
  return { mimeType: headers["content-type"] ?? "", text: JSON.stringify(body), ...cut };
}

function pairs(headers: Readonly<Record<string, string>>): z.output<typeof headerList> {
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}
