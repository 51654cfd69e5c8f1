import { useState } from "preact/hooks";
import type { JournalDetails, JournalLine } from "../schemas";
import { useAnswer } from "./ask";
import { Scroll } from "./scroll";
import { Parts } from "./table";
import { bytes, number, plural } from "./texts";
import { Badge } from "./ui";

/** Bytes of an answer that the emulator keeps. */
const KEPT = 2_048;

/** A request; opened, all that is known of it. The first of a run that is shown tells of that. */
export function JournalRow({ line, run, live }: { line: JournalLine; run: string | undefined; live: boolean }) {
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
