import {
  allowedValues,
  destinationWithinOwned,
  maxLifetime,
  prefixLength,
  protectedPrefixes,
  requireReason,
  rules,
  specialPurposeRanges,
} from "../../../policies/all-rules";
import { PolicyConfigError } from "../../../policies/config/errors";
import { findPolicyConfig, loadPolicyConfig } from "../../../policies/config/load";
import type { PolicyConfig } from "../../../policies/config/schema";
import { judgeResource } from "../../../policies/judge";
import { readResource } from "../../../policies/resources";
import { organisationForbids } from "../../../policies/rules/organisation-rails";
import { levelOf, settingsOf } from "../../../policies/settings";
import { startRun } from "../../../policies/start-run";
import type { PrefixSetUrl } from "../../client";
import { formatNote } from "../../model/entry";
import { resourceIn } from "../../model/readable";
import type { PrefixEntries } from "../../prefixes";
import type { CliIo } from "../cli-io";
import { wrongUse } from "../option-values";

/** The rules of the pack about single entries. */
const OF_ENTRIES = [
  prefixLength,
  specialPurposeRanges,
  protectedPrefixes,
  destinationWithinOwned,
  requireReason,
  maxLifetime,
  allowedValues,
  organisationForbids,
];

/** Entries for a prefix file, and the nodes that they are for. */
export interface Judged {
  /** The file as it was named, for messages. */
  readonly name: string;
  /** The folder of the program with the policies. */
  readonly folder: string;
  readonly stack: string | undefined;
  /** The set of the entries, if it is known. */
  readonly url: PrefixSetUrl | undefined;
  readonly entries: PrefixEntries;
}

/**
 * Judges entries by the mandatory rules of `packetfilter-policies.yaml`, if it exists, with the code of the pack. If the set is
 * not known, an entry must pass for one of the sets with the role `block` in that file.
 *
 * @returns warnings
 * @throws {PolicyConfigError} if the file is wrong
 * @throws {Error} with the findings
 */
export function judgeEntries({ name, folder, stack, url, entries }: Judged, { env, now = Date.now }: CliIo): string[] {
  const environment = {
    PACKETFILTER_POLICIES: env.PACKETFILTER_POLICIES,
    PACKETFILTER_POLICIES_EMERGENCY: env.PACKETFILTER_POLICIES_EMERGENCY,
    PACKETFILTER_PROGRAM_FOLDER: folder,
  };
  const options = { environment, folder };
  if (findPolicyConfig(options) === undefined) return [];
  const config = wrongUse(PolicyConfigError, () => loadPolicyConfig(rules, options));
  const run = startRun(rules, { config, now: new Date(now()), environment });
  const notes = Object.entries(entries).flatMap(([prefix, { reason, ticket, expires }]) => {
    const note = formatNote({ reason, ticket, expires });
    return note === undefined ? [] : [[prefix, note]];
  });
  const values = Object.entries(entries).map(([prefix, { value }]) => [prefix, value]);
  const inputs = { entries: Object.fromEntries(values), notes: Object.fromEntries(notes) };
  const meta = { kind: "PrefixSet", urn: `urn:pulumi:${stack ?? ""}::`, name, protect: false } as const;
  const verdicts = (url ? [url] : setsOf(config)).map((set) => {
    const resource = readResource(meta, { arena: set.arena, profile: set.profile, set: set.set, ...inputs });
    // In a preview the level remediate fails as mandatory does.
    const reports = OF_ENTRIES.filter((rule) => ["mandatory", "remediate"].includes(levelOf(rule, config)))
      .filter(({ needs }) => set !== UNNAMED || needs.length === 0)
      .flatMap((rule) => judgeResource(rule, resource, settingsOf(rule, config), run));
    const isRefusal = ({ level = "mandatory" }) => level === "mandatory";
    return {
      refused: reports.filter(isRefusal).map(({ message }) => message),
      warned: reports.filter((report) => !isRefusal(report)).map(({ message }) => message),
    };
  });
  const [first] = verdicts;
  if (first && verdicts.every(({ refused }) => refused.length > 0))
    throw new Error(`${first.refused.join("\n")}\nNothing was changed.`);
  return [...new Set(verdicts.flatMap(({ refused, warned }) => [...refused, ...warned]))];
}

const UNNAMED: PrefixSetUrl = { kind: "prefixset", arena: "unnamed", set: "unnamed" };

/** A set for each pattern with the role `block`, with a name in place of each wildcard. */
function setsOf({ sets }: PolicyConfig): PrefixSetUrl[] {
  const found = sets.flatMap(({ pattern, role }) => (role === "block" ? (example(pattern) ?? []) : []));
  return found.length > 0 ? found : [UNNAMED];
}

function example(pattern: string): PrefixSetUrl | undefined {
  const names = pattern === "prefixset://**" ? "prefixset://x/x" : pattern.replaceAll(/\*+/g, "x");
  const url = resourceIn(names);
  return url?.kind === "prefixset" ? url : undefined;
}
