import { type AuditRecord, failedWrite } from "../../apply/audit-log";
import { type SetResult, SetWriteFailure } from "../../apply/set-operation";
import { SetWriter } from "../../apply/set-writer";
import { SharedReads } from "../../apply/shared-reads";
import { DEFAULTS, formatUrl, RequestError } from "../../client";
import { type Clock, systemClock } from "../../client/clock";
import { type ListedValue, sentPlace } from "../../model/entry";
import { messageOf } from "../../model/errors";
import { type CanonicalPrefix, Prefix } from "../../model/prefix";
import { PrefixIndex } from "../../model/prefix-index";
import type { ListedMap, PrefixMap } from "../../model/prefix-map";
import { count, some } from "../../model/text";
import type { PrefixEntries } from "../../prefixes";
import type { Edited } from "../../prefixes/edit/edit-file";
import { isExpired } from "../../reconcile/entries";
import { type ContentLimits, contentLimits, contentProblems, valueProblems } from "../../reconcile/limits/content";
import { RemovalBudget } from "../../reconcile/limits/removals";
import type { CliIo } from "../cli-io";
import { audit } from "../project";
import type { NowTarget, Workplace } from "./common";
import { stopReason } from "./deadline";
import { forgetGone, type Memory, rememberSent, sentTo } from "./sent";

/** The prefix file, which records what is put into sets, and the time of the whole command. */
type Sending = Pick<Workplace, "editor" | "deadline">;

/** Changes of some prefixes that a command makes. */
export interface Intent {
  readonly names: readonly CanonicalPrefix[];
  /** Entries of the file before the command's edit and after it, also while it is not yet made. */
  known(): Edited;
  /** Makes the edit, once for all targets, before anything is sent. */
  write(): Promise<Edited>;
  /** True: also changes and removes entries of another writer. */
  readonly isForced: boolean;
  /** True: removed entries have expired, and count for no limit. */
  readonly isExpired?: boolean;
  /** For the audit log. */
  readonly reason?: string;
  /** Takes a warning about the set, which is not named in it. */
  notice(sentence: string): void;
}

/** Entries to put into a set and to remove from it. */
interface Wanted {
  readonly put: PrefixMap;
  readonly remove: ReadonlySet<CanonicalPrefix>;
  /** Former entries of the file: an equal entry of the node belongs to the file, any other to another writer. */
  readonly before: PrefixEntries;
  /** Entries that this command itself has put there. */
  readonly own: ReadonlyMap<CanonicalPrefix, ReadonlySet<ListedValue>>;
  readonly isForced: boolean;
}

/** Final state of a set. */
interface SentNow {
  /** A sentence. */
  readonly done: string;
  /** Number of changed entries. */
  readonly changed: number;
  /** Sentences about entries of another writer, and entries that still cover an address. */
  readonly problems: readonly string[];
}

/** A target that was not finished. */
export class NotSent extends Error {
  override readonly name = "NotSent";

  constructor(
    message: string,
    /** `"not sent"`: nothing was changed. `"unknown"`: entries may be staged or applied. */
    readonly outcome: "not sent" | "unknown",
    /** True if the same command may succeed later. */
    readonly isPassing: boolean,
    cause: unknown,
  ) {
    super(message, { cause });
  }
}

/** Further lists of a set while other commands edit the file, and milliseconds before each. */
const LOOKS_AGAIN = 15;
const LOOK_AGAIN_MS = 300;

/** Entries to put by the file; those that have expired, or are not in it, are to be removed. */
function wantedOf(
  names: readonly CanonicalPrefix[],
  after: PrefixEntries,
  now: number,
): Pick<Wanted, "put" | "remove"> {
  const put = new Map<CanonicalPrefix, number>();
  for (const prefix of names) {
    const entry = after[prefix];
    if (entry && !isExpired(entry.expires, now)) put.set(prefix, entry.value);
  }
  return { put, remove: new Set(names.filter((prefix) => !put.has(prefix))) };
}

/**
 * Brings the prefixes of a set to the state of the file: one list, the edit of the file, the missing or different entries, one
 * commit, and a list that shows them. Existing entries are not sent, but committed: a killed command may have staged them.
 * Entries of another writer stay. The file is not locked meanwhile: if another command changes it, the set follows, so that the
 * last command leaves both equal.
 *
 * @throws {NotSent} with the node and the remedy
 */
export async function sendNow(
  target: NowTarget,
  { editor, deadline }: Sending,
  intent: Intent,
  io: CliIo,
): Promise<SentNow> {
  const { client, url, node, project } = target;
  const name = formatUrl(url);
  const time = (io.now ?? Date.now)();
  const memory: Memory = { file: editor, endpoint: client.endpoint, url: name, now: time };
  const place = sentPlace(client.endpoint, name);
  const label = `${name} on ${node === undefined ? client.endpoint : `${node} (${client.endpoint})`}`;
  const set = client.set(url);
  const { stop } = deadline;
  const machine = io.clock ?? systemClock;
  const clock: Clock = { ...machine, sleep: (ms) => machine.sleep(ms, stop) };
  const own = new Map<CanonicalPrefix, Set<ListedValue>>();
  const { isForced } = intent;
  const atStart = intent.known().before;
  let before: PrefixEntries = atStart;
  let looks = LOOKS_AGAIN;
  let wanted: Wanted = { ...wantedOf(intent.names, intent.known().after, time), before, own, isForced };
  let isBegun = false;
  const foreign = (observed: ListedMap) => foreignEntries(observed, { ...wanted, before }, place);
  const writer = new SetWriter({
    set,
    label,
    deadlineMs: Math.min(DEFAULTS.deadlineMs, deadline.ms),
    commitCoalesceMs: 0,
    clock,
    get desired() {
      return wanted.put;
    },
    notices: { warn: (message) => intent.notice(message.replace(`Set ${label}: `, "")) },
    reads: new SharedReads(() => set.observe()),
    removals: new RemovalBudget(() => project.settings, name, label),
    begin: async (observed) => {
      ({ before } = await intent.write());
      stop.throwIfAborted();
      const { put } = without(wanted, foreign(observed));
      await rememberSent(memory, put, observed);
      stop.throwIfAborted();
      isBegun = true;
      for (const [prefix, value] of put) addTo(own, prefix, value);
    },
  });
  const record = (ended: Pick<AuditRecord, "prefixes" | "outcome">) =>
    audit(project, { node: client.endpoint, set: name, ...ended, reason: intent.reason }, io);
  const submit = async (): Promise<SetResult> => {
    try {
      return await writer.submit({
        plan: (observed) => {
          const { put, remove } = without(wanted, foreign(observed));
          requireContent(label, observed, { put, remove }, contentLimits({}, project.settings));
          const [tooLarge] = valueProblems(put, observed, client.maxValue);
          if (tooLarge !== undefined) throw new Error(`Set ${label}: nothing was sent. ${tooLarge}`);
          const shown = new Set([...put.keys(), ...remove]);
          // A killed command may have sent it, and the node may not show it yet.
          const isOpen = (prefix: CanonicalPrefix) => sentTo(before[prefix])[place] !== undefined;
          const unsettled = new Set([...remove].filter((prefix) => !observed.has(prefix) && isOpen(prefix)));
          return { put, remove, listed: shown, unsettled, ...(intent.isExpired && { expired: remove }) };
        },
      });
    } catch (error) {
      if (isBegun) record(failedWrite(error));
      throw notSent(error, { label, stop, isBegun });
    }
  };
  const changed = new Set<CanonicalPrefix>();
  for (;;) {
    const written = await submit();
    // If there was nothing to send, the edit is not made yet.
    ({ before } = await intent.write());
    if (written.changes.size > 0) record({ prefixes: Object.fromEntries(written.changes), outcome: "applied" });
    for (const prefix of written.changes.keys()) changed.add(prefix);
    const after = await editor.read().catch(() => intent.known().after);
    const next = { ...wanted, ...wantedOf(intent.names, after, time) };
    const isSame = sameMap(next.put, wanted.put);
    const left = foreign(written.before);
    // By the entries that this command's edit found, some may belong to the file after all.
    const isLeft = left.size === foreignEntries(written.before, wanted, place).size;
    wanted = { ...next, before };
    if (!(isSame && isLeft) && !stop.aborted) continue;
    // Entries of the node may be those of other commands that are editing the file.
    const areOthersAtWork = !sameValues(atStart, before) || !sameValues(intent.known().after, after);
    if (left.size > 0 && areOthersAtWork && looks > 0 && !stop.aborted) {
      looks -= 1;
      await clock.sleep(LOOK_AGAIN_MS);
      continue;
    }
    await forgetGone(memory, written.after, io);
    const same = wanted.put.size + wanted.remove.size - left.size - changed.size;
    const there = same > 0 ? `, ${count(same, "entry", "entries")} needed no change` : "";
    return {
      changed: changed.size,
      done: `${label}: ${count(changed.size, "entry", "entries")} changed and committed${there}.`,
      problems: [...foreignSentences(label, left, wanted), ...stillCovered(label, written.after, wanted.remove)],
    };
  }
}

function addTo(map: Map<CanonicalPrefix, Set<ListedValue>>, prefix: CanonicalPrefix, value: ListedValue): void {
  const values = map.get(prefix) ?? new Set();
  map.set(prefix, values.add(value));
}

/** Compares values alone. */
function sameValues(a: PrefixEntries, b: PrefixEntries): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name]?.value === b[name]?.value);
}

function sameMap(a: PrefixMap, b: PrefixMap): boolean {
  return a.size === b.size && [...a].every(([prefix, value]) => b.get(prefix) === value);
}

function notSent(
  error: unknown,
  { label, stop, isBegun }: { label: string; stop: AbortSignal; isBegun: boolean },
): NotSent {
  const outcome = error instanceof SetWriteFailure || (isBegun && stop.aborted) ? "unknown" : "not sent";
  const failed = requestErrorOf(error);
  if (stop.aborted) return new NotSent(`${label}: ${stopReason(stop)}.`, outcome, true, error);
  const isPassing = failed !== undefined && failed.outcome !== "refused";
  return new NotSent(messageOf(error), outcome, isPassing, error);
}

function requestErrorOf(error: unknown): RequestError | undefined {
  for (let one = error; one instanceof Error; one = one.cause) if (one instanceof RequestError) return one;
  return undefined;
}

/** Entries of the node under these prefixes that are neither the file's nor an earlier command's. */
function foreignEntries(observed: ListedMap, { put, remove, before, own, isForced }: Wanted, place: string): ListedMap {
  const isOurs = (prefix: CanonicalPrefix, held: ListedValue) =>
    own.get(prefix)?.has(held) === true ||
    [put.get(prefix), before[prefix]?.value, sentTo(before[prefix])[place]].includes(held as number);
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

/** Wider entries that still cover a removed prefix. */
function stillCovered(label: string, after: ListedMap, removed: ReadonlySet<CanonicalPrefix>): string[] {
  if (removed.size === 0) return [];
  const index = PrefixIndex.of([...after.keys()].map((prefix) => Prefix.parse(prefix)));
  return [...removed].flatMap((prefix) => {
    const by = [...index.covering(Prefix.parse(prefix))].filter((wider) => wider.toString() !== prefix);
    const named = by.map((wider) => `${wider} (value ${after.get(wider.toString())})`);
    return named.length === 0 ? [] : [`${label}: ${prefix} is still covered by ${some(named)}.`];
  });
}

/** Refuses a change that breaks a limit, or breaks it further. */
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
