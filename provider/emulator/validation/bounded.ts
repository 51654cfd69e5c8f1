import type { z } from "zod";
import { WRONG_PLACES } from "../defaults";

/**
 * The schema of something with any number of members, of which the first wrong ones are told and the others counted: zod hands the issues of
 * a member on as the arguments of a call, and a hundred thousand of them end it ("Maximum call stack size exceeded").
 *
 * @param schema With its description, which makes another schema.
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

/** How many wrong members an issue stands for that are not told; 0 for one that is told itself. */
export function untold(issue: z.core.$ZodIssue): number {
  return issue.code === "custom" ? Number(issue.params?.more ?? 0) : 0;
}
