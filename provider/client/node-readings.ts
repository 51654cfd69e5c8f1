import type { NodeHabits } from "../wire/answers";
import { readAnswer } from "../wire/node-answer";
import { ShapeError } from "../wire/shape";
import type { HttpAnswer } from "./http";
import { done, type Reading, refused, unexpected } from "./reading";

/**
 * A list is JSON of a known shape. Anything else may come from a proxy or a cut connection, and is asked for again.
 *
 * @param read Reads JSON by what is known about the node; throws a `ShapeError` for what it does not understand.
 */
export function readList<T>(
  answer: HttpAnswer,
  read: (json: unknown, habits: NodeHabits) => T,
  habits: NodeHabits,
): Reading<T> {
  try {
    const body = readAnswer(answer.body);
    switch (body.kind) {
      case "json":
        return done(read(body.json, habits));
      case "error":
        return refused(body.message);
      case "html":
        return unexpected(`the answer is ${body.title}`, true);
      case "empty":
        if (habits.answers?.empty === "") return done(read([], habits));
        return unexpected("the answer is empty", true, 'If this node answers an empty list so, set answers.empty: "".');
      case "text":
        return unexpected(`the answer is no JSON: ${body.text}`, true);
    }
  } catch (error) {
    if (error instanceof ShapeError) return unexpected(error.message, false, error.remedy);
    throw error;
  }
}

/** Any 2xx without an error marker; HTML is not from the node, so what happened behind the proxy is unknown. */
export function readSuccess(answer: HttpAnswer): Reading<void> {
  try {
    const body = readAnswer(answer.body);
    if (body.kind === "error") return refused(body.message);
    return body.kind === "html" ? unexpected(`the answer is ${body.title}`, true) : done(undefined);
  } catch (error) {
    if (error instanceof ShapeError) return unexpected(error.message, false, error.remedy);
    throw error;
  }
}

/** A set that the node does not know, as one without entries. A page of HTML comes from a proxy and says nothing of sets. */
export function readAbsent(answer: HttpAnswer): Reading<never[]> | undefined {
  if (answer.status !== 404 || /^\s*</.test(answer.body)) return undefined;
  return done([]);
}
