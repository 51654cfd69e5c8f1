import { formatUrl } from "../../client";
import type { CliIo } from "../cli-io";
import { failureText } from "../failure";
import { pretty } from "../listing/output";
import type { EditFlags, Workplace } from "./common";
import type { Outcome } from "./outcome";
import { type Ended, NothingDone } from "./send";
import { nameOf, summaryOf } from "./watching";

/**
 * Prints the result of a command: sentences for people, or one JSON object for scripts.
 *
 * @param more Further members of the object.
 * @param sentences Further sentences.
 * @throws {Error} with the problems
 */
export function printResult(
  { outcomes, problems, finish }: Ended,
  place: Workplace,
  { more, sentences = [] }: { readonly more: object; readonly sentences?: readonly string[] },
  io: CliIo,
): void {
  if (place.output === "json") {
    io.out(json(place, more, { outcomes, problems, finish }));
  } else {
    const [only] = outcomes;
    if (outcomes.length > 1) io.out(summaryOf(outcomes, io));
    else if (only?.done !== undefined) io.out(`${only.done}\n`);
    for (const sentence of sentences) io.out(`${sentence}\n`);
  }
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

/** Parts of a {@link Workplace} that a result names. */
type Said = Pick<Workplace, "name" | "output"> & {
  readonly deadline: { readonly ms: number | null };
  readonly editor: { readonly isWritten: boolean };
};

/** These parts for a command line that is refused before there is a workplace: no time runs yet. */
export function beforehand({ file, output }: EditFlags): Said {
  return { name: file, output, deadline: { ms: null }, editor: { isWritten: false } };
}

/** Does the work, and prints an object for scripts also if it fails. @throws the error of the work */
export async function orNothing<T>(place: Said, more: object, io: CliIo, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const outcomes = error instanceof NothingDone ? error.outcomes : [];
    const ended = { outcomes, problems: [failureText(error)], finish: [] };
    if (place.output === "json") io.out(json(place, more, ended));
    throw error;
  }
}

function json(
  { name, deadline, editor }: Said,
  more: object,
  { outcomes, problems, finish }: Pick<Ended, "outcomes" | "problems" | "finish">,
): string {
  return pretty({
    file: name,
    ...more,
    written: editor.isWritten,
    timeoutMs: deadline.ms,
    nodes: outcomes.map(nodeOf),
    problems,
    finish,
  });
}

function nodeOf(one: Outcome) {
  const { client, url, project, outcome, changed, reason, problems } = one;
  return {
    ...(project.stack !== undefined && { stack: project.stack }),
    node: nameOf(one),
    endpoint: client.endpoint,
    set: formatUrl(url),
    outcome,
    changed,
    problems: reason === undefined ? problems : [`${reason}.`],
  };
}
