import { useState } from "preact/hooks";
import type { JournalLine, Overview } from "../schemas";
import { call } from "./api";
import { act } from "./ask";
import { Check, SelectField, TextField } from "./fields";
import { JournalRow } from "./journal-row";
import { choose, usePlace } from "./route";
import { number, plural } from "./texts";
import { Button } from "./ui";

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
        <TextField
          label="Find"
          type="search"
          value={filter}
          onChange={(text) => choose({ "journal.find": text })}
          placeholder="url, command, client, status"
          grow
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
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const text = [api, cmd, op, url, client, type, status, fault, path].join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}
