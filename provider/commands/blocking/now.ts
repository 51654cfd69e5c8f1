import type { SetResult } from "../../batch/set-operation";
import { SetWriter } from "../../batch/set-writer";
import { SharedReads } from "../../batch/shared-reads";
import { DEFAULTS, formatUrl } from "../../client";
import { systemClock } from "../../client/clock";
import { type ListedValue, sentPlace } from "../../model/entry";
import { messageOf } from "../../model/errors";
import { type CanonicalPrefix, Prefix } from "../../model/prefix";
import { PrefixIndex } from "../../model/prefix-index";
import type { ListedMap, PrefixMap } from "../../model/prefix-map";
import { count, some } from "../../model/text";
import type { PrefixEntries } from "../../prefixes";
import type { LockedFile } from "../../prefixes/edit/edit-file";
import { type AuditRecord, failedWrite } from "../../resources/audit-log";
import { type ContentLimits, contentLimits, contentProblems, valueProblems } from "../../resources/limits/content";
import { RemovalBudget } from "../../resources/limits/removals";
import type { CliIo } from "../cli-io";
import { audit, type Project } from "../project";
import type { NowTarget } from "./common";
import { forgetGone, type Memory, rememberSent } from "./sent";

/** What is to be there at once, and what is to be gone. */
export interface Wanted {
  readonly put: PrefixMap;
  readonly remove: ReadonlySet<CanonicalPrefix>;
  /** What the file said of them before: what the node holds so is the file's, anything else is another writer's. */
  readonly before: PrefixEntries;
  /** True: what is another writer's gets the value, or goes, too. */
  readonly isForced: boolean;
  /** True: what is removed has expired, and counts for no limit. */
  readonly isExpired?: boolean;
  /** Why, for the audit log. */
  readonly reason?: string;
}

/** The set that is changed, and the project whose limits and audit log hold. */
interface SetNow extends NowTarget {
  readonly project: Project;
  /** The prefix file, which remembers what is put into the set. */
  readonly file: LockedFile;
}

/**
 * Makes a set of a node hold what the file says of these prefixes: one list, what is missing or different, one commit, and
 * a list that shows it. What is there already is not sent, and committed all the same: a command that was killed may have
 * staged it. Another writer's entry stays as it is.
 *
 * @returns `done`: a sentence; `changed`: how many entries were; `problems`: sentences about what is not as the command says,
 *   what is another writer's, and what still covers an address
 * @throws {Error} with the node and what to do; the file stays as it was written
 */
export async function sendNow({ client, url, node, project, file }: SetNow, wanted: Wanted, io: CliIo) {
  const name = formatUrl(url);
  const memory: Memory = { file, endpoint: client.endpoint, url: name, now: (io.now ?? Date.now)() };
  const label = `${name} on ${node === undefined ? client.endpoint : `${node} (${client.endpoint})`}`;
  const set = client.set(url);
  const foreign = (observed: ListedMap) => foreignEntries(observed, wanted, sentPlace(client.endpoint, name));
  const own = (observed: ListedMap) => without(wanted, foreign(observed));
  const writer = new SetWriter({
    set,
    label,
    deadlineMs: DEFAULTS.deadlineMs,
    commitCoalesceMs: 0,
    clock: systemClock,
    wanted: wanted.put,
    notices: { warn: (message) => io.err(`${message}\n`) },
    reads: new SharedReads(() => set.observe()),
    removals: new RemovalBudget(() => project.settings, name, label),
    sameMachine: {
      before: (observed) => rememberSent(memory, own(observed).put, observed),
      spare: async () => new Set(),
      after: async () => {},
    },
  });
  const record = (ended: Pick<AuditRecord, "prefixes" | "outcome">) =>
    audit(project, { node: client.endpoint, set: name, ...ended, reason: wanted.reason }, io);
  let written: SetResult;
  try {
    written = await writer.submit({
      plan: (observed) => {
        const { put, remove } = own(observed);
        requireContent(label, observed, { put, remove }, contentLimits({}, project.settings));
        const [tooLarge] = valueProblems(put, observed, client.maxValue);
        if (tooLarge !== undefined) throw new Error(`Set ${label}: nothing was sent. ${tooLarge}`);
        return {
          put,
          remove,
          shown: new Set([...put.keys(), ...remove]),
          ...(wanted.isExpired && { expired: remove }),
        };
      },
    });
  } catch (error) {
    record(failedWrite(error));
    throw new Error(
      `${messageOf(error)} The file is written; the node ${client.endpoint} may not have ${label.split(" ")[0]} so yet: run the same command again, or "pulumi up".`,
      { cause: error },
    );
  }
  const { before, changes, after } = written;
  if (changes.size > 0) record({ prefixes: Object.fromEntries(changes), outcome: "applied" });
  await forgetGone(memory, after);
  const left = foreign(before);
  const same = wanted.put.size + wanted.remove.size - left.size - changes.size;
  const there = same > 0 ? `, ${count(same, "entry", "entries")} needed no change` : "";
  return {
    changed: changes.size,
    done: `${label}: ${count(changes.size, "entry", "entries")} changed and committed${there}.`,
    problems: [...foreignSentences(label, left, wanted), ...stillCovered(label, after, wanted.remove)],
  };
}

/** What the node holds under these prefixes that neither the file nor a command before put there so. */
function foreignEntries(observed: ListedMap, { put, remove, before, isForced }: Wanted, place: string): ListedMap {
  const isOurs = (prefix: CanonicalPrefix, held: ListedValue) =>
    [put.get(prefix), before[prefix]?.value, before[prefix]?.sent?.[place]].includes(held as number);
  const found = [...put.keys(), ...remove].flatMap((prefix): [CanonicalPrefix, ListedValue][] => {
    const held = observed.get(prefix);
    return isForced || held === undefined || isOurs(prefix, held) ? [] : [[prefix, held]];
  });
  return new Map(found);
}

function without({ put, remove }: Wanted, foreign: ListedMap): Pick<Wanted, "put" | "remove"> {
  return {
    put: new Map([...put].filter(([prefix]) => !foreign.has(prefix))),
    remove: new Set([...remove].filter((prefix) => !foreign.has(prefix))),
  };
}

function foreignSentences(label: string, left: ListedMap, { put, before }: Wanted): string[] {
  const said = (prefixes: readonly CanonicalPrefix[], more: (prefix: CanonicalPrefix) => string, remedy: string) => {
    const named = prefixes.map((prefix) => `${prefix} (value ${left.get(prefix)}${more(prefix)})`);
    const stays = `${some(named)} ${named.length === 1 ? "was left as it is" : "were left as they are"}`;
    return named.length === 0 ? [] : [`${label}: ${stays}, since another writer put it there. --force ${remedy}.`];
  };
  const prefixes = [...left.keys()];
  return [
    ...said(
      prefixes.filter((prefix) => put.has(prefix)),
      (prefix) => `, not ${put.get(prefix)}`,
      "changes it",
    ),
    ...said(
      prefixes.filter((prefix) => !put.has(prefix)),
      (prefix) => (before[prefix] ? `, in the file ${before[prefix].value}` : ", never in the file"),
      "removes it",
    ),
  ];
}

/** Wider entries that are left: the address is blocked by them all the same. */
function stillCovered(label: string, after: ListedMap, removed: ReadonlySet<CanonicalPrefix>): string[] {
  if (removed.size === 0) return [];
  const index = PrefixIndex.of([...after.keys()].map((prefix) => Prefix.parse(prefix)));
  return [...removed].flatMap((prefix) => {
    const by = [...index.covering(Prefix.parse(prefix))].filter((wider) => wider.toString() !== prefix);
    const named = by.map((wider) => `${wider} (value ${after.get(wider.toString())})`);
    return named.length === 0 ? [] : [`${label}: ${prefix} is still covered by ${some(named)}.`];
  });
}

/** A limit that is broken already, and by the change no more than before, does not stop it. */
function requireContent(
  label: string,
  observed: ListedMap,
  { put, remove }: Pick<Wanted, "put" | "remove">,
  limits: ContentLimits,
): void {
  const before = [...observed.keys()];
  const after = [...new Set([...before.filter((prefix) => !remove.has(prefix)), ...put.keys()])];
  const grows = after.length > before.length;
  const judged = { required: limits.required, maxEntries: grows ? limits.maxEntries : undefined };
  const earlier = new Set(contentProblems(before, { required: limits.required }));
  const problems = contentProblems(after, judged).filter((problem) => !earlier.has(problem));
  if (problems.length > 0) throw new Error(`Set ${label}: nothing was sent. ${problems.join(" ")}`);
}
