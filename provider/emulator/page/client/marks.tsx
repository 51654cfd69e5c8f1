import { useMemo, useState } from "preact/hooks";
import type { MarkChart, MarkLine, MarkType, MarkView, Overview, Profile } from "../answers";
import { query } from "./api";
import { useAnswer, useSettled } from "./ask";
import { Chart, Swatch } from "./chart";
import { FindField, SelectField } from "./fields";
import { choice, choose, go, link, readPlace } from "./route";
import type { ViewProps } from "./store";
import { Shown, Table } from "./table";
import { duration, listed, markKey, number, plural, ruleText, shortUrl } from "./texts";
import { Panel, ProfileLink, Requests, Unknown } from "./ui";

const STEP = 100;
const TYPES: readonly (readonly [MarkType, string])[] = [
  ["shost", "shost: by source"],
  ["dhost", "dhost: by destination"],
  ["sdhost", "sdhost: by pair"],
  ["conn", "conn: by connection"],
];

/** Marks by type and rule over time, and the records with the largest values. */
export function MarksView({ overview, subject = "" }: ViewProps) {
  const profiles = overview.arenas.flatMap((arena) => arena.profiles);
  const chosen = profiles.find(({ url }) => url === subject);
  // Whenever the emulator was asked; the last answer stays until the next is there.
  const { answer: chart } = useAnswer<MarkChart>(query("/page/mark-history", { profile: chosen?.url }), overview);
  const total = profiles.flatMap(({ marks }) => marks).reduce((sum, { active }) => sum + active, 0);
  return (
    <>
      {subject !== "" && !chosen && (
        <Unknown>
          This node has no profile <code>{subject}</code>. These are the marks of all profiles.
        </Unknown>
      )}
      <Panel
        title="Marks by type and rule"
        hint={total > 0 ? `${number(total)} live in all profiles` : undefined}
        actions={
          <SelectField
            label="Profile"
            value={chosen?.url ?? ""}
            options={[["", "all profiles"], ...profiles.map(({ url }) => [url, shortUrl(url)] as const)]}
            onChange={(url) => go("marks", url || undefined)}
          />
        }
      >
        {chart && <Chart times={chart.times} series={chart.lines} />}
        {chart && <Legend series={chart.lines} profiles={profiles} />}
      </Panel>
      <Records overview={overview} profiles={profiles} preferred={chosen} />
    </>
  );
}

function Legend({ series, profiles }: { series: readonly MarkLine[]; profiles: readonly Profile[] }) {
  if (series.length === 0)
    return (
      <p class="hint">
        No marks yet. Rules make them of packets: <a href={link("packets")}>send some</a>.
      </p>
    );
  const ruleOf = (line: MarkLine) => (
    <>
      <Swatch line={line} />{" "}
      {ruleText(
        profiles.find(({ url }) => url === line.profile),
        line.id,
      )}
    </>
  );
  return (
    <Table
      caption="Marks by profile, type and rule, now"
      items={series}
      keyOf={({ profile, type, id }) => `${profile} ${type} ${id}`}
      columns={[
        ["Rule", ruleOf, "row"],
        ["Type", ({ type }) => <code>{type}</code>],
        ["Profile", ({ profile }) => <ProfileLink url={profile} />],
        ["Live records", ({ values }) => number(values.at(-1) ?? 0), "num"],
      ]}
    />
  );
}

/** The profile and type with most records are what one wants to see first. */
function fullest(profiles: readonly Profile[]): { url: string; type: MarkType } {
  const tables = profiles.flatMap(({ url, marks }) => marks.map(({ type, active }) => ({ url, type, active })));
  return tables.sort((a, b) => b.active - a.active)[0] ?? { url: "", type: "shost" };
}

function Records(props: { overview: Overview; profiles: readonly Profile[]; preferred?: Profile }) {
  const { overview, profiles, preferred } = props;
  const { choices } = readPlace();
  const [limit, setLimit] = useState(STEP);
  // Looks for the fullest table once, not with every packet.
  const first = useMemo(() => fullest(preferred ? [preferred] : profiles), [preferred?.url]);
  const url = profiles.find((it) => it.url === choices.table)?.url ?? first.url;
  const type = TYPES.find(([each]) => each === choices.type)?.[0] ?? first.type;
  const profile = profiles.find((it) => it.url === url);
  const ids = profile?.marks.find((it) => it.type === type)?.ids ?? [];
  const rule = ids.find((it) => String(it.id) === choices.rule);
  const [find, setFind] = choice("find");
  const path = query("/page/marks", { url, type, id: rule?.id, filter: useSettled(find.trim()), limit });
  // Values change with every packet: once a second, as the overview comes.
  const { answer, problem } = useAnswer<MarkView>(profile && path, overview);
  return (
    <Panel
      title="Largest values"
      actions={profile && <Requests filter={{ object: url.replace(/^profile:/, "mark:"), find: type }} />}
    >
      <div class="row">
        <SelectField
          label="Profile"
          value={url}
          options={profiles.map((it) => [it.url, shortUrl(it.url)] as const)}
          onChange={(value) => choose({ table: value, type })}
        />
        <SelectField
          label="Type"
          value={type}
          options={TYPES}
          onChange={(value) => choose({ table: url, type: value })}
        />
        <SelectField
          label="Rule"
          value={String(rule?.id ?? "")}
          options={[["", "all"], ...ids.map(({ id }) => [String(id), ruleText(profile, id)] as const)]}
          onChange={(value) => choose({ table: url, type, rule: value })}
        />
        <FindField what="a record" value={find} onChange={setFind} placeholder="address or prefix" />
      </div>
      {problem && <p class="problem">{problem}</p>}
      {answer && answer.records.length > 0 && <RecordTable view={answer} profile={profile} />}
      {answer && <Room view={answer} />}
      {answer && find.trim() !== "" && <Matching view={answer} limit={limit} />}
      {answer && find.trim() === "" && (
        <Shown
          shown={answer.records.length}
          of={Math.max(rule ? rule.records : answer.active, answer.records.length)}
          what={["live record", "live records"]}
          also={answer.expired > 0 ? `, ${number(answer.expired)} expired and still kept` : ""}
          step={STEP}
          onMore={() => setLimit(Math.min(1_000, limit + STEP))}
        />
      )}
    </Panel>
  );
}

function Matching({ view: { isUnread, records }, limit }: { view: MarkView; limit: number }) {
  if (isUnread) return <p class="hint">Write an address or a prefix, such as 203.0.113.0/24.</p>;
  const { length } = records;
  return (
    <p class="shown" role="status">
      {length === 0
        ? "No record has such an address."
        : `${plural(length, "record")}${length === limit ? " or more" : ""}.`}
    </p>
  );
}

/** Capacity of the table, and the marks that it lost when full. */
function Room({ view: { capacity, evicted, refused } }: { view: MarkView }) {
  const lost = listed(
    evicted > 0 && `${plural(evicted, "live mark")} gave way to new ones`,
    refused > 0 && `${plural(refused, "new mark was", "new marks were")} refused`,
  );
  return (
    <p class="hint">
      Room for {number(capacity)} records of IPv4 and as many of IPv6.{" "}
      {lost && <strong class="warn">It was full: {lost}.</strong>}
    </p>
  );
}

function RecordTable({ view, profile }: { view: MarkView; profile?: Profile }) {
  return (
    <Table
      caption="Mark records with the largest values"
      tall
      items={view.records}
      keyOf={(record) => `${markKey(record)} ${record.id}`}
      columns={[
        ["Key", (record) => <code>{markKey(record)}</code>, "row"],
        ["Rule", ({ id }) => ruleText(profile, id)],
        ["Value", ({ value = 1 }) => number(value), "num"],
        ["Age", ({ age = 0 }) => duration(age), "num"],
        ["Lifetime left", ({ lifetime }) => (lifetime === undefined ? "no end" : duration(lifetime)), "num"],
      ]}
    />
  );
}
