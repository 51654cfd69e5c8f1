import { readAbsent } from "../client/answer-readers";
import { readDone } from "../client/signaling-client";
import { messageOf } from "../model/errors";
import { MARK_TYPES, type MarkType } from "../model/mark";
import { formatUrl, type ResourceUrl } from "../model/resource-url";
import type { Answer } from "./asking/answer";
import type { Bench } from "./asking/bench";
import { cleanUp, doubtAfter } from "./asking/clean-up";
import { elementsIn, mayLackTable, readListed, whyUnread } from "./asking/listing";
import type { Receiver } from "./asking/receiver";
import type { Targets } from "./asking/targets";
import type { WorkSet } from "./asking/work-set";
import type { LeftBehind } from "./finding";
import { TIMING } from "./timing";
import { type BenchOptions, withBench } from "./with-bench";

/** The one prefix that is inserted and removed. */
const TRIED = "203.0.113.0/24";

/** One check of the settings. */
interface Held {
  /** `list of prefixset://edge/blocked`. */
  readonly what: string;
  readonly held: boolean;
  /** Observation, or the reason of the failure. */
  readonly seen: string;
}

export interface CheckResult {
  readonly rows: readonly Held[];
  /** Reason of an early end. */
  readonly stopped?: string;
  /** Changes that could not be taken back. */
  readonly left: readonly LeftBehind[];
}

export interface CheckOptions extends Omit<BenchOptions, "keep" | "limits"> {
  /** Points that the probe could not find out. Their lists must be answered, and are not compared: they say nothing about the settings. */
  readonly unknown?: readonly string[];
  /** True if the node refuses to list marks of a type without a table. */
  readonly refusesTables?: boolean;
}

/** The points that decide about the lists of each kind of url. */
const POINTS_OF = {
  prefixset: ["set-list", "entries"],
  arena: ["profiles"],
  profile: ["rules"],
  mark: ["marks"],
} as const satisfies Record<ResourceUrl["kind"], readonly string[]>;

/**
 * Checks that settings hold at a node and a receiver: reads all lists, changes one entry and one signaling where that is
 * allowed, and takes both back. It learns nothing: an answer that these settings do not read is a failure.
 *
 * @throws {OptionsError} for wrong options. A node that fails is a row that does not hold.
 */
export function check({ unknown = [], refusesTables = false, ...options }: CheckOptions): Promise<CheckResult> {
  return withBench({ ...options, keep: true }, async (bench) => {
    const rows: Held[] = [];
    let doubtMs = 0;
    let stopped: string | undefined;
    const look = async (what: string, see: () => Promise<string>) => {
      if (stopped !== undefined) return;
      try {
        rows.push({ what, held: true, seen: await see() });
      } catch (error) {
        doubtMs = Math.max(doubtMs, doubtAfter(error, bench.node));
        stopped = bench.ending.reason;
        if (stopped === undefined) rows.push({ what, held: false, seen: messageOf(error) });
      }
    };
    const { work, receiver } = bench;
    for (const { url, table } of listsOf(bench.targets)) {
      const isKnown = POINTS_OF[url.kind].some((point) => !unknown.includes(point));
      const what = `list of ${formatUrl(url)}${table ? ` ${table}` : ""}`;
      await look(what, () => read(bench, { url, table, isKnown, mayRefuse: refusesTables }));
    }
    if (work) await look(`insert and delete in ${formatUrl(work.url)}`, () => change(bench, work));
    if (receiver) await look(`start and stop of ${receiver.prefix}`, () => startAndStop(receiver));
    const left = await cleanUp(bench, doubtMs);
    return { rows, ...(stopped !== undefined && { stopped }), left };
  });
}

function listsOf({ sets, arenas, profiles, marks }: Targets): { url: ResourceUrl; table?: MarkType }[] {
  const tables = marks.flatMap((url) => MARK_TYPES.map((table) => ({ url, table })));
  return [...[...sets, ...arenas, ...profiles].map((url) => ({ url })), ...tables];
}

interface Asked {
  readonly url: ResourceUrl;
  readonly table?: MarkType | undefined;
  /** False: an answer suffices, whatever its shape. */
  readonly isKnown?: boolean;
  /** True: a refused list of marks is as the node answers for a type without a table, if another table is listed. */
  readonly mayRefuse?: boolean;
}

/** Reads a list, and says in words what it shows. @throws {Error} if it is refused, or is known and cannot be read. */
async function read(bench: Bench, { url, table, isKnown = true, mayRefuse = false }: Asked): Promise<string> {
  const { answers = {} } = bench.node;
  const tables =
    url.kind === "mark" ? (await bench.tables()).filter((one) => formatUrl(one.url) === formatUrl(url)) : [];
  const answer = tables.find((one) => one.table === table)?.answer ?? (await bench.list(url));
  const listed = readListed<ResourceUrl>({ answer, url, table }, answers);
  const absent =
    url.kind === "prefixset" && listed.kind !== "done" ? readAbsent(answer.http, answers.absent) : undefined;
  const reading = absent ?? listed;
  // A code that may mean a success is no refusal where nothing is known.
  if (!isKnown && (!answer.isRefusal || answer.doubt !== undefined))
    return "answered, not compared: the probe could not find out how it is read";
  if (reading.kind === "done") return `${reading.value.length} read`;
  const isListed = tables.some((one) => elementsIn(one, answers) !== undefined);
  if (mayRefuse && isListed && reading.kind === "failed" && mayLackTable(answer))
    return "refused, as a type without a table";
  throw new Error(whyUnread(reading));
}

/** Inserts the prefix, and removes it again. @throws {Error} if a list does not show that in time. */
async function change(bench: Bench, work: WorkSet): Promise<string> {
  const { commitDelayMs = 0, answers = {} } = bench.node;
  bench.learned.absentIsEmpty = answers.absent !== undefined;
  await read(bench, { url: work.url });
  const before = await work.list();
  work.begin(before);
  work.keep(before);
  bench.learned.measuredDelay = commitDelayMs;
  const latest = Math.max(LATE, Math.round(TOLERANCE * commitDelayMs));
  const isThere = (list: Answer) => work.read(list).some(({ prefix }) => prefix.toString() === TRIED);
  const sent = async (answer: Answer, shown: (list: Answer) => boolean) => {
    if (answer.isRefusal) throw new Error(answer.evidence);
    // Lists come closer together towards the time at which it must show.
    const pause = (ms: number) => (ms < latest ? Math.max(TIMING.firstPause, (latest - ms) / 2) : TIMING.listPause);
    const committed = await work.committed(shown, { pause });
    if (committed.commit.isRefusal) throw new Error(committed.commit.evidence);
    if (!committed.shown) throw new Error(`the list does not show it: ${committed.list.quote}`);
    return committed.ms;
  };
  const insertedMs = await sent(await work.insert([[TRIED, 1]]), isThere);
  const removedMs = await sent(await work.delete([TRIED]), (list) => !isThere(list));
  const ms = Math.round(Math.max(insertedMs, removedMs));
  if (ms > latest)
    throw new Error(
      `a commit took ${ms} ms to show, more than ${latest}, and commitDelayMs is ${commitDelayMs}: set it`,
    );
  return `${TRIED} was listed, and is gone`;
}

/** Factor by which a commit may take longer than `commitDelayMs`. */
const TOLERANCE = 1.5;
/** Milliseconds that any commit may take: one of a quick node is slow at times. */
const LATE = 1_000;

/** @throws {Error} if an answer is not a success, or the status does not show the start in time. */
async function startAndStop(receiver: Receiver): Promise<string> {
  const own = receiver.prefix.toString();
  const idle = await receiver.status();
  const active = receiver.read(idle);
  if (active.kind !== "done") throw new Error(`the status is not read: ${whyUnread(active)}`);
  if (active.value.some((one) => one.overlaps(receiver.prefix)))
    throw new Error("it overlaps an active one, which stays so");
  receiver.begin(idle);
  const { answers } = receiver;
  const start = await receiver.start([own]);
  if (!receiver.isDone(start)) throw new Error(`its answer is not read as a success: ${start.quote}`);
  const { answer, shown } = await receiver.shows(own);
  if (!shown || receiver.answers !== answers) throw new Error(`the status does not show it: ${answer.quote}`);
  const stop = await receiver.clear();
  if (stop && readDone(stop.http, "stop", answers).kind !== "done")
    throw new Error(`the answer to its stop is not read as a success: ${stop.quote}`);
  return "the status showed it, and does not any more";
}
