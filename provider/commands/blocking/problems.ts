import { groupBy } from "../../model/group";
import type { Outcome } from "./outcome";
import { nameOf, namesOf } from "./watching";

/** Sentences about failed targets, their number, and the commands that finish the rest. `isWritten`: the file was changed. */
export function problemsOf(outcomes: readonly Outcome[], finish: readonly string[], isWritten: boolean): string[] {
  const problems = failures(outcomes);
  const failed = outcomes.filter(({ outcome }) => outcome === "not sent" || outcome === "unknown");
  if (failed.length === 0) return problems;
  const refused = failed.filter(({ isPassing }) => !isPassing).length;
  const again = failed.length > refused;
  // With those that are done, the numbers add up to all.
  const parts = outcomes.filter(({ outcome }) => outcome === "not all").length;
  const notAll = parts > 0 ? `, ${parts} did not do all` : "";
  const rest = [
    `The file ${isWritten ? "is written" : "needed no change"}. ${failed.length} of ${outcomes.length} failed${notAll}.`,
    ...(refused > 0 ? [`${refused} would fail again: correct the errors above first.`] : []),
    ...(again ? [`To finish the rest, run "pulumi up", or:\n${finish.map((line) => `  ${line}`).join("\n")}`] : []),
  ];
  return [...problems, rest.join(" ")];
}

export function failures(outcomes: readonly Outcome[]): string[] {
  return [...problemsOfNodes(outcomes), ...reasonsOf(outcomes)];
}

/** Parts of a sentence that differ from node to node: its beginning, the time of the tries, and the address. */
const OWN = [
  [/^(?:Set )?prefixset:\/\/\S+ on \S+(?: \(\S+\))?: /, ""],
  [/ in [\d.]{1,9} m?s\)/, ")"],
  [/\b(E[A-Z]{2,20}) \S+$/, "$1"],
] as const;

/** Problems of targets; a common one is one sentence about all of them. */
function problemsOfNodes(outcomes: readonly Outcome[]): string[] {
  const equalProblems = new Map<string, { readonly problem: string; readonly at: Outcome[] }>();
  for (const one of outcomes)
    for (const problem of new Set(one.problems)) {
      const text = OWN.reduce((rest, [own, instead]) => rest.replace(own, instead), problem);
      const { at } = equalProblems.get(text) ?? { at: [] };
      equalProblems.set(text, { problem, at: [...at, one] });
    }
  return [...equalProblems].map(([text, { problem, at }]) =>
    at.length === 1 ? problem : `${namesOf(at, outcomes)}: ${text}`,
  );
}

/** Reasons of early ends, each with its targets. */
function reasonsOf(outcomes: readonly Outcome[]): string[] {
  const ended = outcomes.filter(({ reason }) => reason !== undefined);
  return [...groupBy(ended, ({ outcome, reason }) => `${outcome}, ${reason}`)].map(([reason, those]) => {
    const names = new Set(those.map(nameOf));
    return `${[...names].join(", ")}: ${reason}.`;
  });
}
