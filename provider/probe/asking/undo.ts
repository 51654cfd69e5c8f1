import { z } from "zod";
import { membersOf } from "../../model/json";
import { jsonLines } from "../../model/json-lines";
import { jsonIn } from "../../model/readable";
import { isSpelledDocumentation } from "../documentation";
import type { NodeSettings, ReceiverSettings } from "../finding";
import type { Raw } from "./baseline";

/** First line of the notes: the places to which a probe writes. */
interface Begun {
  /** Address of the node, without secrets. */
  readonly endpoint?: string;
  /** Url of the set. */
  readonly set?: string;
  /** Address of the receiver, without client id and secret. */
  readonly receiver?: string;
}

/** Facts that help to take back what a probe wrote. */
export interface Learnt {
  readonly node: Pick<NodeSettings, "answers">;
  /** Address to which the node redirected, without secrets. */
  readonly movedTo?: string;
  readonly receiver: ReceiverSettings;
  /** Measured milliseconds until a list showed a commit, and a status a start. */
  readonly commitDelayMs?: number;
  readonly statusDelayMs?: number;
  /** True once a list has shown entries of the probe. */
  readonly isProved?: boolean;
  /** True once a status has shown a start of the probe. */
  readonly isStartProved?: boolean;
}

/** List of the set, or status of the receiver, before the first write. */
interface Before {
  readonly of: "set" | "signaling";
  readonly status: number;
  readonly body: string;
}

/** A change, noted before it is sent; `clear` says that nothing is left of the earlier ones. */
export type Note =
  | { readonly begun: Begun }
  | { readonly before: Before }
  | { readonly insert: readonly string[] }
  | { readonly start: readonly string[] }
  | { readonly clear: "set" | "signaling" }
  | { readonly learnt: Learnt };

/** Changes that a probe may have left. */
export interface Undo extends Begun {
  readonly inserted: readonly string[];
  readonly started: readonly string[];
  readonly before: { readonly set?: Raw; readonly signaling?: Raw };
  readonly learnt?: Learnt;
}

const texts = z.array(z.string());
/** Removes `answers.read`: a module that reads answers comes from the settings of the command alone, never from notes. */
const settings = z.record(z.string(), z.unknown()).transform(({ answers, ...rest }) => {
  const { read: _, ...data } = membersOf(answers);
  return answers === undefined ? rest : { ...rest, answers: data };
});
const schema = z.union([
  z.strictObject({
    begun: z.object({ endpoint: z.string().optional(), set: z.string().optional(), receiver: z.string().optional() }),
  }),
  z.strictObject({ insert: z.array(z.string().refine(isSpelledDocumentation)) }),
  z.strictObject({ start: texts }),
  z.strictObject({ before: z.object({ of: z.enum(["set", "signaling"]), status: z.number(), body: z.string() }) }),
  z.strictObject({ clear: z.enum(["set", "signaling"]) }),
  z.strictObject({
    learnt: z.object({
      node: settings,
      movedTo: z.string().optional(),
      receiver: settings,
      commitDelayMs: z.number().optional(),
      statusDelayMs: z.number().optional(),
      isProved: z.boolean().optional(),
      isStartProved: z.boolean().optional(),
    }),
  }),
]);

export function noteLine(note: Note): string {
  return `${JSON.stringify(note)}\n`;
}

/**
 * Reads the notes of a probe. An incomplete last line was never acted upon.
 *
 * @throws {TypeError} if they are not such notes.
 */
export function readUndo(text: string): Undo {
  const { lines } = jsonLines(text);
  const inserted = new Set<string>();
  const started = new Set<string>();
  let begun: Begun | undefined;
  let learnt: Learnt | undefined;
  const before: { set?: Raw; signaling?: Raw } = {};
  for (const [index, line] of lines.entries()) {
    const parsed = schema.safeParse(jsonIn(line));
    if (!parsed.success) throw new TypeError(`line ${index + 1} is none that a probe notes`);
    const note = parsed.data as Note;
    if ("begun" in note) begun = note.begun;
    else if ("insert" in note) for (const one of note.insert) inserted.add(one);
    else if ("start" in note) for (const one of note.start) started.add(one);
    else if ("learnt" in note) learnt = note.learnt;
    else if ("before" in note) before[note.before.of] = note.before;
    else (note.clear === "set" ? inserted : started).clear();
  }
  if (!begun) throw new TypeError("its first line does not say whom a probe asked");
  return { ...begun, inserted: [...inserted], started: [...started], before, ...(learnt && { learnt }) };
}
