import type { NodeOptions, ReceiverOptions } from "../client/options";
import { readAbsent } from "../client/reading";
import { systemWorld, type World } from "../client/world";
import { messageOf } from "../model/errors";
import { MARK_TYPES } from "../model/mark";
import type { Prefix } from "../model/prefix";
import { formatUrl, type ResourceUrl } from "../model/resource-url";
import type { Answer } from "./asking/answer";
import { Bench } from "./asking/bench";
import { cleanUp, doubtAfter } from "./asking/clean-up";
import { Ending } from "./asking/ending";
import { readListed, whyUnread } from "./asking/listing";
import { readerOf } from "./asking/needed";
import { Receiver } from "./asking/receiver";
import { Targets } from "./asking/targets";
import { WorkSet } from "./asking/work-set";
import type { LeftBehind } from "./finding";
import { begin, hiding, NO_NODE, withoutSecrets } from "./probe";
import { LIMITS } from "./timing";
import type { Note } from "./undo";

/** The one prefix that is inserted and removed. */
const TRIED = "203.0.113.0/24";

/** What to look at, and with which settings. */
export interface CheckOptions {
  /** The node with the settings that are to hold. Needed for {@link urls}. */
  readonly node?: NodeOptions;
  readonly urls: readonly ResourceUrl[];
  /** Inserts a documentation prefix into the first named set and removes it; what it holds stays. */
  readonly write: boolean;
  /** Starts and stops a prefix of the user's own that is not active. */
  readonly receiver?: { readonly options: ReceiverOptions; readonly prefix: Prefix };
  readonly note?: (note: Note) => void;
  readonly signal?: AbortSignal;
  readonly world?: Partial<World>;
}

/** One thing that was looked at. */
interface Held {
  /** `list of prefixset://edge/blocked`. */
  readonly what: string;
  readonly held: boolean;
  /** What was seen, or why it does not hold. */
  readonly seen: string;
}

/** What a check came to. */
export interface CheckResult {
  readonly rows: readonly Held[];
  /** Why it ended before all was looked at; absent where it did not. */
  readonly stopped?: string;
  /** What could not be taken back. */
  readonly left: readonly LeftBehind[];
}

/**
 * Looks whether settings hold at a node and a receiver: reads all lists, changes one entry and one signaling where that is
 * allowed, and takes both back. Learns nothing: what these settings do not read does not hold.
 *
 * @throws {OptionsError} for wrong options. A node that fails is a row that does not hold.
 */
export async function check(options: CheckOptions): Promise<CheckResult> {
  const { node = NO_NODE, urls, write, receiver, note, signal, world = {} } = options;
  const ending = new Ending({ ...systemWorld, ...world }, LIMITS.wholeMs, signal);
  const bench = new Bench(new Targets(urls), node, LIMITS, world, ending, note);
  const [set] = bench.targets.sets;
  if (write && set) bench.work = new WorkSet(set, bench, true);
  if (receiver) bench.receiver = new Receiver(receiver.options, receiver.prefix, world, ending, note);
  begin(bench);
  const rows: Held[] = [];
  let doubtMs = 0;
  let stopped: string | undefined;
  const look = async (what: string, see: () => Promise<string>) => {
    if (stopped !== undefined) return;
    try {
      rows.push({ what, held: true, seen: await see() });
    } catch (error) {
      doubtMs = Math.max(doubtMs, doubtAfter(error, node));
      stopped = ending.reason;
      if (stopped === undefined) rows.push({ what, held: false, seen: messageOf(error) });
    }
  };
  try {
    for (const { url, table, what } of listsOf(bench.targets)) {
      await look(what, async () => `${(await read(bench, url, table)).length} read`);
    }
    const { work } = bench;
    if (work) await look(`insert and delete in ${formatUrl(work.url)}`, () => change(bench, work));
    if (bench.receiver) {
      const own = bench.receiver;
      await look(`start and stop of ${own.prefix}`, () => startAndStop(own));
    }
    const left = await cleanUp(bench, doubtMs);
    return withoutSecrets({ rows, ...(stopped !== undefined && { stopped }), left }, hiding(node, receiver?.options));
  } finally {
    await bench.close();
  }
}

/** All lists that the named urls have. */
function listsOf({ sets, arenas, profiles, marks }: Targets) {
  const plain = [...sets, ...arenas, ...profiles].map((url) => ({
    url,
    table: undefined,
    what: `list of ${formatUrl(url)}`,
  }));
  const tables = marks.flatMap((url) =>
    MARK_TYPES.map((table) => ({ url, table, what: `list of ${formatUrl(url)} ${table}` })),
  );
  return [...plain, ...tables];
}

/** @throws {Error} where the list is refused or not read. */
async function read(bench: Bench, url: ResourceUrl, table?: (typeof MARK_TYPES)[number]): Promise<readonly unknown[]> {
  const more = url.kind === "mark" && table ? { table, headers: bench.userArena(url) } : {};
  const answer = await bench.list(url, more);
  const { answers = {} } = bench.node;
  const absent = url.kind === "prefixset" ? readAbsent(answer.http, answers.absent) : undefined;
  const reading = absent ?? readListed<unknown>(answer, url, readerOf(url, table), answers);
  if (reading.kind === "done") return reading.value;
  throw new Error(whyUnread(reading));
}

/** Inserts the prefix, and removes it again. @throws {Error} where a list does not show it in time. */
async function change(bench: Bench, work: WorkSet): Promise<string> {
  const { commitDelayMs = 0, answers = {} } = bench.node;
  bench.learned.absentIsEmpty = answers.absent !== undefined;
  await read(bench, work.url);
  work.keep(await work.list());
  bench.learned.measuredDelay = commitDelayMs;
  const isThere = (list: Answer) => work.read(list).some(({ prefix }) => prefix.toString() === TRIED);
  const sent = async (answer: Answer, shown: (list: Answer) => boolean) => {
    if (answer.isRefusal) throw new Error(answer.evidence);
    const committed = await work.committed(shown);
    if (committed.commit.isRefusal) throw new Error(committed.commit.evidence);
    if (!committed.shown) throw new Error(`the list does not show it: ${committed.list.quote}`);
    return committed.ms;
  };
  const insertedMs = await sent(await work.insert([[TRIED, 1]]), isThere);
  const removedMs = await sent(await work.delete([TRIED]), (list) => !isThere(list));
  const ms = Math.round(Math.max(insertedMs, removedMs));
  if (ms > commitDelayMs + LATE) throw new Error(`a commit took ${ms} ms to show: set commitDelayMs`);
  return `${TRIED} was listed, and is gone`;
}

/** A commit that shows as much later than the settings say does not hold to them. */
const LATE = 1_000;

/** @throws {Error} where an answer does not say so, or the status does not show it in time. */
async function startAndStop(receiver: Receiver): Promise<string> {
  const own = receiver.prefix.toString();
  if ((await receiver.active()).includes(own)) throw new Error("it is active already, and stays so");
  const { answers } = receiver;
  const start = await receiver.start([own]);
  if (!receiver.isStarted(start)) throw new Error(`its answer is not read as a success: ${start.quote}`);
  const { answer, shown } = await receiver.shows(own);
  if (!shown || receiver.answers !== answers) throw new Error(`the status does not show it: ${answer.quote}`);
  await receiver.clear();
  return "the status showed it, and does not any more";
}
