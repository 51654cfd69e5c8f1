import type { z } from "zod";
import { isObject, type JsonObject } from "../model/json";
import { MARK_TYPES } from "../model/mark";
import { objectError, schema, zod } from "../model/schema";
import {
  type Answers,
  COMMANDS,
  FORMATS,
  LIST_KINDS,
  MEMBERS,
  OPERATIONS,
  type PerKind,
  type ReceiverAnswers,
} from "./answers";
import { forKind } from "./places";

/** Checks {@link ReceiverAnswers} from arguments, config or a file. Unknown members are refused by name. Writes no defaults. */
export const receiverAnswersSchema = schema((): z.ZodType<ReceiverAnswers> => {
  const z = zod();
  const { text, dotted, format, sign, ignore } = shared();
  return z.strictObject(
    {
      format: format.optional(),
      path: dotted.optional(),
      name: text.optional(),
      empty: z.union([z.literal("{}"), z.literal(""), z.literal(404)], { error: 'must be "{}", "" or 404' }).optional(),
      success: objectOr(sign, OPERATIONS).superRefine(refuseWords).optional(),
      failure: objectOr(sign, OPERATIONS).optional(),
      ignore,
    },
    { error: objectError("must be an object") },
  );
});

/** Checks {@link Answers} from arguments, config or a file. Unknown members are refused by name. Writes no defaults. */
export const answersSchema = schema((): z.ZodType<Answers> => {
  const z = zod();
  const { text, dotted, place, format, verdict, sign, ignore } = shared();
  const column = z.union([text, z.int().min(0)], { error: "must be a name in the head line or a number from 0" });
  const columns = by(column, MEMBERS, "must be an object of names or numbers").superRefine(refuseTwice);
  const unit = z.enum(["s", "ms"], { error: 'must be "s" or "ms"' }).optional();
  const name = textOr(text, "must be a text, or an object of texts by kind of list");
  const names = by(name, MEMBERS, "must be an object of texts").superRefine(refuseTwice);

  return z.strictObject(
    {
      format: textOr(format, "must be a text, or an object of texts by kind of list").optional(),
      columns: objectOr(columns, LIST_KINDS).optional(),
      path: textOr(place, "must be a text, or an object of texts by kind of list").optional(),
      names: names.optional(),
      empty: z.enum(["{}", ""], { error: 'must be "{}" or ""' }).optional(),
      success: objectOr(sign, COMMANDS).superRefine(refuseWords).optional(),
      failure: objectOr(sign, COMMANDS).optional(),
      absent: z
        .union(
          [
            z.literal("empty"),
            z.strictObject({ status: z.int().min(200).max(599) }),
            verdict,
            z.strictObject({ text }),
          ],
          {
            error: 'must be "empty", { status }, { member, values } or { text }',
          },
        )
        .optional(),
      more: z
        .union([z.strictObject({ member: dotted }), z.strictObject({ header: text })], {
          error: "must be { member } or { header }",
        })
        .optional(),
      ignore,
      units: z
        .strictObject({ lifetime: unit, age: unit }, { error: objectError("must be { lifetime, age }") })
        .optional(),
      markTypes: by(text, MARK_TYPES, "must be an object of texts by type of marks").optional(),
      read: text.optional(),
    },
    { error: objectError("must be an object") },
  );
});

/** Schemas that settings of nodes and of receivers share. */
const shared = schema(() => {
  const z = zod();
  const text = z.string({ error: "must be a text" }).min(1, { error: "must not be empty" });
  const texts = z.string({ error: "must be a text" });
  const dotted = texts.regex(/^[^.]+(\.[^.]+)*$/, { error: "must be names of members with dots between them" });
  /** Also `"."`, the whole answer. */
  const place = texts.regex(/^(\.|[^.]+(\.[^.]+)*)$/, { error: "must be names of members with dots between them" });
  const format = z.enum(FORMATS, { error: `must be one of ${FORMATS.map((name) => `"${name}"`).join(", ")}` });
  const value = z.union([z.string(), z.number(), z.boolean(), z.null()], {
    error: "must be a text, a number, true, false or null",
  });
  const verdict = z.strictObject(
    { member: dotted, values: z.array(value, { error: "must be an array" }).min(1, { error: "must not be empty" }) },
    { error: objectError("must be { member, values }") },
  );
  const words = z.strictObject({ text }, { error: objectError("must be { text }") });
  const sign = either((given) => (typeof given === "object" && given !== null && "text" in given ? words : verdict));
  const ignore = z.array(dotted, { error: "must be an array of texts" }).readonly().optional();
  return { text, dotted, place, format, verdict, sign, ignore };
});

/** A text for all kinds of lists, or an object of texts by kind. */
function textOr<T extends z.ZodType<string>>(text: T, error: string) {
  return either((given) => (typeof given === "string" ? text : by(text, LIST_KINDS, error)));
}

/** An object, or an object of such objects by kind or command. Its members show which form it is, so that errors name the right ones. */
function objectOr<T extends z.ZodType>(object: T, keys: readonly string[]) {
  return either((given) => (isPer(given, keys) ? by(object, keys, "must be an object") : object));
}

/** An object in which each of these names may have the setting. */
function by<T extends z.ZodType, K extends string>(setting: T, keys: readonly K[], error: string) {
  const shape = Object.fromEntries(keys.map((key) => [key, setting.optional()]));
  return zod().strictObject(shape as Record<K, z.ZodOptional<T>>, { error: objectError(error) });
}

/** As `z.union`, but with the errors of the likely schema only. */
function either(choose: (given: unknown) => z.ZodType) {
  return zod()
    .unknown()
    .transform((given, context) => {
      const result = choose(given).safeParse(given);
      if (result.success) return result.data as never;
      for (const { message, path } of result.error.issues) {
        context.addIssue({ code: "custom", path: [...path], message });
      }
      return zod().NEVER;
    });
}

/** Refuses one name for two members of a kind. */
function refuseTwice(given: JsonObject, context: z.core.$RefinementCtx): void {
  const membersByName = new Map<string, string>();
  for (const [member, setting] of Object.entries(given)) {
    const others = new Set<string>();
    for (const kind of LIST_KINDS) {
      const name = forKind(setting as PerKind<string | number> | undefined, kind);
      const key = `${kind} ${String(name).toLowerCase()}`;
      const other = name === undefined ? undefined : membersByName.get(key);
      if (other !== undefined) others.add(other);
      if (name !== undefined) membersByName.set(key, member);
    }
    for (const other of others)
      context.addIssue({ code: "custom", path: [member], message: `is the name of \`${other}\` already` });
  }
}

/** Refuses words of a success in lists and statuses: their own contents may have them. */
function refuseWords(given: unknown, context: z.core.$RefinementCtx): void {
  const message = "must be { member, values }: words count for failures alone";
  for (const name of ["list", "status"]) {
    const sign = isObject(given) ? given[name] : undefined;
    if (isObject(sign) && "text" in sign) context.addIssue({ code: "custom", path: [name], message });
  }
}

/** True for an object whose members are all of these names. */
function isPer(setting: unknown, names: readonly string[]): boolean {
  if (typeof setting !== "object" || setting === null) return false;
  const given = Object.keys(setting);
  return given.length > 0 && given.every((name) => names.includes(name));
}
