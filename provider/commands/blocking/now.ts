import type { SetResult } from "../../batch/set-operation";
import { SetWriter } from "../../batch/set-writer";
import { SharedReads } from "../../batch/shared-reads";
import { DEFAULTS, formatUrl, type NodeClient, type PrefixSetUrl } from "../../client";
import { systemClock } from "../../client/clock";
import { messageOf } from "../../model/errors";
import type { CanonicalPrefix } from "../../model/prefix";
import type { ListedMap, PrefixMap } from "../../model/prefix-map";
import { count } from "../../model/text";
import { type AuditRecord, failedWrite } from "../../resources/audit-log";
import { type ContentLimits, contentLimits, contentProblems, valueProblems } from "../../resources/limits/content";
import { RemovalBudget } from "../../resources/limits/removals";
import type { CliIo } from "../cli-io";
import { audit, type Project } from "../project";
import { forgetGone, type Memory, rememberSent } from "./sent";

/** What is to be there at once, and what is to be gone. */
export interface Wanted {
  readonly put: PrefixMap;
  readonly remove: ReadonlySet<CanonicalPrefix>;
  /** Why, for the audit log. */
  readonly reason?: string;
}

/** The set that is changed, and the project whose limits and audit log hold. */
export interface SetNow {
  readonly client: NodeClient;
  readonly url: PrefixSetUrl;
  readonly project: Project;
  /** The prefix file, which remembers what is put into the set. */
  readonly file: string;
}

/**
 * Makes a set of a node hold what the file says of these prefixes: one list, what is missing or different, one commit, and
 * a list that shows it. What is there already is not sent, and committed all the same: a command that was killed may have
 * staged it.
 *
 * @returns a sentence that says what was done
 * @throws {Error} with the node and what to do; the file stays as it was written
 */
export async function sendNow({ client, url, project, file }: SetNow, wanted: Wanted, io: CliIo): Promise<string> {
  const name = formatUrl(url);
  const memory: Memory = { file, endpoint: client.endpoint, url: name, now: (io.now ?? Date.now)() };
  const label = `${name} on ${client.endpoint}`;
  const set = client.set(url);
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
      before: (observed) => rememberSent(memory, wanted.put, observed),
      spare: async () => new Set(),
      after: async () => {},
    },
  });
  const record = (ended: Pick<AuditRecord, "prefixes" | "outcome">) =>
    audit(project, { node: client.endpoint, set: name, ...ended, reason: wanted.reason }, io);
  const touched = new Set([...wanted.put.keys(), ...wanted.remove]);
  let written: SetResult;
  try {
    written = await writer.submit({
      plan: (observed) => {
        requireContent(label, observed, wanted, contentLimits({}, project.settings));
        const [tooLarge] = valueProblems(wanted.put, observed, client.maxValue);
        if (tooLarge !== undefined) throw new Error(`Set ${label}: nothing was sent. ${tooLarge}`);
        return { ...wanted, shown: touched };
      },
    });
  } catch (error) {
    record(failedWrite(error));
    throw new Error(
      `${messageOf(error)} The file is written; the node ${client.endpoint} may not have ${label.split(" ")[0]} so yet: run the same command again, or "pulumi up".`,
      { cause: error },
    );
  }
  const { changes, after } = written;
  if (changes.size > 0) record({ prefixes: Object.fromEntries(changes), outcome: "applied" });
  await forgetGone(memory, after);
  const before = touched.size - changes.size;
  const there = before > 0 ? `, ${count(before, "was", "were")} so before` : "";
  return `${label}: ${count(changes.size, "entry", "entries")} changed and committed${there}.`;
}

/** A limit that is broken already, and by the change no more than before, does not stop it. */
function requireContent(label: string, observed: ListedMap, { put, remove }: Wanted, limits: ContentLimits): void {
  const before = [...observed.keys()];
  const after = [...new Set([...before.filter((prefix) => !remove.has(prefix)), ...put.keys()])];
  const grows = after.length > before.length;
  const judged = { required: limits.required, maxEntries: grows ? limits.maxEntries : undefined };
  const known = new Set(contentProblems(before, { required: limits.required }));
  const problems = contentProblems(after, judged).filter((problem) => !known.has(problem));
  if (problems.length > 0) throw new Error(`Set ${label}: nothing was sent. ${problems.join(" ")}`);
}
