import { useEffect } from "preact/hooks";
import type { Action, Profile, SetSummary } from "../answers";
import { Choice } from "./fields";
import { link } from "./route";
import type { Seen } from "./store";
import { Table } from "./table";
import { actionText, bytes, listed, number, plural, whenText } from "./texts";
import { Badge, Name, Panel, Unknown } from "./ui";

/** Arenas with their global sets, and profiles with rules and bound prefixes; a list leads to each profile. */
export function NodeView({ overview: { arenas }, subject }: Seen) {
  const profiles = arenas.flatMap((arena) => arena.profiles);
  const isThere = profiles.some(({ url }) => url === subject);
  useEffect(() => {
    if (isThere && subject !== undefined) document.getElementById(subject)?.scrollIntoView({ block: "start" });
  }, [isThere, subject]);
  if (arenas.length === 0) return <p class="empty">This node has no arenas.</p>;
  return (
    <>
      {subject !== undefined && !isThere && (
        <Unknown>
          This node has no profile <code>{subject}</code>.
        </Unknown>
      )}
      <div class={profiles.length > 1 ? "split" : undefined}>
        {profiles.length > 1 && (
          <Choice view="node" label="Profiles" items={profiles.map(profileItem)} chosen={subject} />
        )}
        <div class="arenas">
          {arenas.map(({ name, sets, profiles: own }) => (
            <div key={name} class="arena">
              <Panel
                title={<code>arena://{name}</code>}
                hint={listed(
                  own.length > 0 && plural(own.length, "profile"),
                  sets.length > 0 && plural(sets.length, "global set"),
                )}
              >
                <SetChips sets={sets} />
              </Panel>
              {own.map((profile) => (
                <ProfilePanel key={profile.url} profile={profile} />
              ))}
            </div>
          ))}
        </div>
      </div>
    </>
  );
}

const profileItem = ({ url, rules, bound }: Profile) => ({
  url,
  hint: listed(
    rules.length > 0 && plural(rules.length, "rule"),
    bound.length > 0 && plural(bound.length, "prefix", "prefixes"),
  ),
});

function ProfilePanel({ profile }: { profile: Profile }) {
  const marks = profile.marks.filter(({ active }) => active > 0);
  return (
    <Panel id={profile.url} title={<code>{profile.url}</code>}>
      <dl class="facts">
        <dt>Bound prefixes</dt>
        <dd>
          {profile.bound.map(({ prefix, signaling }) => (
            <span key={prefix} class={signaling ? "chip moved" : "chip"}>
              <code>{prefix}</code>
              {signaling && <small>by signaling</small>}
            </span>
          ))}
          {profile.bound.length === 0 && <span class="hint">none</span>}
        </dd>
        {profile.sets.length > 0 && (
          <>
            <dt>Local sets</dt>
            <dd>
              <SetChips sets={profile.sets} />
            </dd>
          </>
        )}
        {marks.length > 0 && (
          <>
            <dt>Marks</dt>
            <dd>
              {marks.map(({ type, active }) => (
                <a key={type} class="chip" href={link("marks", profile.url)}>
                  <code>{type}</code> <strong>{number(active)}</strong>
                </a>
              ))}
            </dd>
          </>
        )}
      </dl>
      {profile.rules.length === 0 ? (
        <p class="hint">No rules: every packet is accepted.</p>
      ) : (
        <Rules profile={profile} />
      )}
    </Panel>
  );
}

function Rules({ profile: { url, rules } }: { profile: Profile }) {
  return (
    <Table
      caption={`Rules of ${url}, in order`}
      kind="rules"
      items={rules}
      keyOf={(item) => item.rule.id ?? `at ${rules.indexOf(item)}`}
      columns={[
        ["Id", ({ rule }) => rule.id ?? "–", "num"],
        ["Rule", ({ rule }) => rule.name ?? ""],
        ["When", ({ rule }) => whenText(rule)],
        ["Does", ({ rule }) => rule.actions?.map((action) => <ActionBadge key={actionText(action)} action={action} />)],
        ["Counted", counted, "num"],
      ]}
    />
  );
}

function ActionBadge({ action }: { action: Action }) {
  return <Badge tone={action === "drop" ? "bad" : action === "accept" ? "good" : "plain"}>{actionText(action)}</Badge>;
}

function counted({ counter }: Profile["rules"][number]) {
  return counter ? <span title={bytes(counter.bytes)}>{plural(counter.packets, "packet")}</span> : "–";
}

function SetChips({ sets }: { sets: readonly SetSummary[] }) {
  if (sets.length === 0) return <p class="hint">No sets.</p>;
  return (
    <div class="chips">
      {sets.map(({ name, url, applied, changes }) => (
        <a key={url} class="chip" href={link("sets", url)}>
          <Name>{name}</Name> <strong>{number(applied)}</strong>
          {changes > 0 && <Badge tone="warn">{number(changes)} staged</Badge>}
        </a>
      ))}
    </div>
  );
}
