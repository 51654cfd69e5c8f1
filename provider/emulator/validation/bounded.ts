import type { z } from "zod";
import { WRONG_PLACES } from "../defaults";

/**
 * The schema of something with any number of members: reports the first wrong ones and counts the others. Zod passes the issues of a member on
 * as the arguments of a call, and a hundred thousand of them end it ("Maximum call stack size exceeded").
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

/** Number of unreported wrong members that an issue stands for; 0 for one that is reported itself. */
export function untold(issue: z.core.$ZodIssue): number {
  return issue.code === "custom" ? Number(issue.params?.more ?? 0) : 0;
}
