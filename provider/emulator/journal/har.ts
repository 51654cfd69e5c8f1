import { STATUS_CODES } from "node:http";
import { z } from "zod";
import { JOURNAL } from "../defaults";
import type { JournalEntry } from "./entry";
import { isBeginning, type Journal } from "./journal";
import { describeRun } from "./journal-text";
import type { Run } from "./runs";
import type { Har } from "./schema-types";

const text = (about: string) => z.string().describe(about);
const number = (about: string) => z.number().describe(about);
const headers = z
  .array(z.object({ name: text("In lower case."), value: text("Without secrets.") }))
  .describe("Headers.");
const none = z.array(z.never()).max(0).describe("Always empty.");
const unknownSize = z.literal(-1).describe("Unknown.");
const empty = z.object({}).describe("Always empty.");
const httpVersion = text("HTTP/1.1.");
const comment = z.string().optional().describe("Omitted parts.");
const bodySize = z.int().describe("Bytes, or -1 if unknown.");

const page = z.object({
  startedDateTime: text("Time of its first request."),
  id: text("Reference for its requests."),
  title: text("Line of the journal for the run."),
  pageTimings: empty,
});

const request = z.object({
  method: text("GET or POST."),
  url: text("Whole url without secrets."),
  httpVersion,
  cookies: none,
  headers,
  queryString: none,
  postData: z
    .object({ mimeType: text("Its Content-Type."), text: text("JSON of the understood members."), comment })
    .optional()
    .describe("The body, as far as it was understood."),
  headersSize: unknownSize,
  bodySize,
});

const response = z.object({
  status: z.int().describe("Status, or 0 without an answer."),
  statusText: text("Reason phrase of the status."),
  httpVersion,
  cookies: none,
  headers,
  content: z
    .object({
      size: z.int().describe("Bytes of the whole body."),
      mimeType: text("Its Content-Type."),
      text: z.string().optional().describe("Its beginning."),
      comment,
    })
    .describe("The body."),
  redirectURL: text("The header Location, or an empty text."),
  headersSize: unknownSize,
  bodySize,
});

const entry = z.object({
  pageref: z.string().optional().describe("Its run."),
  startedDateTime: text("Virtual time."),
  time: number("Milliseconds until the answer."),
  request: request.describe("The request."),
  response: response.describe("The answer."),
  cache: empty,
  timings: z
    .object({ send: number("0."), wait: number("The whole time."), receive: number("0.") })
    .describe("Milliseconds of its parts."),
  _fault: z.string().optional().describe("Kind of the fault that affected it."),
});

/**
 * An HTTP archive (HAR 1.2), for the network view of a browser. Its pages are the runs. Members that begin with `_` are
 * extensions, which the format allows.
 */
export const harSchema = z
  .object({
    log: z
      .object({
        version: z.literal("1.2").describe("Version of the format."),
        creator: z
          .object({ name: text("This emulator."), version: text("Version of this package.") })
          .describe("Program that created it."),
        pages: z.array(page).describe("The runs."),
        entries: z.array(entry).describe("The requests that were answered, oldest first."),
      })
      .describe("Content of the archive."),
  })
  .describe(
    "The answered requests of a journal as an HTTP archive (HAR 1.2). Members that begin with `_` are extensions.",
  );

export type { Har } from "./schema-types";

type HarEntry = Har["log"]["entries"][number];

const HTTP = "HTTP/1.1";

/** The answered requests of a journal as an HTTP archive. @param version Version of this package. */
export function har(journal: Journal, origin: string, version: string): Har {
  const runs = new Map(journal.runs.list().map((run) => [run.run, run]));
  const answered = journal.entries.filter(({ durationMs }) => durationMs !== undefined);
  const answeredRuns = new Set(answered.map(({ run }) => run));
  return {
    log: {
      version: "1.2",
      creator: { name: "pulumi-packetfilter emulator", version },
      pages: [...runs.values()].flatMap((run) => (answeredRuns.has(run.run) ? [pageOf(run)] : [])),
      entries: answered.map((entry) => harEntry(entry, origin, runs.has(entry.run))),
    },
  };
}

function pageOf(run: Run): Har["log"]["pages"][number] {
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

/** The understood members of a request's body: the journal keeps no others. */
function sent({ rawUrl, cmd, type, op, data, headers }: JournalEntry): HarEntry["request"]["postData"] {
  const items = data?.slice(0, JOURNAL.harItems);
  const body = op === undefined ? { url: rawUrl, cmd, type, data: items } : { IP_prefix: items };
  if (Object.values(body).every((member) => member === undefined)) return undefined;
  const omitted = [
    ...((data?.length ?? 0) > JOURNAL.harItems ? [`The first ${JOURNAL.harItems} of ${data?.length} data items.`] : []),
    ...(isBeginning([rawUrl, items]) ? ["Texts that end with … are the beginning of longer ones."] : []),
  ];
  const comment = omitted.length > 0 && { comment: omitted.join(" ") };
  return { mimeType: headers["content-type"] ?? "", text: JSON.stringify(body), ...comment };
}

function pairs(headers: Readonly<Record<string, string>>): HarEntry["request"]["headers"] {
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}
