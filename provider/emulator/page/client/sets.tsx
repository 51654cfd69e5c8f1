import { useState } from "preact/hooks";
import type { SetSummary, SetView } from "../answers";
import { query } from "./api";
import { act, useAnswer, useSettled } from "./ask";
import { Check, Choice, FindField, Form, TextField, useFields } from "./fields";
import { choice, link } from "./route";
import type { ViewProps } from "./store";
import { Changes, Shown, Table } from "./table";
import { listed, number, plural } from "./texts";
import { Panel, Requests, Unknown } from "./ui";

const STEP = 200;

/** Sets: applied and staged entries, and the changes by a commit. */
export function SetsView({ overview, subject: asked, journal }: ViewProps) {
  const sets = overview.arenas.flatMap((arena) => [...arena.sets, ...arena.profiles.flatMap((it) => it.sets)]);
  const chosen = asked === undefined ? sets[0] : sets.find(({ url }) => url === asked);
  const items = sets.map(({ url, applied, changes }) => ({
    url,
    hint:
      listed(applied > 0 && plural(applied, "entry", "entries"), changes > 0 && `${number(changes)} staged`) || "empty",
  }));
  if (sets.length === 0)
    return (
      <p class="empty">
        This node has no prefix-sets. Start the emulator with a state that has some: <a href={link("help")}>Help</a>.
      </p>
    );
  const version = `${chosen?.revision} ${chosen?.changes} ${journal.at(-1)?.index}`;
  return (
    <div class="split">
      <Choice view="sets" label="Prefix-sets" what="a prefix-set" items={items} chosen={chosen?.url} />
      {chosen ? (
        <SetPanel key={chosen.url} set={chosen} version={version} />
      ) : (
        <Unknown>
          This node has no prefix-set <code>{asked}</code>. Choose one that it has.
        </Unknown>
      )}
    </div>
  );
}

function SetPanel({ set, version }: { set: SetSummary; version: string }) {
  const [filter, setFilter] = choice("find");
  const [only, setOnly] = choice("only");
  const onlyChanges = only === "changes";
  const [limit, setLimit] = useState(STEP);
  const path = query("/page/prefix-set", {
    url: set.url,
    filter: useSettled(filter),
    only: onlyChanges ? "changes" : undefined,
    limit,
  });
  const { answer, problem } = useAnswer<SetView>(path, version);
  return (
    <Panel title={<code>{set.url}</code>} actions={<Requests filter={{ object: set.url }} />}>
      {answer && <CommitSummary view={answer} />}
      <div class="row">
        <FindField what="an entry" value={filter} onChange={setFilter} placeholder="address, prefix or part of it" />
        <Check
          label="Only what a commit would change"
          checked={onlyChanges}
          onChange={(on) => setOnly(on ? "changes" : "")}
        />
      </div>
      {problem && <p class="problem">{problem}</p>}
      {answer && answer.rows.length > 0 && <Rows url={set.url} rows={answer.rows} />}
      {answer && (
        <Shown
          shown={answer.rows.length}
          of={answer.matching}
          what={["entry", "entries"]}
          step={STEP}
          onMore={() => setLimit(limit + STEP)}
        />
      )}
      <AtTheConsole url={set.url} />
    </Panel>
  );
}

function CommitSummary({ view }: { view: SetView }) {
  const { inserted, removed, changed, applied, staged } = view;
  const isPending = inserted + removed + changed > 0;
  return (
    <div class="sides">
      <p>
        <span>Applied</span> <strong>{number(applied)}</strong>
      </p>
      <p class={isPending ? "pending" : ""}>
        <span>A commit would</span>
        <strong>
          {isPending || "change nothing"}
          <Changes of={view} words={["add ", "remove ", "change "]} between=", " />
        </strong>
      </p>
      <p>
        <span>Staged</span> <strong>{number(staged)}</strong>
      </p>
    </div>
  );
}

function Rows({ url, rows }: { url: string; rows: SetView["rows"] }) {
  return (
    <Table
      caption={`Entries of ${url}, applied and staged`}
      kind="entries"
      tall
      items={rows}
      keyOf={({ prefix }) => prefix}
      tone={(row) => change(row)[0]}
      columns={[
        ["Prefix", ({ prefix }) => <code>{prefix}</code>, "row"],
        ["Applied", ({ applied }) => applied ?? "–", "num"],
        ["Staged", ({ staged }) => staged ?? "–", "num"],
        ["A commit would", (row) => change(row)[1]],
      ]}
    />
  );
}

function change({ applied, staged }: SetView["rows"][number]): [kind: string, effect: string] {
  if (applied === null) return ["plus", "+ add"];
  if (staged === null) return ["minus", "− remove"];
  return applied === staged ? ["same", ""] : ["tilde", "~ change"];
}

/** Changes behind the clients' backs: how drift is made. */
function AtTheConsole({ url }: { url: string }) {
  const { values, field } = useFields({ prefix: "", value: "1" });
  const given = values.prefix.trim();
  const change = (done: string, changes: object) => void act(done, "POST", "/prefix-set/change", { url, ...changes });
  const apply = () => given && change(`${given} is applied.`, { insert: { [given]: Number(values.value) } });
  return (
    <details class="console">
      <summary>Change entries directly at the node: drift for clients to find</summary>
      <Form onSubmit={apply}>
        <TextField label="Prefix" {...field("prefix")} grow required />
        <TextField label="Value" type="number" {...field("value")} required />
        <button type="submit">Apply</button>
        <button
          type="button"
          disabled={!given}
          onClick={() => change(`${given} is not applied any more.`, { delete: [given] })}
        >
          Remove
        </button>
      </Form>
    </details>
  );
}
