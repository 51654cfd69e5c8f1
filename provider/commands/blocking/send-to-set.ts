import type { SetPlan, SetResult } from "../../apply/set-operation";
import { SetWriter } from "../../apply/set-writer";
import { SharedReads } from "../../apply/shared-reads";
import { DEFAULTS, formatUrl } from "../../client";
import { type Clock, systemClock } from "../../client/clock";
import { SentBefore } from "../../deployment/sent-before";
import { linesOf } from "../../messages/sentences";
import { type ListedValue, sentPlace } from "../../model/entry";
import type { CanonicalPrefix } from "../../model/prefix";
import type { ListedMap, PrefixMap } from "../../model/prefix-map";
import { count } from "../../model/text";
import type { PrefixEntries } from "../../prefixes";
import type { Edited } from "../../prefixes/edit/edit-file";
import { contentLimits, valueProblems } from "../../reconcile/limits/content";
import { RemovalBudget } from "../../reconcile/limits/removals";
import { type CliIo, timeOf } from "../cli-io";
import { audit } from "../project";
import type { NowTarget, Workplace } from "./common";
import { requireContent } from "./limits";
import {
  type DesiredChange,
  desiredChangeOf,
  foreignEntries,
  foreignSentences,
  stillCovered,
  without,
} from "./other-writers";
import { type Outcome, unfinished } from "./outcome";
import { forgetGone, type Memory, rememberSent, sentTo } from "./sent";
import { nameOf } from "./watching";

/** The prefix file, which records what is put into sets, the time of the whole command, and notes of staged removals. */
type Sending = Pick<Workplace, "editor" | "deadline" | "sent">;

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

/** Further lists of a set while other commands edit the file, and milliseconds before each. */
const LOOKS_AGAIN = 15;
const LOOK_AGAIN_MS = 300;

/**
 * Brings the prefixes of a set to the state of the file: one list, the edit of the file, the missing or different entries, one
 * commit, and a list that shows them. Existing entries are not sent, but committed: a killed command may have staged them.
 * Entries of another writer stay. The file is not locked meanwhile: if another command changes it, the set follows, so that the
 * last command leaves both equal.
 */
export function sendNow(target: NowTarget, sending: Sending, intent: Intent, io: CliIo): Promise<Outcome> {
  return new SetSending(target, sending, intent, io).run();
}

/** The work of a command at one set. */
class SetSending {
  private readonly label: string;
  /** The set in the memory of the file. */
  private readonly place: string;
  private readonly time: number;
  private readonly memory: Memory;
  private readonly clock: Clock;
  private readonly writer: SetWriter;
  private readonly own = new Map<CanonicalPrefix, Set<ListedValue>>();
  private readonly changed = new Set<CanonicalPrefix>();
  /** Entries of the file before this command. */
  private readonly atStart: PrefixEntries;
  /** Entries of the file before its edit by this command, once that is made. */
  private before: PrefixEntries;
  private desired: DesiredChange;
  private looks = LOOKS_AGAIN;
  private isBegun = false;

  constructor(
    private readonly target: NowTarget,
    private readonly sending: Sending,
    private readonly intent: Intent,
    private readonly io: CliIo,
  ) {
    const { client, url, node, project } = target;
    const { before, after } = intent.known();
    const name = formatUrl(url);
    this.time = timeOf(io);
    const { isForced } = intent;
    this.memory = { file: sending.editor, endpoint: client.endpoint, url: name, now: this.time, isForced };
    this.place = sentPlace(client.endpoint, name);
    this.label = `${name} on ${node === undefined ? client.endpoint : `${nameOf(target)} (${client.endpoint})`}`;
    this.atStart = before;
    this.before = before;
    this.desired = {
      ...desiredChangeOf(intent.names, after, this.time),
      before,
      own: this.own,
      isForced,
    };
    const machine = io.clock ?? systemClock;
    this.clock = { ...machine, sleep: (ms) => machine.sleep(ms, this.stop) };
    const set = client.set(url);
    const toInsert = () => this.desired.put;
    this.writer = new SetWriter({
      set,
      label: this.label,
      at: this.label.slice(name.length + " on ".length),
      deadlineMs: Math.min(DEFAULTS.deadlineMs, sending.deadline.ms),
      commitCoalesceMs: 0,
      clock: this.clock,
      get desired() {
        return toInsert();
      },
      notices: {
        report: (event) => {
          for (const line of linesOf([event])) intent.notice(line.replace(`warning: Set ${this.label}: `, ""));
        },
      },
      reads: new SharedReads(() => set.observe()),
      leftovers: new Set(),
      removals: new RemovalBudget(() => project.settings, name, this.label),
      leftStaged: new SentBefore(sending.sent, this.place),
      begin: (observed) => this.begin(observed),
      audit: (ended) => {
        const written = this.isBegun ? ended() : undefined;
        if (written) audit(project, { node: client.endpoint, set: name, ...written }, io);
      },
    });
  }

  /** Follows the file until both agree. */
  async run(): Promise<Outcome> {
    const { reason } = this.intent;
    try {
      this.stop.throwIfAborted();
      for (;;) {
        const written = await this.writer.submit({ plan: (observed) => this.plan(observed), reason });
        // If there was nothing to send, the edit is not made yet.
        ({ before: this.before } = await this.intent.write());
        for (const prefix of written.changes.keys()) this.changed.add(prefix);
        if (await this.isToFollow(written.before)) continue;
        await forgetGone(this.memory, written.after, this.io);
        return this.ended(written);
      }
    } catch (error) {
      const { isBegun, changed, label } = this;
      const ended = unfinished(this.target, error, this.stop, { isBegun, changed: changed.size });
      return changed.size === 0 ? ended : { ...ended, done: `${label}: ${this.what}.` };
    }
  }

  private get stop(): AbortSignal {
    return this.sending.deadline.stop;
  }

  /** Makes the edit of the file, and notes what is about to be sent. */
  private async begin(observed: ListedMap): Promise<void> {
    ({ before: this.before } = await this.intent.write());
    this.stop.throwIfAborted();
    const { put } = without(this.desired, this.foreign(observed));
    await rememberSent(this.memory, put, observed);
    this.stop.throwIfAborted();
    this.isBegun = true;
    for (const [prefix, value] of put) addTo(this.own, prefix, value);
  }

  /** @throws {Error} if a limit forbids it */
  private plan(observed: ListedMap): SetPlan {
    const { client, project } = this.target;
    const { put, remove } = without(this.desired, this.foreign(observed));
    requireContent(this.label, observed, { put, remove }, contentLimits({}, project.settings));
    const [tooLarge] = valueProblems(put, observed, client.maxValue);
    if (tooLarge !== undefined) throw new Error(`Set ${this.label}: nothing was sent. ${tooLarge}`);
    const listed = new Set([...put.keys(), ...remove]);
    // A killed command may have sent it, and the node may not show it yet.
    const isOpen = (prefix: CanonicalPrefix) => sentTo(this.before[prefix])[this.place] !== undefined;
    const unsettled = new Set([...remove].filter((prefix) => !observed.has(prefix) && isOpen(prefix)));
    return { put, remove, listed, unsettled, ...(this.intent.isExpired && { uncounted: remove }) };
  }

  /** True if the file has changed meanwhile, or entries of the set may be those of a command that is editing it. */
  private async isToFollow(observed: ListedMap): Promise<boolean> {
    const { intent, place, desired, before } = this;
    const after = await this.sending.editor.read().catch(() => intent.known().after);
    const next = { ...desired, ...desiredChangeOf(intent.names, after, this.time) };
    const left = this.foreign(observed);
    // By the entries that this command's edit found, some may belong to the file after all.
    const isLeft = left.size === foreignEntries(observed, desired, place).size;
    const isSame = sameMap(next.put, desired.put);
    this.desired = { ...next, before };
    if (this.stop.aborted) return false;
    if (!(isSame && isLeft)) return true;
    const areOthersAtWork = !sameValues(this.atStart, before) || !sameValues(intent.known().after, after);
    if (left.size === 0 || !areOthersAtWork || this.looks === 0) return false;
    this.looks -= 1;
    await this.clock.sleep(LOOK_AGAIN_MS);
    return true;
  }

  private ended({ before: observed, after }: SetResult): Outcome {
    const { label, desired, changed } = this;
    const left = this.foreign(observed);
    const same = desired.put.size + desired.remove.size - left.size - changed.size;
    const there = same > 0 ? `, ${count(same, "entry", "entries")} needed no change` : "";
    const problems = [...foreignSentences(label, left, desired), ...stillCovered(label, after, desired.remove)];
    return {
      ...this.target,
      outcome: problems.length > 0 ? "not all" : "done",
      changed: changed.size,
      done: `${label}: ${this.what}${there}.`,
      problems,
      isPassing: false,
    };
  }

  private get what(): string {
    if (this.changed.size > 0) return `${count(this.changed.size, "entry", "entries")} changed and committed`;
    return this.isBegun ? "the list shows no change, and what was staged is committed" : "nothing changed";
  }

  private foreign(observed: ListedMap): ListedMap {
    return foreignEntries(observed, { ...this.desired, before: this.before }, this.place);
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
