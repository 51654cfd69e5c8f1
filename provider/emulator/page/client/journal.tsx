import type { TargetedEvent } from "preact";
import { useState } from "preact/hooks";
import type { JournalLine, Overview } from "../answers";
import { act } from "./ask";
import { Details } from "./details";
import { FindField, SelectField } from "./fields";
import { isBad, OPERATION_OPTIONS, OUTCOME_OPTIONS, objectOptions, passes } from "./requests";
import { choose, journalChoices, link, type RequestFilter, requestFilter } from "./route";
import { Changes } from "./table";
import { bytes, number, plural } from "./texts";
import { Badge, Button, Panel } from "./ui";

const STEP = 100;

/**
 * Requests to the emulator, the newest first, as they arrive.
 *
 * @param live False while the emulator does not answer: lines that were read stay.
 * @param alone The journal is the view, not beside one.
 */
export function Journal(props: { lines: readonly JournalLine[]; overview: Overview; live: boolean; alone: boolean }) {
  const { lines, overview, live, alone } = props;
  const filter = requestFilter();
  const [limit, setLimit] = useState(STEP);
  const [paused, pause] = useState<readonly JournalLine[]>();
  const current = paused ?? lines;
  const found = current.filter((line) => passes(line, filter));
  const shown = found.slice(-limit).reverse();
  const waiting = paused ? lines.filter(({ index }) => index > (paused.at(-1)?.index ?? -1)).length : 0;
  const total = overview.journal.entries;
  const isFiltered = Object.values(filter).some((value) => value !== "");
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
            text={paused ? `Continue${waiting > 0 ? ` (${number(waiting)} new)` : ""}` : "Pause"}
            on={paused !== undefined}
            aria-pressed={paused !== undefined}
            onClick={() => pause(paused ? undefined : lines)}
          />
          <Button
            text="Clear"
            disabled={!live}
            onClick={() => void act("The journal is cleared.", "DELETE", "/journal")}
          />
        </>
      }
    >
      <Filters filter={filter} lines={current} runs={overview.runs} />
      <p class="shown" role="status">
        {isFiltered && `${number(found.length)} of ${number(current.length)} match. `}
        {shown.length < found.length && `Newest ${number(shown.length)} shown.`}
        {isFiltered && <Button text="Show all" onClick={showAll} />}
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
      {lines.length === 0 && (
        <p class="hint">
          No requests yet. Clients reach the node API at <code>{overview.endpoint}</code>:{" "}
          <a href={link("help")}>a first request</a>.
        </p>
      )}
    </Panel>
  );
}

/** Clears the filter. Its button goes, and the focus moves to the search. */
function showAll({ currentTarget }: TargetedEvent<HTMLButtonElement>): void {
  currentTarget.closest("aside")?.querySelector("input")?.focus();
  choose(journalChoices({}));
}

function Filters(props: { filter: RequestFilter; lines: readonly JournalLine[]; runs: Overview["runs"] }) {
  const { filter, lines, runs } = props;
  const field = (name: keyof RequestFilter) => ({
    value: filter[name] ?? "",
    onChange: (value: string) => choose(journalChoices({ ...filter, [name]: value })),
  });
  const known = runs.toReversed().map(({ run, text }) => [String(run), text] as const);
  const isGone = filter.run && !known.some(([run]) => run === filter.run);
  const runOptions = [
    ["", "all runs"] as const,
    ...known,
    ...(isGone ? [[filter.run ?? "", `run ${filter.run}`] as const] : []),
  ];
  return (
    <>
      <FindField what="a request" {...field("find")} placeholder="url, command, client, status, reason" />
      <div class="filters">
        <SelectField bare label="Outcome" {...field("outcome")} options={OUTCOME_OPTIONS} />
        <SelectField bare label="Operation" {...field("operation")} options={OPERATION_OPTIONS} />
        <SelectField bare label="Object" {...field("object")} options={objectOptions(lines, filter.object)} />
        <SelectField bare label="Run" {...field("run")} options={runOptions} />
      </div>
    </>
  );
}

/** A request; opened, all that is known of it. The first of a run that is shown tells of that. */
function JournalRow({ line, run, live }: { line: JournalLine; run: string | undefined; live: boolean }) {
  const [open, setOpen] = useState(false);
  const { cmd, op, url, client, type, entries, status, answerBytes, fault, commit, method, path } = line;
  const outcome = status === undefined ? "no answer" : String(status);
  const bad = isBad(line);
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
