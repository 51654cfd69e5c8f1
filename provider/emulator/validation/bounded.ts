import type { z } from "zod";
import { WRONG_PLACES } from "../defaults";

/**
 * The schema of a value with many members: reports the first mistakes and counts the others. Zod passes issues on as
 * arguments of a call, and a hundred thousand of them exceed the call stack.
 *
 * @param schema Already with its description, since adding one makes another schema.
 */
export function bounded<Schema extends z.ZodType>(schema: Schema): Schema {
  const { run } = schema._zod;
  schema._zod.run = (payload, context) => {
    const result = run(payload, context);
    return result instanceof Promise ? result.then(shortened) : shortened(result);
  };
  return schema;
}

function shortened<Payload extends z.core.ParsePayload>(payload: Payload): Payload {
  const more = payload.issues.length - WRONG_PLACES;
  if (more <= 0) return payload;
  payload.issues.length = WRONG_PLACES;
  payload.issues.push({
    code: "custom",
    message: "and more",
    params: { more },
    path: [],
    input: undefined,
    continue: true,
  });
  return payload;
}

/** Number of unreported mistakes that an issue counts; 0 for a reported one. */
export function unreportedCount(issue: z.core.$ZodIssue): number {
  return issue.code === "custom" ? Number(issue.params?.more ?? 0) : 0;
}
