import { readAnswer } from "../wire/node-answer";
import { ShapeError } from "../wire/shape";
import type { HttpAnswer } from "./http";
import { done, type Reading, refused, unexpected } from "./reading";

/** A list is JSON of a known shape. Anything else may come from a proxy or a cut connection, and is asked for again. */
export function readList<T>(answer: HttpAnswer, read: (json: unknown) => T): Reading<T> {
  try {
    const body = readAnswer(answer.body);
    switch (body.kind) {
      case "json":
        return done(read(body.json));
      case "error":
        return refused(body.message);
      case "html":
        return unexpected(`the answer is ${body.title}`, true);
      case "empty":
        return unexpected("the answer is empty", true);
      case "text":
        return unexpected(`the answer is no JSON: ${body.text}`, true);
    }
  } catch (error) {
    if (error instanceof ShapeError) return unexpected(error.message, false);
    throw error;
  }
}

/** Any 2xx without an error marker. HTML is not from the node, so what happened behind the proxy is unknown. */
export function readSuccess(answer: HttpAnswer): Reading<void> {
  try {
    const body = readAnswer(answer.body);
    if (body.kind === "error") return refused(body.message);
    return body.kind === "html" ? unexpected(`the answer is ${body.title}`, true) : done(undefined);
  } catch (error) {
    if (error instanceof ShapeError) return unexpected(error.message, false);
    throw error;
  }
}
