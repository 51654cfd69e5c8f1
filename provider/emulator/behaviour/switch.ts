import { z } from "zod";
import { fieldsIn, isTemplate, unknownInTemplate } from "../http/template";

/** One open point of the contract: the emulator's default, and alternatives. */
export interface Switch<Schema extends z.ZodType = z.ZodType> {
  readonly schema: Schema;
  /** Settings other than the default, for tests of a client. */
  readonly alternatives: readonly z.output<Schema>[];
  /**
   * Alternatives under which a correct client must refuse, fail, or have settings for them. A dialect drawn by seed has none
   * of them.
   */
  readonly refusals?: readonly z.output<Schema>[];
  /** False for a switch that a dialect drawn by seed leaves at its default, and that takes no draw. Default: true. */
  readonly isDrawn?: boolean;
}

/** A choice between words; the first is the default. */
export function choice<const T extends readonly [string, ...string[]]>(
  options: T,
  about: string,
  refusals?: T[number][],
) {
  const [normal, ...rest] = options;
  const alternatives = rest.filter((option) => !refusals?.some((refusal) => refusal === option));
  return {
    schema: z
      .enum(options)
      .default(normal as z.output<z.ZodEnum<{ [K in T[number]]: K }>>)
      .describe(about),
    alternatives,
    refusals,
  };
}

/** A whole number from 0 on. */
export function amount(normal: number, options: { alternatives: number[]; refusals?: number[] }, about: string) {
  return { schema: z.int().min(0).default(normal).describe(about), ...options };
}

const NAME = "[A-Za-z_][\\w-]*";

/**
 * A name of the node's choice: one of the usual ones, or any other. Without alternatives, clients need a setting to read any
 * other name.
 */
export function named(normal: string, alternatives: string[], about: string, refusals: string[] = []) {
  const message = "must be a name of letters, digits, _ and -; names within one another are joined by dots";
  const schema = dotted(NAME, message).default(normal).describe(about);
  return { schema, alternatives, refusals };
}

/** As {@link named}; the path may also contain `0` for an array and the names of the listed object. */
export function placed(normal: string, alternatives: string[], about: string, refusals: string[] = []) {
  const message =
    "must be a name of letters, digits, _ and -, or names with dots between them, among which 0, {arena}, {profile} and {set} may be";
  const schema = dotted(`${NAME}|0|\\{(?:arena|profile|set)\\}`, message).default(normal).describe(about);
  return { schema, alternatives, refusals };
}

/**
 * A list as text, see `writeByTemplate`; empty: the list has the form of the other switches.
 *
 * @param fields What stands in a record, with each name in braces.
 */
export function template(list: string, fields: string) {
  const message =
    "must have five parts with {|} between them: before the records, a record, between two, after them, and an empty list";
  return {
    schema: z
      .string()
      .refine((text) => text === "" || isTemplate(text), { error: message, abort: true })
      .superRefine(
        refuseUnknown((text) => unknownInTemplate(text, fieldsIn(fields)), `{count} and in a record ${fields}`),
      )
      .default("")
      .describe(
        `Text of the list of ${list}, in five parts with {|} between them: before the records, a record, between two, after them, and an empty list. {count} stands for their number, and in a record ${fields}. Empty: the form of the other switches.`,
      ),
    alternatives: [],
    refusals: [],
    isDrawn: false,
  };
}

/** An answer as text, see `fill`; empty: the answer has the form of the other switches. @param fields With each name in braces. */
export function answerText(about: string, fields: string) {
  const schema = z
    .string()
    .superRefine(refuseNames(fields))
    .default("")
    .describe(`Text of ${about}; ${fields}. Empty: the form of the other switches.`);
  return { schema, alternatives: [], refusals: [], isDrawn: false };
}

/** Refuses a name in braces that is not one of these: it would stand in an answer as it is. */
export function refuseNames(fields: string) {
  const known = fieldsIn(fields);
  const unknown = (text: string) => fieldsIn(text).filter((name) => !known.includes(name));
  return refuseUnknown(unknown, known.map((name) => `{${name}}`).join(", "));
}

function refuseUnknown(unknown: (text: string) => readonly string[], known: string) {
  return (text: string, context: z.RefinementCtx) => {
    const [name] = unknown(text);
    if (name !== undefined)
      context.addIssue({ code: "custom", message: `{${name}} stands for nothing; there is ${known}` });
  };
}

function dotted(part: string, message: string) {
  return z.string().regex(new RegExp(`^(?:${part})(?:\\.(?:${part}))*$`), message);
}
