import { z } from "zod";
import { membersOf } from "../../model/json";
import { jsonLines } from "../../model/json-lines";
import { jsonIn } from "../../model/readable";
import { isSpelledDocumentation } from "../documentation";
import type { NodeSettings, ReceiverSettings } from "../finding";
import type { Raw } from "./baseline";

/** Removes `answers.read`: a module that reads answers comes from the settings of the command alone, never from notes. */
const settings = z.record(z.string(), z.unknown()).transform(({ answers, ...rest }) => {
  const { read: _, ...data } = membersOf(answers);
  return answers === undefined ? rest : { ...rest, answers: data };
});

/** First line of the notes: the places to which a probe writes, without secrets. */
const begun = z.object({
  endpoint: z.string().optional(),
  set: z.string().optional(),
  receiver: z.string().optional(),
});

const learnt = z.object({
  node: settings as z.ZodType<Pick<NodeSettings, "answers">>,
  /** Address to which the node redirected, without secrets. */
  movedTo: z.string().optional(),
  receiver: settings as z.ZodType<ReceiverSettings>,
  /** Measured milliseconds until a list showed a commit, and a status a start. */
  commitDelayMs: z.number().optional(),
  statusDelayMs: z.number().optional(),
  /** True once a list has shown entries of the probe. */
  isProved: z.boolean().optional(),
});
/** Facts that help to take back what a probe wrote. */
type Learnt = Readonly<z.output<typeof learnt>>;

const places = z.enum(["set", "signaling"]);
const texts = z.array(z.string());
const schema = z.union([
  z.strictObject({ begun }),
  z.strictObject({ insert: z.array(z.string().refine(isSpelledDocumentation)) }),
  z.strictObject({ start: texts }),
  /** List of the set, or status of the receiver, before the first write. */
  z.strictObject({ before: z.object({ of: places, status: z.number(), body: z.string() }) }),
  z.strictObject({ clear: places }),
  z.strictObject({ learnt }),
]);

/** Longest list or status before the first write that is noted, in characters. */
const LONGEST_NOTE = 100_000;

/** The note of a list or status before the first write; none for a long one. */
export function notesBefore(of: z.output<typeof places>, { status, body }: Raw): Note[] {
  return body.length <= LONGEST_NOTE ? [{ before: { of, status, body } }] : [];
}

/** A change, noted before it is sent; `clear` says that nothing is left of the earlier ones. */
export type Note = Readonly<z.input<typeof schema>>;

/** Changes that a probe may have left. */
export interface Undo extends Readonly<z.output<typeof begun>> {
  readonly inserted: readonly string[];
  readonly started: readonly string[];
  readonly before: { readonly set?: Raw; readonly signaling?: Raw };
  readonly learnt?: Learnt;
}

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
  let first: z.output<typeof begun> | undefined;
  let facts: Learnt | undefined;
  const before: { set?: Raw; signaling?: Raw } = {};
  for (const [index, line] of lines.entries()) {
    const parsed = schema.safeParse(jsonIn(line));
    if (!parsed.success) throw new TypeError(`line ${index + 1} is none that a probe notes`);
    const note = parsed.data;
    if ("begun" in note) first = note.begun;
    else if ("insert" in note) for (const one of note.insert) inserted.add(one);
    else if ("start" in note) for (const one of note.start) started.add(one);
    else if ("learnt" in note) facts = note.learnt;
    else if ("before" in note) before[note.before.of] = note.before;
    else (note.clear === "set" ? inserted : started).clear();
  }
  if (!first) throw new TypeError("its first line does not say whom a probe asked");
  return { ...first, inserted: [...inserted], started: [...started], before, ...(facts && { learnt: facts }) };
}
