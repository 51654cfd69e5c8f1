import type { HttpAnswer } from "../../client/http";
import { attempt } from "../../model/errors";
import { isObject } from "../../model/json";
import type { Answers, ReceiverAnswers } from "../../wire/answers";
import { markerIn } from "../../wire/error-marker";
import { jsonOf, ShapeError } from "../../wire/json";
import { type NodeAnswer, readAnswer } from "../../wire/node-answer";
import type { MemberValue } from "../../wire/remedies";
import type { DialectSettings } from "../finding";
import { isLikeTemplate } from "../shapes/template";

/** Classifies a body as a client does; default: by the settings that the probe has learnt so far. */
type Classify = (body: string, answers?: Answers | ReceiverAnswers) => NodeAnswer;

/** One raw answer. Its meaning may change while the probe learns more about the node. */
export class Answer {
  readonly status: number;
  readonly body: string;
  readonly header: HttpAnswer["header"];

  /**
   * @param asked Name of the request, for people: `insert`.
   * @param quote The body, shortened and without secrets.
   */
  constructor(
    readonly asked: string,
    readonly http: HttpAnswer,
    readonly quote: string,
    private readonly classify: Classify,
  ) {
    this.status = http.status;
    this.body = http.body;
    this.header = http.header;
  }

  private get content(): NodeAnswer {
    return this.contentBy();
  }

  /** The body as a client with these settings takes it. */
  contentBy(answers?: Answers | ReceiverAnswers): NodeAnswer {
    try {
      return this.classify(this.body, answers);
    } catch (error) {
      if (error instanceof ShapeError) return { kind: "text", text: this.body };
      throw error;
    }
  }

  /** The JSON of the body, or the elements of a list in lines; `undefined` for other texts and for errors. */
  get json(): unknown {
    const { content } = this;
    return content.kind === "json" ? content.json : undefined;
  }

  /** The JSON of the body, errors included; `undefined` if it is none. */
  get errorBody(): unknown {
    return jsonOf(this.body);
  }

  /** True for an error: by its status, by an error marker in the body, or by a page of a proxy. */
  get isRefusal(): boolean {
    const { kind } = this.content;
    return this.status >= 300 || kind === "error" || kind === "html";
  }

  /** True for a text like HTML with a status of success: a page, or a success in XML. */
  get isPage(): boolean {
    return this.status < 300 && this.content.kind === "html";
  }

  /** The code that alone makes it a refusal, beside a status of success: this node may mean a success by it. */
  get doubt(): MemberValue | undefined {
    if (this.status >= 300 || this.content.kind !== "error") return undefined;
    return markerIn(this.errorBody)?.code;
  }

  get isEmpty(): boolean {
    return this.status < 300 && this.content.kind === "empty";
  }

  /** For people: `insert: HTTP 400 {"error":"exists: 192.0.2.0/24"}`. */
  get evidence(): string {
    return `${this.asked}: HTTP ${this.status} ${this.quote}`;
  }

  /** The form of an error, or the nearest one, in the words of the emulator's switches. */
  get errorForm() {
    if (this.content.kind === "html") return "html";
    const json = this.errorBody;
    if (this.status >= 300) return json === undefined || typeof json === "string" ? "text" : "json";
    if (!isObject(json)) return "text-200";
    const names = new Set(Object.keys(json).map((name) => name.toLowerCase()));
    if (names.has("error") || names.has("err") || names.has("errors")) return "json-200";
    if (names.has("success") || names.has("ok")) return "success-200";
    if (this.codeInBody !== undefined) return "code-in-body";
    return names.has("code") || names.has("errno") ? "code-200" : "status-200";
  }

  /** The text of a refusal with a status of success that no form of the emulator has: no mark of an error is in it. */
  get ownText(): string | undefined {
    if (this.status >= 300 || this.body.trim() === "" || this.body.length > LONGEST_TEXT) return undefined;
    if (isLikeTemplate(this.body)) return undefined;
    const kind = attempt(() => readAnswer(this.body, {}, "insert"))?.kind;
    return kind === "json" || kind === "text" || kind === "html" ? this.body : undefined;
  }

  /** The HTTP status in the body of an answer with a status of success. */
  get codeInBody(): number | undefined {
    const json = this.errorBody;
    const code = this.status < 300 && isObject(json) ? json.code : undefined;
    return typeof code === "number" && code >= 300 && code < 600 ? code : undefined;
  }

  /** The form of a success without a text, in the words of the emulator's switch `success`; `undefined` for any other. */
  get emptyForm() {
    if (!this.isEmpty) return undefined;
    return this.status === 204 ? "no-content" : "empty";
  }
}

/** Kinds of refusals, in the words of the emulator's switches. */
export type RefusalKind =
  | "unknown"
  | "exists"
  | "absent"
  | "nothingStaged"
  | "refusedEntry"
  | "tooLarge"
  | "userArena"
  | "credentials";

/** Forms with a status of their own; all others have 200. */
const WITH_STATUS = ["json", "text", "html", "code-in-body"];

function statusSwitch(kind: RefusalKind): string {
  return kind === "tooLarge" ? "capStatus" : `${kind}Status`;
}

/** Switches with which the emulator refuses in the same way: by its form, or by its own text where only settings read that. */
export function refusalSwitches(kind: RefusalKind, answer: Answer): DialectSettings {
  const { errorForm: form, status, ownText } = answer;
  if (ownText !== undefined) return { [statusSwitch(kind)]: status, [`${kind}Text`]: ownText };
  return {
    ...(WITH_STATUS.includes(form) && { [statusSwitch(kind)]: answer.codeInBody ?? status }),
    [`${kind}Form`]: form,
  };
}

/** Switches for errors of any kind that look like this one. */
export function errorSwitches({ errorForm, ownText }: Answer): DialectSettings {
  return ownText === undefined ? { errorForm } : { errorText: ownText };
}

/** Longest text of an answer that a dialect repeats. */
const LONGEST_TEXT = 2_000;
