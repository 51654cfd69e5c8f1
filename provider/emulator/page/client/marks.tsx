import { useState } from "preact/hooks";
import { query } from "./api";
import { Chart, lineColour } from "./chart";
import type { Series } from "./mark-history";
import { markHistory } from "./store";
import type { MarkType, MarkView, Overview, Profile } from "./types";
import { Panel, SelectField, Shown, useAnswer } from "./ui";
import { duration, markKey, number, ruleOfMark, shortUrl } from "./words";

const LINES = 8;
const STEP = 100;
const TYPES: readonly (readonly [MarkType, string])[] = [
  ["shost", "shost: by source"],
  ["dhost", "dhost: by destination"],
  ["sdhost", "sdhost: by pair"],
  ["conn", "conn: by connection"],
];

/** Marks by type and rule over time, and the records with the largest values. */
export function MarksView({ overview, subject }: { overview: Overview; subject?: string }) {
  const profiles = overview.arenas.flatMap((arena) => arena.profiles);
  const [chosen, choose] = useState(subject ?? "");
  const series = markHistory.largest(LINES, chosen || undefined);
  const total = profiles.flatMap(({ marks }) => marks).reduce((sum, { active }) => sum + active, 0);
  return (
    <>
      <Panel
        title="Marks by type and rule"
        hint={`${number(total)} live in all profiles`}
        actions={
          <SelectField
            label="Profile"
            value={chosen}
            options={[["", "all profiles"], ...profiles.map(({ url }) => [url, shortUrl(url)] as const)]}
            onChange={choose}
          />
        }
      >
        <Chart
          times={markHistory.times}
          series={series}
          label="Marks over the last five minutes; the table below has the numbers of now."
        />
        <Legend series={series} profiles={profiles} />
      </Panel>
      <Records key={chosen} profiles={profiles} preferred={profiles.find(({ url }) => url === chosen)} />
    </>
  );
}

function Legend({ series, profiles }: { series: readonly Series[]; profiles: readonly Profile[] }) {
  if (series.length === 0) return <p class="hint">No marks yet. Rules make them of packets: see Packets.</p>;
  return (
    <div class="scroll">
      <table>
        <caption class="unseen">Marks by profile, type and rule, now</caption>
        <thead>
          <tr>
            <th scope="col">Rule</th>
            <th scope="col">Type</th>
            <th scope="col">Profile</th>
            <th scope="col" class="num">
              Live records
            </th>
          </tr>
        </thead>
        <tbody>
          {series.map(({ key, profile, type, id, values }, index) => (
            <tr key={key}>
              <th scope="row">
                <Swatch index={index} /> {id}{" "}
                {ruleOfMark(
                  profiles.find(({ url }) => url === profile),
                  id,
                )}
              </th>
              <td>
                <code>{type}</code>
              </td>
              <td>
                <code>{shortUrl(profile)}</code>
              </td>
              <td class="num">{number(values.at(-1) ?? 0)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const Swatch = ({ index }: { index: number }) => (
  <span class="swatch" style={{ background: `var(${lineColour(index)})` }} />
);

/** The profile and type with most records are what one wants to see first. */
function fullest(profiles: readonly Profile[]): { url: string; type: MarkType } {
  const tables = profiles.flatMap(({ url, marks }) => marks.map(({ type, active }) => ({ url, type, active })));
  return tables.sort((a, b) => b.active - a.active)[0] ?? { url: "", type: "shost" };
}

function Records({ profiles, preferred }: { profiles: readonly Profile[]; preferred?: Profile }) {
  const [{ url, type }, choose] = useState(() => fullest(preferred ? [preferred] : profiles));
  const [id, setId] = useState("");
  const [limit, setLimit] = useState(STEP);
  const profile = profiles.find((it) => it.url === url);
  const ids = profile?.marks.find((it) => it.type === type)?.ids ?? [];
  const wanted = ids.some((it) => String(it.id) === id) ? id : "";
  const path = query("/page/marks", { url, type, id: wanted || undefined, limit });
  // Values change with every packet: once a second, as the overview comes.
  const { answer, problem } = useAnswer<MarkView>(profile && path, markHistory.times.at(-1));
  const of = wanted ? (ids.find((it) => String(it.id) === wanted)?.records ?? 0) : (answer?.active ?? 0);
  return (
    <Panel title="Largest values">
      <div class="row">
        <SelectField
          label="Profile"
          value={url}
          options={profiles.map((it) => [it.url, shortUrl(it.url)] as const)}
          onChange={(value) => choose({ url: value, type })}
        />
        <SelectField label="Type" value={type} options={TYPES} onChange={(value) => choose({ url, type: value })} />
        <SelectField
          label="Rule"
          value={wanted}
          options={[
            ["", "all"],
            ...ids.map((it) => [String(it.id), `${it.id} ${ruleOfMark(profile, it.id) ?? ""}`] as const),
          ]}
          onChange={setId}
        />
      </div>
      {problem && <p class="problem">{problem}</p>}
      {answer && <RecordTable view={answer} profile={profile} />}
      {answer && (
        <Shown
          shown={answer.records.length}
          of={Math.max(of, answer.records.length)}
          what={["record", "records"]}
          also={answer.expired > 0 ? `, and ${number(answer.expired)} expired that are still kept` : ""}
          step={STEP}
          onMore={() => setLimit(Math.min(1_000, limit + STEP))}
        />
      )}
    </Panel>
  );
}

function RecordTable({ view, profile }: { view: MarkView; profile?: Profile }) {
  if (view.records.length === 0) return <p class="hint">No live records.</p>;
  return (
    <div class="scroll tall">
      <table>
        <caption class="unseen">Mark records with the largest values</caption>
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">Rule</th>
            <th scope="col" class="num">
              Value
            </th>
            <th scope="col" class="num">
              Age
            </th>
            <th scope="col" class="num">
              Lifetime left
            </th>
          </tr>
        </thead>
        <tbody>
          {view.records.map((record) => (
            <tr key={`${markKey(record)} ${record.id}`}>
              <th scope="row">
                <code>{markKey(record)}</code>
              </th>
              <td>
                {record.id} {ruleOfMark(profile, record.id)}
              </td>
              <td class="num">{number(record.value ?? 1)}</td>
              <td class="num">{duration(record.age ?? 0)}</td>
              <td class="num">{record.lifetime === undefined ? "no end" : duration(record.lifetime)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
