import type { FaultCatalogue, JournalEntry, JournalLine, Overview } from "../answers";
import { call, query, send } from "./api";
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

let asked = Promise.resolve();
let isWaiting = false;

/** Asks the emulator as soon as it has answered the question before. Calls until then wait for the same answer. */
export function refresh(): Promise<void> {
  if (isWaiting) return asked;
  isWaiting = true;
  asked = asked.then(() => {
    isWaiting = false;
    return ask();
  });
  return asked;
}

async function ask(): Promise<void> {
  const newest = current().journal.at(-1)?.index ?? -1;
  try {
    const overview = await call<Overview>("GET", "/page/overview");
    // Lines that came after the question are newer than its answer.
    const first = overview.journal.first ?? newest + 1;
    const before = current().overview?.started;
    update({
      overview,
      journal: current().journal.filter(({ index }) => index >= first),
      ...(before !== undefined && before !== overview.started && { restarted: new Date(overview.started) }),
    });
  } catch (error) {
    if (isLocked(error)) update({ connection: "locked" });
  }
}

const isLocked = (error: unknown) => error instanceof Error && error.cause === 401;

async function follow(): Promise<void> {
  for (;;) {
    const error = await readEvents().catch((error: unknown) => error);
    const { connection, lost } = current();
    if (isLocked(error)) update({ connection: "locked" });
    else update({ connection: "lost", lost: connection === "lost" && lost ? lost : new Date() });
    await new Promise((resolve) => setTimeout(resolve, RETRY));
  }
}

/** Reads server-sent events until they end. `EventSource` cannot send the token. */
async function readEvents(): Promise<void> {
  const { body } = await send("GET", "/events");
  if (!body) return;
  void opened();
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (rest + part.value).split("\n");
    rest = lines.pop() ?? "";
    // The emulator writes the data of an event in one line.
    for (const line of lines) if (line.startsWith("data: ")) arrived(JSON.parse(line.slice(6)));
  }
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

/** An event is a line of the journal with its headers and its whole commit. */
type Event = Omit<JournalLine, "commit"> & Pick<JournalEntry, "headers" | "answerHeaders" | "commit">;

const count = (part: object) => Object.keys(part).length;

/** Hundreds of lines may come in a second: they are shown together. */
function arrived({ headers: _, answerHeaders: __, commit, ...line }: Event): void {
  if (waiting.length === 0) setTimeout(showWaiting, AFTER_EVENT);
  const counts = commit && {
    inserted: count(commit.inserted),
    removed: count(commit.removed),
    changed: count(commit.changed),
    size: commit.size,
  };
  waiting.push({ ...line, ...(counts && { commit: counts }) });
}

function showWaiting(): void {
  add(waiting);
  waiting = [];
  void refresh();
}

function add(lines: readonly JournalLine[]): void {
  const byIndex = new Map([...current().journal, ...lines].map((line) => [line.index, line]));
  update({ journal: [...byIndex.values()].sort((a, b) => a.index - b.index).slice(-KEPT) });
}
