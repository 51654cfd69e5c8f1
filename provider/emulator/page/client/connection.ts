import type { FaultCatalogue, JournalLine, Overview } from "../answers";
import { ApiError, call, query, send } from "./api";
import { current, update } from "./store";

/** Journal lines that the page keeps, and that it asks for at first. */
const KEPT = 5_000;
const FIRST = 2_000;
/** Milliseconds: between questions to the emulator; after the last journal line; before the next try. */
const POLL = 1_000;
const AFTER_EVENT = 150;
const RETRY = 1_000;

/** Follows the emulator for as long as the page is open. */
export function start(): void {
  void follow();
  setInterval(() => {
    if (document.visibilityState === "visible" && current().connection === "live") void refresh();
  }, POLL);
}

let running: Promise<void> | undefined;
let again = false;

/** Asks the emulator now. While it does, further calls make it ask once more afterwards. */
export function refresh(): Promise<void> {
  if (running) {
    again = true;
    return running;
  }
  running = ask().finally(() => {
    running = undefined;
    if (again) {
      again = false;
      void refresh();
    }
  });
  return running;
}

async function ask(): Promise<void> {
  const newest = current().journal.at(-1)?.index ?? -1;
  try {
    const overview = await call<Overview>("GET", "/page/overview");
    // Lines that came after the question are newer than its answer.
    const first = overview.journal.first ?? newest + 1;
    const before = current().overview?.started;
    const again = before !== undefined && before !== overview.started;
    update({
      overview,
      journal: current().journal.filter(({ index }) => index >= first),
      ...(again && { restarted: new Date(overview.started) }),
    });
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) update({ connection: "locked" });
  }
}

async function follow(): Promise<void> {
  for (;;) {
    try {
      await readEvents("/events", () => void opened(), arrived);
      gone();
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) update({ connection: "locked" });
      else gone();
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY));
  }
}

function gone(): void {
  const { connection, lost } = current();
  update({ connection: "lost", lost: connection === "lost" && lost ? lost : new Date() });
}

async function opened(): Promise<void> {
  // After a restart of the emulator nothing of before holds.
  update({ journal: [] });
  const [lines, catalogue] = await Promise.all([
    call<JournalLine[]>("GET", query("/page/journal", { limit: FIRST })),
    call<FaultCatalogue>("GET", "/page/fault-kinds"),
  ]);
  update({ catalogue });
  add(lines);
  await refresh();
  update({ connection: "live" });
}

let waiting: JournalLine[] = [];

/** Hundreds of lines may come in a second: they are shown together. */
function arrived(data: string): void {
  if (waiting.length === 0) setTimeout(showWaiting, AFTER_EVENT);
  waiting.push(shorten(JSON.parse(data)));
}

function showWaiting(): void {
  const lines = waiting;
  waiting = [];
  add(lines);
  void refresh();
}

function add(lines: readonly JournalLine[]): void {
  const byIndex = new Map([...current().journal, ...lines].map((line) => [line.index, line]));
  const journal = [...byIndex.values()].sort((a, b) => a.index - b.index).slice(-KEPT);
  update({ journal });
}

/** Events carry whole commits; the journal shows their numbers. */
function shorten(
  entry: JournalLine & { commit?: Record<string, unknown>; headers?: unknown; answerHeaders?: unknown },
): JournalLine {
  const { headers: _, answerHeaders: __, commit, ...line } = entry;
  if (!commit) return line;
  const count = (part: unknown) => (typeof part === "object" && part ? Object.keys(part).length : 0);
  const { inserted, removed, changed, size } = commit as Record<string, unknown>;
  return {
    ...line,
    commit: { inserted: count(inserted), removed: count(removed), changed: count(changed), size: Number(size) },
  };
}

/**
 * Reads server-sent events until they end. `EventSource` cannot send the token.
 *
 * @param opened is called once events come; `each` with the data of every one.
 */
async function readEvents(path: string, opened: () => void, each: (data: string) => void): Promise<void> {
  const { body } = await send("GET", path);
  if (!body) return;
  opened();
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const blocks = (rest + part.value).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = block.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []));
      if (data.length > 0) each(data.join("\n"));
    }
  }
}
