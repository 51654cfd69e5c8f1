import { useState } from "preact/hooks";
import type { JournalLine } from "./types";
import { Badge, useAnswer } from "./ui";
import { bytes, number, plural } from "./words";

/** A request; opened, all that is known of it. */
export function JournalRow({ line }: { line: JournalLine }) {
  const [open, setOpen] = useState(false);
  const { cmd, op, url, client, type, entries, status, answerBytes, fault, commit, method, path } = line;
  const outcome = status === undefined ? "no answer" : String(status);
  const bad = status === undefined || status >= 400;
  return (
    <li class={bad || fault ? "trouble" : undefined}>
      <button type="button" class="line" aria-expanded={open} onClick={() => setOpen(!open)}>
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
        {commit && (
          <span class="applied">
            applied <span class="plus">+{number(commit.inserted)}</span>{" "}
            <span class="minus">−{number(commit.removed)}</span> <span class="tilde">~{number(commit.changed)}</span>,{" "}
            {number(commit.size)} after
          </span>
        )}
      </button>
      {open && <Details index={line.index} version={line.commit === undefined} />}
    </li>
  );
}

function Details({ index, version }: { index: number; version: boolean }) {
  const { answer, problem } = useAnswer<object>(`/page/journal/${index}`, version);
  if (problem) return <p class="problem">{problem}</p>;
  if (!answer) return <p class="hint">…</p>;
  return <pre>{JSON.stringify(answer, null, 1)}</pre>;
}
