import { type FileHandle, readFile } from "node:fs/promises";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { z } from "zod";
import { openOwn } from "../../files/no-links";
import { PRIVATE_FILE } from "../../files/private";
import { attempt, messageOf } from "../../model/errors";
import { jsonLines } from "../../model/json-lines";
import { plainData } from "../../model/plain-data";
import { BODY_LEVELS, SHORTEST_SECRET } from "../defaults";
import type { Reply } from "../http/reply";
import { headerText } from "../http/request";
import { redactAnswerHeaders, redactPath, Secrets, sentSecrets } from "../journal/redaction";
import type { Incoming } from "../serving/api";

/** A request in a recording: the members that select its answer, without secrets. */
const requestSchema = z.strictObject({
  method: z.string(),
  path: z.string(),
  userArena: z.string().optional(),
  /** JSON of a usual depth, else text. */
  body: z.json().optional(),
});
type RecordedRequest = z.infer<typeof requestSchema>;

const answerSchema = z.strictObject({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});
type RecordedAnswer = z.infer<typeof answerSchema>;

/** The first line names the format. Each other line is a request with its answer, or with a reference to an equal earlier answer. */
const head = z.strictObject({
  recording: z.literal("pulumi-packetfilter"),
  version: z.literal(1),
  /** Recorded APIs; the emulator answers the others itself. */
  apis: z.array(z.enum(["node", "signaling"])),
});

/** The APIs whose requests can be passed on. */
export type RecordedApi = z.infer<typeof head>["apis"][number];
const line = z.union([
  z.strictObject({ request: requestSchema, answer: answerSchema }),
  z.strictObject({ request: requestSchema, again: z.literal(true) }),
]);

/** Writes exchanges to a file, one a line. */
export class Recorder {
  private readonly last = new Map<string, string>();
  private writing: Promise<unknown> = Promise.resolve();

  private constructor(private readonly handle: FileHandle) {}

  /** Begins a recording. @throws {TypeError} if the file exists: a recording is not overwritten. */
  static async begin(file: string, apis: readonly RecordedApi[]): Promise<Recorder> {
    try {
      const recorder = new Recorder(await openOwn(file, "new", PRIVATE_FILE));
      await recorder.write({ recording: "pulumi-packetfilter", version: 1, apis });
      return recorder;
    } catch (error) {
      throw new TypeError(`Nothing can be recorded in ${file}: ${messageOf(error)}. Name a file that does not exist.`);
    }
  }

  /** Writes an exchange; resolves when it is written. */
  async add(incoming: Incoming, compressed: Reply): Promise<void> {
    const reply = decoded(compressed);
    const secrets = secretsOf(incoming);
    const request = describe(incoming, secrets);
    const answer: RecordedAnswer = {
      status: reply.status,
      headers: secrets.keptHeaders({
        ...(reply.type && { "content-type": reply.type }),
        ...redactAnswerHeaders(reply.headers ?? {}),
      }),
      body: secrets.kept(String(reply.body)),
    };
    const [key, text] = [keyOf(request), JSON.stringify(answer)];
    const isSame = this.last.get(key) === text;
    this.last.set(key, text);
    await this.write(isSame ? { request, again: true } : { request, answer });
  }

  async end(): Promise<void> {
    await this.writing;
    await this.handle.close();
  }

  private write(value: unknown): Promise<unknown> {
    this.writing = this.writing.then(() => this.handle.appendFile(`${JSON.stringify(value)}\n`));
    return this.writing;
  }
}

/** The recorded answers to each request, in order; the last one is repeated. */
export class Recording {
  apis: readonly RecordedApi[] = [];
  private readonly answers = new Map<string, RecordedAnswer[]>();
  private readonly given = new Map<string, number>();

  /** @throws {TypeError} naming a line that is not valid. */
  static async read(file: string): Promise<Recording> {
    const recording = new Recording();
    let number = 0;
    try {
      const { lines, torn } = jsonLines(await readFile(file, "utf8"));
      for (const text of lines) {
        number += 1;
        if (number === 1) recording.apis = head.parse(plainData(text)).apis;
        else recording.take(line.parse(plainData(text)));
      }
      if (number === 0 && torn === "") throw new SyntaxError("it is empty");
      // The answers before it would be repeated in place of the one that is missing.
      if (torn !== "") {
        number += 1;
        throw new SyntaxError(
          "its last line is incomplete, as a killed recorder leaves it: remove the line to replay the others",
        );
      }
    } catch (error) {
      const place = number === 0 ? "" : `, line ${number}`;
      const why = error instanceof z.ZodError ? z.prettifyError(error).replaceAll("\n", " ") : messageOf(error);
      throw new TypeError(`${file}${place} is not a recording: ${why}.`);
    }
    return recording;
  }

  /** The next answer to a request; `undefined` if it was not recorded. */
  next(incoming: Incoming): Reply | undefined {
    const key = keyOf(describe(incoming, secretsOf(incoming)));
    const answers = this.answers.get(key) ?? [];
    const at = this.given.get(key) ?? 0;
    this.given.set(key, at + 1);
    return answers[Math.min(at, answers.length - 1)];
  }

  /** Restarts with the first answers. */
  restart(): void {
    this.given.clear();
  }

  private take(step: z.infer<typeof line>): void {
    const key = keyOf(step.request);
    const answers = this.answers.get(key) ?? [];
    this.answers.set(key, answers);
    const answer = "answer" in step ? step.answer : answers.at(-1);
    if (!answer) throw new SyntaxError("the answer that it repeats is missing");
    answers.push(answer);
  }
}

/** Credentials in a request. */
function secretsOf({ target, headers }: Incoming): Secrets {
  return new Secrets(sentSecrets(target, headers), SHORTEST_SECRET.sent);
}

function describe({ method, target, headers, body }: Incoming, secrets: Secrets): RecordedRequest {
  const userArena = headers["user-arena"];
  return {
    method,
    path: redactPath(target),
    ...(userArena !== undefined && { userArena: headerText(String(userArena)) }),
    ...(body.length > 0 && { body: jsonOf(secrets.cut(body.toString("utf8"))) }),
  };
}

/** Parses JSON. A text nested too deep stays a text, since it could be neither written nor compared as JSON. */
function jsonOf(text: string): z.infer<ReturnType<typeof z.json>> {
  try {
    return plainData(text, JSON.parse, BODY_LEVELS) as z.infer<ReturnType<typeof z.json>>;
  } catch {
    return text;
  }
}

const DECODERS: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  "x-gzip": gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** The uncompressed answer; unchanged if its coding is unknown or broken. */
function decoded(reply: Reply): Reply {
  const { "content-encoding": coding = "", ...headers } = reply.headers ?? {};
  const decode = DECODERS[coding.toLowerCase()];
  const compressed = reply.body;
  if (!decode || !Buffer.isBuffer(compressed)) return reply;
  const body = attempt(() => decode(compressed));
  return body === undefined ? reply : { ...reply, headers, body };
}

/** Equal for equal requests, whatever the order of members and with or without a slash at the end of the url. */
function keyOf(request: RecordedRequest): string {
  return JSON.stringify(request, (name, value: unknown) => {
    if (name === "url" && typeof value === "string") return value.replace(/\/$/, "");
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
