import { type Answer, type RefusalKind, refusalSwitches, switchesOf } from "../asking/answer";
import type { Verdicts } from "../asking/verdicts";
import { measured, type Outcomes, type Seen } from "../point";

/** Settings by which a client recognises answers to changes as successes or failures. */
export const VERDICTS = measured(["answers.success", "answers.failure"]);

/** Outcomes of a change without an effect, whose answer alone shows something. */
export function errorOrSuccess<Name extends string>(name: Name, kind: RefusalKind) {
  return {
    success: { as: "contract", node: "success", dialect: { [name]: "success" } },
    refused: { as: "dialect", node: "an error", dialect: { [name]: "error", ...measured(switchesOf(kind)) } },
    unknown: { as: "unknown", node: "neither a known error nor an answer to a change that took effect" },
  } as const satisfies Outcomes;
}

/** Judges such an answer by its difference from the known successes. */
export function judged(
  answer: Answer,
  kind: RefusalKind,
  is: ReturnType<Verdicts["judge"]>,
): Seen<ReturnType<Verdicts["judge"]>> {
  return { is, evidence: [answer], ...(is === "refused" && { dialect: refusalSwitches(kind, answer) }) };
}
