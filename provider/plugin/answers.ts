import * as messages from "@pulumi/pulumi/proto/provider_pb";
import type { Difference } from "./detailed-diff";

/** A sentence about arguments or settings that make no sense. It names no property: the engine would print its whole value. */
export function checkFailure(reason: string) {
  const failed = new messages.CheckFailure();
  failed.setReason(reason);
  return failed;
}

/** A sentence with the arguments that it names as Python writes them, where that is another spelling. */
export function alsoInPython(reason: string, args: readonly string[]): string {
  const names = args.filter((name) => /[A-Z]/.test(name) && new RegExp(`(?<![\\w:])${name}\\b`).test(reason));
  const spellings = names.map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  return names.length === 0 ? reason : `${reason} In Python: ${spellings.join(", ")}.`;
}

const KINDS = {
  add: [messages.PropertyDiff.Kind.ADD, messages.PropertyDiff.Kind.ADD_REPLACE],
  delete: [messages.PropertyDiff.Kind.DELETE, messages.PropertyDiff.Kind.DELETE_REPLACE],
  update: [messages.PropertyDiff.Kind.UPDATE, messages.PropertyDiff.Kind.UPDATE_REPLACE],
} as const;

/** The answer with each difference under its path; those that make another object of it are named in `replaces`. */
export function withDifferences(
  answer: messages.DiffResponse,
  differences: readonly Difference[],
  replaces: readonly string[],
): messages.DiffResponse {
  const { DIFF_NONE, DIFF_SOME } = messages.DiffResponse.DiffChanges;
  answer.setChanges(differences.length + replaces.length > 0 ? DIFF_SOME : DIFF_NONE);
  answer.setReplacesList([...replaces]);
  answer.setHasdetaileddiff(true);
  for (const { path, kind, isOfState } of differences) {
    const [name = path] = path.split("[");
    const [plain, replacing] = KINDS[kind];
    const difference = new messages.PropertyDiff();
    difference.setKind(replaces.includes(name) ? replacing : plain);
    difference.setInputdiff(!isOfState);
    answer.getDetaileddiffMap().set(path, difference);
    answer.addDiffs(name);
  }
  return answer;
}
