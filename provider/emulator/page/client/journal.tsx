import { useState } from "preact/hooks";
import type { JournalDetails, JournalLine, Overview } from "../answers";
import { act, useAnswer } from "./ask";
import { Check, FindField, SelectField } from "./fields";
import { choice } from "./route";
import { Changes, Scroll } from "./table";
import { bytes, hasWords, listed, number, plural } from "./texts";
import { Badge, Button, Panel } from "./ui";

const STEP = 100;
const APIS = [
  ["", "all"],
  ["node", "node"],
  ["signaling", "signaling"],
  ["test", "test"],
  ["other", "other"],
] as const;

/**
 * Requests to the emulator, the newest first, as they arrive.
 *
 * @param live False while the emulator does not answer: lines that were read stay.
 * @param alone The journal is the view, not beside one.
 */
export function Journal(props: { lines: readonly JournalLine[]; overview: Overview; live: boolean; alone: boolean }) {
  const { lines, overview, live, alone } = props;
  const [filter, setFilter] = choice("journal.find");
  const [api, setApi] = choice("journal.api");
  const [only, setOnly] = choice("journal.only");
  const onlyTrouble = only === "trouble";
  const [limit, setLimit] = useState(STEP);
  const [paused, pause] = useState<readonly JournalLine[]>();
  const seen = paused ?? lines;
  const found = seen.filter(
    (line) => (!api || line.api === api) && (!onlyTrouble || isTrouble(line)) && holds(line, filter),
  );
  const shown = found.slice(-limit).reverse();
  const waiting = paused ? lines.filter(({ index }) => index > (paused.at(-1)?.index ?? -1)).length : 0;
  const total = overview.journal.entries;
  return (
    <Panel
      as="aside"
      aria-label="Journal"
      role={alone ? "region" : undefined}
      title="Journal"
      hint={total > 0 && plural(total, "request")}
      actions={
        <>
          <Button
            text={paused ? `Go on${waiting > 0 ? ` (${number(waiting)} new)` : ""}` : "Pause"}
            on={paused !== undefined}
            aria-pressed={paused !== undefined}
            onClick={() => pause(paused ? undefined : lines)}
          />
          <Button
            text="Empty"
            disabled={!live}
            onClick={() => void act("The journal is empty.", "DELETE", "/journal")}
          />
        </>
      }
    >
      <div class="row tight">
        <FindField value={filter} onChange={setFilter} placeholder="url, command, client, status" />
        <SelectField label="API" value={api} options={APIS} onChange={setApi} />
        <Check label="Only errors and faults" checked={onlyTrouble} onChange={(on) => setOnly(on ? "trouble" : "")} />
      </div>
      <p class="shown" role="status">
        {found.length < seen.length && `${number(found.length)} of ${number(seen.length)} match. `}
        {shown.length < found.length && `Newest ${number(shown.length)} shown.`}
      </p>
      <ol class="lines" reversed>
        {shown.map((line, at) => (
          <JournalRow
            key={line.index}
            line={line}
            live={live}
            run={shown[at - 1]?.run === line.run ? undefined : overview.runs.find(({ run }) => run === line.run)?.text}
          />
        ))}
      </ol>
      {shown.length < found.length && (
        <Button
          text={`Show ${number(Math.min(STEP, found.length - shown.length))} older`}
          onClick={() => setLimit(limit + STEP)}
        />
      )}
      {lines.length === 0 && <p class="hint">Nothing was asked yet.</p>}
    </Panel>
  );
}

const isTrouble = ({ status, fault }: JournalLine) => fault !== undefined || status === undefined || status >= 400;

function holds({ cmd, op, url, client, type, status, fault, api, path }: JournalLine, filter: string): boolean {
  if (filter.trim() === "") return true;
  return hasWords([api, cmd, op, url, client, type, status, fault, path].join(" "), filter);
}

/** Bytes of an answer that the emulator keeps. */
const KEPT = 2_048;

/** A request; opened, all that is known of it. The first of a run that is shown tells of that. */
function JournalRow({ line, run, live }: { line: JournalLine; run: string | undefined; live: boolean }) {
  const [open, setOpen] = useState(false);
  const { cmd, op, url, client, type, entries, status, answerBytes, fault, commit, method, path } = line;
  const outcome = status === undefined ? "no answer" : String(status);
  const bad = status === undefined || status >= 400;
  return (
    <li class={bad || fault ? "trouble" : undefined}>
      {run !== undefined && <p class="run">{run}</p>}
      <button type="button" class="line" aria-expanded={open} disabled={!live && !open} onClick={() => setOpen(!open)}>
        <span class="first">
          <time>{line.time.slice(11, 23)}</time>
          <span class={`verb ${cmd ?? op ?? ""}`}>{cmd ?? op ?? method}</span>
          {entries !== undefined && <span class="entries">{plural(entries, "entry", "entries")}</span>}
          {fault && <Badge tone="warn">{fault}</Badge>}
          <span class="rest">
            {answerBytes !== undefined && <small>{bytes(answerBytes)}</small>}
            <strong class={bad ? "bad" : "good"}>{outcome}</strong>
          </span>
        </span>
        <code>{[url ?? (client ? `${line.api} ${client}` : path), type].filter(Boolean).join(" ")}</code>
        {line.reason !== undefined && <span class="reason">{line.reason}</span>}
        {commit && (
          <span class="applied">
            {commit.inserted + commit.removed + commit.changed === 0 ? "nothing changed" : "applied "}
            <Changes of={commit} words={["+", "−", "~"]} between=" " />,{" "}
            {commit.size === 0 ? "empty" : number(commit.size)} after
          </span>
        )}
      </button>
      {open && <Details index={line.index} version={line.commit === undefined} />}
    </li>
  );
}

function Details({ index, version }: { index: number; version: boolean }) {
  const { answer: entry, problem } = useAnswer<JournalDetails>(`/page/journal/${index}`, version);
  if (problem) return <p class="problem">{problem}</p>;
  if (!entry) return <p class="hint">…</p>;
  const { answer, answerHeaders, status, answerBytes, durationMs, ...request } = entry;
  const facts = listed(
    status === undefined ? "no answer" : `answer ${status}`,
    answerBytes !== undefined && bytes(answerBytes),
    durationMs !== undefined && `${durationMs} ms`,
  );
  return (
    <>
      <Scroll label="Request">
        <pre>{JSON.stringify(request, null, 1)}</pre>
      </Scroll>
      <p class="hint">{facts}</p>
      {answer !== undefined && (
        <Scroll label="Answer">
          <samp>
            {Object.entries(answerHeaders ?? {}).map(([name, value]) => `${name}: ${value}\n`)}
            {"\n"}
            {readable(answer)}
            {(answerBytes ?? 0) > KEPT && "\n…"}
          </samp>
        </Scroll>
      )}
    </>
  );
}

/** JSON with one member a line; what is not JSON, and what was cut, as it is. */
function readable(answer: string): string {
  try {
    return JSON.stringify(JSON.parse(answer), null, 1);
  } catch {
    return answer;
  }
}
