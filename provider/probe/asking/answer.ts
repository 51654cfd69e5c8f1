import type { HttpAnswer } from "../../client/http";
import { isRecord, parseJson, ShapeError } from "../../wire/json";
import { type NodeAnswer, readAnswer } from "../../wire/node-answer";
import { doubtOf } from "../../wire/signaling";

/** How an error is written, in the words of the emulator's switches. */
export type ErrorForm = "json" | "json-200" | "status-200" | "success-200" | "code-200" | "text" | "text-200" | "html";

/** How a success is written, in the words of the emulator's switch `success`. */
export type SuccessForm = "status" | "empty" | "text" | "count" | "ok" | "code" | "no-content";

/** One raw answer, and what it says without knowing the node. */
export class Answer {
  readonly status: number;
  readonly body: string;
  readonly header: HttpAnswer["header"];
  private readonly content: NodeAnswer;

  /**
   * @param asked What was asked, for people: `insert`.
   * @param quote What the body says, short and without secrets.
   */
  constructor(
    readonly asked: string,
    { status, body, header }: HttpAnswer,
    readonly quote: string,
  ) {
    this.status = status;
    this.body = body;
    this.header = header;
    this.content = contentOf(body);
  }

  /** The JSON of the body; `undefined` where it is none, or carries an error marker. */
  get json(): unknown {
    return this.content.kind === "json" ? this.content.json : undefined;
  }

  /** The JSON of the body, also that of an error; `undefined` where it is none. */
  get errorBody(): unknown {
    return jsonOf(this.body);
  }

  /** True where the node said no: by its status, by an error marker in the body, or by a page of a proxy. */
  get isRefusal(): boolean {
    return this.status >= 300 || this.content.kind === "error" || this.content.kind === "html";
  }

  /** True for an answer to a start or stop that means success. */
  get isDone(): boolean {
    return doubtOf(this.content) === undefined;
  }

  /** True for an answer without a body. */
  get isEmpty(): boolean {
    return this.content.kind === "empty";
  }

  /** For people: `insert: HTTP 400 {"error":"exists: 192.0.2.0/24"}`. */
  get evidence(): string {
    return `${this.asked}: HTTP ${this.status} ${this.quote}`;
  }

  /** The form of an error; the nearest one where it is none of them. */
  get errorForm(): ErrorForm {
    const { kind } = this.content;
    if (kind === "html") return "html";
    const json = jsonOf(this.body);
    if (this.status >= 300) return json === undefined || typeof json === "string" ? "text" : "json";
    if (!isRecord(json)) return "text-200";
    const names = new Set(Object.keys(json).map((name) => name.toLowerCase()));
    if (names.has("error") || names.has("err") || names.has("errors")) return "json-200";
    if (names.has("success") || names.has("ok")) return "success-200";
    return names.has("code") || names.has("errno") ? "code-200" : "status-200";
  }

  /** The form of a success; `undefined` where it is none of the known ones. */
  get successForm(): SuccessForm | undefined {
    if (this.isRefusal) return undefined;
    if (this.isEmpty) return this.status === 204 ? "no-content" : "empty";
    if (this.content.kind === "text") return /^ok\W*$/i.test(this.body.trim()) ? "text" : undefined;
    if (!isRecord(this.json)) return undefined;
    const names = Object.keys(this.json);
    const has = (...wanted: string[]) => names.length === wanted.length && wanted.every((name) => names.includes(name));
    if (has("status")) return "status";
    if (has("count")) return "count";
    if (has("ok")) return "ok";
    return names.includes("code") ? "code" : undefined;
  }
}

function contentOf(body: string): NodeAnswer {
  try {
    return readAnswer(body);
  } catch (error) {
    if (error instanceof ShapeError) return { kind: "text", text: body };
    throw error;
  }
}

function jsonOf(body: string): unknown {
  try {
    return parseJson(body.replace(/^\uFEFF/, "").trim());
  } catch {
    return undefined;
  }
}
