import * as pulumi from "@pulumi/pulumi";
import type { Said } from "../engine/provider-text";
import { readIgnored } from "../reconcile/ignored";

/** Name and arguments of a resource. */
interface Subject {
  /** Name in messages: `PrefixSet "blocked"`. */
  readonly label: string;
  /** Names of its arguments. */
  readonly args: readonly string[];
  readonly hostBits?: unknown;
}

/**
 * Marks for the check about `ignoreChanges`: the engine does not tell the option to dynamic resources.
 *
 * @throws {pulumi.RunError} for a path without a meaning for this resource; whether the state has it, the check finds out
 */
export function ignoredChanges({ label, args, hostBits }: Subject, paths: readonly string[] = []): Said {
  if (paths.length === 0) return {};
  const { entries, problems } = readIgnored(paths, args, { hostBits }, false);
  if (problems.length > 0) throw new pulumi.RunError(problems.map((problem) => `${label}: ${problem}`).join("\n"));
  return { paths, ...((entries === true || entries.length > 0) && { ignored: entries }) };
}
