import { formatUrl } from "../../client";
import { messageOf } from "../../model/errors";
import type { CliIo } from "../cli-io";
import { pretty } from "../listing/output";
import type { Workplace } from "./common";
import type { Outcome } from "./outcome";
import { type Ended, NothingDone } from "./send";
import { summaryOf } from "./watching";

/**
 * Prints how a command ended: sentences for people, or one JSON object for scripts. Fails where not all is as the command says.
 *
 * @param more Members of the object that the command alone has.
 * @param sentences What the command says beside the outcomes.
 */
export function printResult(
  { outcomes, problems, finish }: Ended,
  place: Workplace,
  { more, sentences = [] }: { readonly more: object; readonly sentences?: readonly string[] },
  io: CliIo,
): void {
  if (place.output === "json") {
    io.out(json(place, { ...more, written: true }, { outcomes, problems, finish }));
  } else {
    const [only] = outcomes;
    if (outcomes.length > 1) io.out(summaryOf(outcomes, io));
    else if (only?.done !== undefined) io.out(`${only.done}\n`);
    for (const sentence of sentences) io.out(`${sentence}\n`);
  }
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

/**
 * Does what may end with nothing changed: scripts have an object then, too.
 *
 * @throws what the work does
 */
export async function orNothing<T>(place: Workplace, more: object, io: CliIo, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const outcomes = error instanceof NothingDone ? error.outcomes : [];
    const ended = { outcomes, problems: [messageOf(error)], finish: [] };
    if (place.output === "json") io.out(json(place, { ...more, written: false }, ended));
    throw error;
  }
}

function json(
  { name, deadline }: Workplace,
  more: object,
  { outcomes, problems, finish }: Pick<Ended, "outcomes" | "problems" | "finish">,
): string {
  return pretty({
    file: name,
    ...more,
    timeoutMs: deadline.ms,
    nodes: outcomes.map(nodeOf),
    problems,
    finish,
  });
}

function nodeOf({ node, client, url, project, outcome, changed, reason, problems }: Outcome) {
  return {
    ...(project.stack !== undefined && { stack: project.stack }),
    node: node ?? client.endpoint,
    endpoint: client.endpoint,
    set: formatUrl(url),
    outcome,
    changed,
    problems: reason === undefined ? problems : [`${reason}.`],
  };
}
