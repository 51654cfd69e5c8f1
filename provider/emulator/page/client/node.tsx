import { useEffect } from "preact/hooks";
import type { Action, Binding, Profile, SetSummary } from "../answers";
import { query } from "./api";
import { useAnswer, useSettled } from "./ask";
import { Choice, FindField } from "./fields";
import { choice, link } from "./route";
import type { ViewProps } from "./store";
import { Table } from "./table";
import { actionText, bytes, hasWords, listed, number, plural, shortUrl, whenText } from "./texts";
import { Badge, Name, Panel, Requests, Unknown } from "./ui";

/** Arenas with their global sets, and profiles with rules and bound prefixes; a list leads to each profile. */
export function NodeView({ overview, subject }: ViewProps) {
  const { arenas } = overview;
  const profiles = arenas.flatMap((arena) => arena.profiles);
  const isThere = profiles.some(({ url }) => url === subject);
  const [words, setWords] = choice("find");
  const searched = useSettled(words.trim());
  const { answer: bound } = useAnswer<Binding>(
    searched ? query("/page/bound", { address: searched }) : undefined,
    overview,
  );
  const binding = searched ? bound : undefined;
  const found = profiles.filter((it) => it.url === binding?.profile || hasWords(profileText(it), words.trim()));
  useEffect(() => {
    if (isThere && subject !== undefined) document.getElementById(subject)?.scrollIntoView({ block: "start" });
  }, [isThere, subject]);
  if (arenas.length === 0)
    return (
      <p class="empty">
        This node has no arenas. Start the emulator with a state that has some: <a href={link("help")}>Help</a>.
      </p>
    );
  return (
    <>
      {subject !== undefined && !isThere && (
        <Unknown>
          This node has no profile <code>{subject}</code>.
        </Unknown>
      )}
      <div class={profiles.length > 1 ? "split" : undefined}>
        {profiles.length > 1 && (
          <Choice view="node" label="Profiles" what="a profile" items={profiles.map(profileItem)} chosen={subject} />
        )}
        <div class="arenas">
          {profiles.length > 0 && (
            <FindField
              what="a rule, a prefix, or the profile of an address"
              value={words}
              onChange={setWords}
              placeholder="203.0.113.9, or words of a rule or a set"
            />
          )}
          {searched !== "" && <Found binding={binding} address={searched} found={found.length} of={profiles.length} />}
          {arenas.map(({ name, sets, profiles: own }) => (
            <div key={name} class="arena">
              {words.trim() === "" && (
                <Panel
                  title={<code>arena://{name}</code>}
                  hint={listed(
                    own.length > 0 && plural(own.length, "profile"),
                    sets.length > 0 && plural(sets.length, "global set"),
                  )}
                >
                  <SetChips sets={sets} />
                </Panel>
              )}
              {own
                .filter((profile) => found.includes(profile))
                .map((profile) => (
                  <ProfilePanel key={profile.url} profile={profile} words={words.trim()} />
                ))}
            </div>
          ))}
        </div>
      </div>
    </>
  );
}

/** The result of a search: the profile of an address, or a number of profiles. */
function Found(props: { binding?: Binding; address: string; found: number; of: number }) {
  const { binding, address, found, of } = props;
  return (
    <p class="shown" role="status">
      {binding?.profile ? (
        <span>
          <code>{address}</code> is bound to <code>{shortUrl(binding.profile)}</code> by <code>{binding.prefix}</code>.
        </span>
      ) : (
        `${found === 0 ? "None" : number(found)} of ${plural(of, "profile")}.`
      )}
    </p>
  );
}

const ruleWords = ({ rule }: Profile["rules"][number]) =>
  [rule.id, rule.name, whenText(rule), ...(rule.actions ?? []).map(actionText)].join(" ");

const headWords = ({ url, bound, sets }: Profile) =>
  [url, ...bound.map(({ prefix }) => prefix), ...sets.map(({ name }) => name)].join(" ");

const profileText = (profile: Profile) => [headWords(profile), ...profile.rules.map(ruleWords)].join(" ");

const profileItem = ({ url, rules, bound }: Profile) => ({
  url,
  hint: listed(
    rules.length > 0 && plural(rules.length, "rule"),
    bound.length > 0 && plural(bound.length, "prefix", "prefixes"),
  ),
});

/** A profile; of one that is found by its rules, only those. */
function ProfilePanel({ profile, words }: { profile: Profile; words: string }) {
  const hits = profile.rules.filter((rule) => hasWords(ruleWords(rule), words));
  const rules = words === "" || hits.length === 0 ? profile.rules : hits;
  const marks = profile.marks.filter(({ active }) => active > 0);
  return (
    <Panel id={profile.url} title={<code>{profile.url}</code>} actions={<Requests filter={{ object: profile.url }} />}>
      <div class="halves">
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
          <Rules profile={{ ...profile, rules }} />
        )}
      </div>
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
