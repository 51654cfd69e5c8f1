import { count, inLines, NAMED, some } from "../../model/text";
import type { EventOf, LookEvents } from "../events";
import {
  declared,
  entries,
  found,
  note,
  type Sentences,
  subject,
  them,
  valuesOf,
  warning,
  withThisValue,
} from "./words";

const UNLESS_GIVEN_UP = ", unless a resource that stays in this program gives up what is in the way";
const MOVING = "docs/guides/moving-and-retiring-nodes.md";

/** Sentences about the content of sets by a look or refresh. */
export const LOOKS: Sentences<keyof LookEvents> = {
  missing: found(
    ({ prefixes }) =>
      `lacks ${declared(prefixes.length)} (${some(prefixes)}): this up restores ${them(prefixes.length)}.`,
  ),
  different: found(({ entries: all, isIgnored }) => {
    const values = all.length === 1 ? "another value" : "other values";
    const names = isIgnored ? some(all.map(({ prefix }) => prefix)) : some(valuesOf(all));
    const outcome = isIgnored
      ? `left, since the program ignores changes of entries; without ignoreChanges, "pulumi up" restores ${them(all.length)}.`
      : `this up restores ${them(all.length)}.`;
    return `holds ${values} of ${declared(all.length)} (${names}): ${outcome}`;
  }),
  lacked: found(({ prefixes, of, isRestored }) => {
    if (of === "entry") return `lacked ${declared(1)} (${prefixes[0]}): the next up creates it again.`;
    const outcome = isRestored ? `: this up restores ${them(prefixes.length)}` : "";
    return `lacked ${declared(prefixes.length)}, or held other values (${some(prefixes)})${outcome}.`;
  }),
  moreMissing: found(({ isRefresh }) =>
    isRefresh
      ? "lacked more declared entries: each is created again by the next up."
      : "lacks more declared entries: each is an update of this plan, with restores.",
  ),
  undeclared: found(({ removes, keeps }) => {
    const all = count(keeps.length, "undeclared entry", "undeclared entries");
    const stay = keeps.length === 1 ? "it stays" : "they stay";
    const own =
      removes.length > 0 ? ` This up also removes ${entries(removes.length)} of this stack: ${some(removes)}.` : "";
    return `holds ${all} (${some(keeps)}): ${stay}, of others or possibly of an interrupted run of this stack; "pulumi up --refresh" removes ${them(keeps.length)}.${own}`;
  }),
  interrupted: found(
    ({ prefixes }) =>
      `holds what an interrupted run of this stack left (${some(prefixes)}): this up removes ${them(prefixes.length)}.`,
  ),
  leftStaged: found(({ prefixes }) => {
    const changes = prefixes.length === 1 ? "a change" : "changes";
    return `may hold ${changes} that an earlier run left staged (${some(prefixes)}): this up takes ${them(prefixes.length)} back.`;
  }),
  overLimit: ({ reason, isInTheWay }) => warning(`up would fail${isInTheWay ? UNLESS_GIVEN_UP : ""}. ${reason}`),
  foreign(event, where) {
    const [verb, which] = FOREIGN[event.outcome];
    const how = event.outcome === "found" ? `${which}${withThisValue(event.entries)}` : which;
    const lines = inLines(
      event.entries.map(({ prefix, value, desired }) =>
        desired === undefined || desired === value ? prefix : `${prefix} (${value} to ${desired})`,
      ),
    );
    return lines.map((line, index) => {
      const part = lines.length > 1 ? `, ${index + 1} of ${lines.length} lines` : "";
      return `${subject(event, where)}: ${verb} ${entries(event.entries.length)} ${how}${part}: ${line}.`;
    });
  },
  adoptedEntry: note(({ prefixes, held, desired, isExpired }) => {
    const what = isExpired
      ? `removes ${prefixes[0]}, which has expired`
      : `gives ${prefixes[0]} the value ${desired}, not ${held}`;
    return `up ${what}; the entry was adopted and is unchanged so far.`;
  }),
  unreadable: {
    common: ({ usesState }) => String(usesState),
    each(all) {
      const [{ url, usesState } = { url: "", usesState: false }] = all;
      const outcome = usesState ? ", and this run uses the state alone" : "";
      const why = all.slice(0, NAMED).map(({ reason }) => reason);
      return warning(`${some(all.map(({ at }) => at))} ${url} cannot be read${outcome}. ${why.join(" ")}`);
    },
  },
  silent: { common: ({ is }) => is, each: silentText },
  notRefreshed: {
    common: () => "",
    each(all) {
      const [sentence, state] =
        all.length === 1 ? ["the node does not answer", "its state is"] : ["they do not answer", "their state is"];
      const why = all.slice(0, NAMED).map(({ reason }) => reason);
      const where = some(all.map(({ at }) => at));
      return warning(
        `Set ${all[0]?.url} on ${where}: not refreshed, since ${sentence}; ${state} kept (onUnreachable: "skip"). ${why.join(" ")}`,
      );
    },
  },
  moved: {
    common: () => "",
    each(all) {
      const [{ url, from, to } = { url: "", from: "", to: "" }] = all;
      const which = some(all.map((one) => `${one.at} at ${one.to} instead of ${one.from}`));
      return warning(
        all.length === 1
          ? `Set ${url}: the node is now reached at ${to}. What ${from} holds stays there; if that is another machine, clear it there (${MOVING}).`
          : `Set ${url}: ${all.length} nodes are now reached at other addresses: ${which}. What the former addresses hold stays there; if that is another machine, clear it there (${MOVING}).`,
      );
    },
  },
  movedPlan({ from, to }, where) {
    const [is, was] = where === to ? ["The address is", "was"] : [`${where} is at`, "was at"];
    return `${is} ${to} now, and ${was} ${from}: what is missing there was never lost, and this up sends it.`;
  },
  withoutCredentials: (event, where) =>
    warning(`${subject(event, where)} is cleared there without credentials. If it needs some, ${event.remedy}`),
};

const FOREIGN = {
  found: ["found", "that the last up did not write"],
  removes: ["up removes", "that the program does not declare"],
  changes: ["up changes", "that the program does not declare with this value"],
  keeps: [
    "up keeps",
    "as found, since the program ignores changes of entries (ignoreChanges); a destroy removes what the state holds",
  ],
} as const;

/** Each silent or busy address; of the first one of a run with the consequence. */
function silentText(all: readonly EventOf<"silent">[]): string {
  const [one] = all;
  const [is, once] = one?.is === "busy" ? ["is busy", "is no longer busy"] : ["does not answer", "answers"];
  const object = one?.url ?? "signaling";
  const first =
    all.length > 1
      ? `${some(all.map(({ at }) => at))} ${object} cannot be read: each ${is}.`
      : `${one?.at} ${object} cannot be read${one?.isFirst ? "" : " either"}: ${one?.at} ${is}.`;
  const reasons = all.slice(0, NAMED).map(({ reason }) => reason);
  const outcomes = all.map(({ isFirst, isNew }) => {
    if (!isFirst) return "";
    return isNew
      ? ` What a create meets there is not known until the address ${once}.`
      : ` This run uses the state alone there, and restores nothing. The next "pulumi up" does so, once the address ${once}.`;
  });
  return warning(`${first} ${reasons.join(" ")}${outcomes.join("")}`);
}
