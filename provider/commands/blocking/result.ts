import { formatUrl } from "../../client";
import type { CliIo } from "../cli-io";
import { pretty } from "../listing/output";
import type { Workplace } from "./common";
import type { Ended } from "./send";
import { summaryOf } from "./watching";

/**
 * Prints how a command ended: sentences for people, or one JSON object for scripts. Fails where not all is as the command says.
 *
 * @param more Members of the object that the command alone has.
 * @param sentences What the command says beside the outcomes.
 */
export function printResult(
  { outcomes, problems, finish }: Ended,
  { name, deadline, output }: Workplace,
  { more, sentences = [] }: { readonly more: object; readonly sentences?: readonly string[] },
  io: CliIo,
): void {
  if (output === "json") {
    const nodes = outcomes.map(({ node, client, url, project, outcome, changed, reason, problems: told }) => ({
      ...(project.stack !== undefined && { stack: project.stack }),
      node: node ?? client.endpoint,
      endpoint: client.endpoint,
      set: formatUrl(url),
      outcome,
      changed,
      problems: reason === undefined ? told : [`${reason}.`],
    }));
    io.out(pretty({ file: name, ...more, timeoutMs: deadline.ms, nodes, problems, finish }));
  } else {
    const [only] = outcomes;
    if (outcomes.length > 1) io.out(summaryOf(outcomes, io));
    else if (only?.done !== undefined) io.out(`${only.done}\n`);
    for (const sentence of sentences) io.out(`${sentence}\n`);
  }
  if (problems.length > 0) throw new Error(problems.join("\n"));
}
