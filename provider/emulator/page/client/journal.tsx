import { useState } from "preact/hooks";
import type { JournalDetails, JournalLine, Overview } from "../answers";
import { call } from "./api";
import { act, useAnswer } from "./ask";
import { Check, FindField, SelectField } from "./fields";
import { choose, usePlace } from "./route";
import { Parts, Scroll } from "./table";
import { bytes, hasWords, number, plural } from "./texts";
import { Badge, Button } from "./ui";

const STEP = 100;
const APIS = [
  ["", "all"],
  ["node", "node"],
  ["signaling", "signaling"],
  ["test", "test"],
  ["other", "other"],
] as const;

interface JournalProps {
  lines: readonly JournalLine[];
  total: number;
  runs: Overview["runs"];
  /** False while the emulator does not answer: what was read stays to be read. */
  live: boolean;
  /** The journal is the view, not beside one. */
  alone: boolean;
}

/** What the emulator was asked, the newest first, as it happens. */
export function Journal({ lines, total, runs, live, alone }: JournalProps) {
  const { choices } = usePlace();
  const filter = choices["journal.find"] ?? "";
  const api = APIS.find(([name]) => name === choices["journal.api"])?.[0] ?? "";
  const onlyTrouble = choices["journal.only"] === "trouble";
  const [limit, setLimit] = useState(STEP);
  const [paused, pause] = useState<readonly JournalLine[]>();
  const seen = paused ?? lines;
  const found = seen.filter(
    (line) => (!api || line.api === api) && (!onlyTrouble || isTrouble(line)) && holds(line, filter),
  );
  const shown = found.slice(-limit).reverse();
  const waiting = paused ? lines.filter(({ index }) => index > (paused.at(-1)?.index ?? -1)).length : 0;
  return (
    <aside class="journal" aria-label="Journal" role={alone ? "region" : undefined}>
      <div class="panel-head">
        <h2>Journal</h2>
        {total > 0 && <p class="hint">{plural(total, "request")}</p>}
        <div class="panel-actions">
          <Button
            text={paused ? `Go on${waiting > 0 ? ` (${number(waiting)} new)` : ""}` : "Pause"}
            on={paused !== undefined}
            pressed={paused !== undefined}
            onClick={() => pause(paused ? undefined : lines)}
          />
          <Button
            text="Empty"
            disabled={!live}
            onClick={() => void act("The journal is empty.", () => call("DELETE", "/journal"))}
          />
        </div>
      </div>
      <div class="row tight">
        <FindField
          value={filter}
          onChange={(text) => choose({ "journal.find": text })}
          placeholder="url, command, client, status"
        />
        <SelectField label="API" value={api} options={APIS} onChange={(name) => choose({ "journal.api": name })} />
        <Check
          label="Only errors and faults"
          checked={onlyTrouble}
          onChange={(on) => choose({ "journal.only": on ? "trouble" : "" })}
        />
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
            run={shown[at - 1]?.run === line.run ? undefined : runs.find(({ run }) => run === line.run)?.text}
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
    </aside>
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
            <Parts
              parts={[
                ["plus", "+", commit.inserted],
                ["minus", "−", commit.removed],
                ["tilde", "~", commit.changed],
              ]}
              between=" "
            />
            , {commit.size === 0 ? "empty" : number(commit.size)} after
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
  const facts = [
    status === undefined ? "no answer" : `answer ${status}`,
    ...(answerBytes === undefined ? [] : [bytes(answerBytes)]),
    ...(durationMs === undefined ? [] : [`${durationMs} ms`]),
  ];
  return (
    <>
      <Scroll label="Request">
        <pre>{JSON.stringify(request, null, 1)}</pre>
      </Scroll>
      <p class="hint">{facts.join(", ")}</p>
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
