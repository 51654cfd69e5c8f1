import type { Outcome } from "./outcome";
import { namesOf } from "./watching";

/** Sentences about what is not as a command says, at the end how many failed, and the commands that finish the rest. */
export function problemsOf(outcomes: readonly Outcome[], finish: readonly string[]): string[] {
  const problems = failures(outcomes);
  const failed = outcomes.filter(({ outcome }) => outcome === "not sent" || outcome === "unknown");
  if (failed.length === 0) return problems;
  const refused = failed.filter(({ isPassing }) => !isPassing).length;
  const again = failed.length > refused;
  const rest = [
    `The file is written. ${failed.length} of ${outcomes.length} failed.`,
    ...(refused > 0 ? [`${refused} would fail again: put right what is said above first.`] : []),
    ...(again ? [`What finishes the rest, or "pulumi up":\n${finish.map((line) => `  ${line}`).join("\n")}`] : []),
  ];
  return [...problems, rest.join(" ")];
}

/** Why targets failed, and what is not as the command says. */
export function failures(outcomes: readonly Outcome[]): string[] {
  return [...problemsOfNodes(outcomes), ...reasonsOf(outcomes)];
}

/** Parts of a sentence that are of one node alone: its beginning, the time of the tries, and the address. */
const OWN = [
  [/^(?:Set )?prefixset:\/\/\S+ on \S+(?: \(\S+\))?: /, ""],
  [/ in [\d.]{1,9} m?s\)/, ")"],
  [/\b(E[A-Z]{2,20}) \S+$/, "$1"],
] as const;

/** Faults at targets; one that several have in common is one sentence about all of them. */
function problemsOfNodes(outcomes: readonly Outcome[]): string[] {
  const alike = new Map<string, { readonly problem: string; readonly at: Outcome[] }>();
  for (const one of outcomes)
    for (const problem of new Set(one.problems)) {
      const text = OWN.reduce((rest, [own, instead]) => rest.replace(own, instead), problem);
      const { at } = alike.get(text) ?? { at: [] };
      alike.set(text, { problem, at: [...at, one] });
    }
  return [...alike].map(([text, { problem, at }]) => (at.length === 1 ? problem : `${namesOf(at, outcomes)}: ${text}`));
}

/** Why targets were given up, those of one reason together. */
function reasonsOf(outcomes: readonly Outcome[]): string[] {
  const reasons = new Map<string, string[]>();
  for (const { reason, outcome, node, client } of outcomes) {
    if (reason === undefined) continue;
    const key = `${outcome}, ${reason}`;
    reasons.set(key, [...(reasons.get(key) ?? []), node ?? client.endpoint]);
  }
  return [...reasons].map(([reason, names]) => `${[...new Set(names)].join(", ")}: ${reason}.`);
}
