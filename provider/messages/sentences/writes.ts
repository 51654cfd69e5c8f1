import { count, inLines, NAMED, some } from "../../model/text";
import type { EventOf, ForeignChanges, LossCause, WriteEvents } from "../events";
import { are, entries, note, type Sentences, subject, them, warn, warning, were, withThisValue } from "./words";

/** Sentences about writes to sets. */
export const WRITES: Sentences<keyof WriteEvents> = {
  notShown: warn(
    ({ prefixes }) =>
      `${count(prefixes.length, "change", "changes")} did not show after the commit and ${are(prefixes.length)} sent again: ${some(prefixes)}.`,
  ),
  published: warn(
    (event) =>
      `with our commit, entries that this provider did not send ${foreignText(event)}. They were staged or committed before it, by another provider of this stack, by another writer or by an interrupted run of this stack; "pulumi preview --refresh" shows what they mean for this stack.`,
  ),
  foreignStaged: (event, where) => warning(stagedText(event, where)),
  restored: (event, where) =>
    event.cause
      ? warning(`${subject(event, where)}: ${restoredText(event.prefixes, event.cause)}`)
      : `${subject(event, where)}: restored ${entries(event.prefixes.length)}: ${some(event.prefixes)}.`,
  notRestored: warn(({ prefixes, cause, error }) => {
    if (cause.by === "one machine")
      return `it is unknown whether ${some(prefixes)} ${are(prefixes.length)} still there after the removal at ${cause.address}: ${error} "pulumi up --refresh" corrects it.`;
    const although = cause.by === "another writer" ? `, although this stack declares ${them(prefixes.length)}` : "";
    return `${lossText(prefixes, cause)}; ${prefixes.length === 1 ? "it" : "they"} could not be restored${although}: ${error} Run "pulumi up" again.`;
  }),
  protected: {
    common: ({ isExplained, prefixes, at }) => (isExplained ? `${at} ${some(prefixes)}` : ""),
    each(all) {
      const texts = all.map((event) => {
        const what = `${subject(event, event.at)}: ${count(event.prefixes.length, "entry stays", "entries stay")}`;
        return event.isExplained
          ? `${what} for the same reason: ${some(event.prefixes)}.`
          : `${what}, since this stack declares the same at ${event.address}, and the two addresses may be one machine: ${some(event.prefixes)}`;
      });
      if (all[0]?.isExplained) return warning(texts[0] ?? "");
      const rest = all.length > NAMED ? `. So do entries at ${all.length - NAMED} other addresses` : "";
      return warning(
        `${texts.slice(0, NAMED).join(". ")}${rest}. If each address is a machine of its own, set packetfilter:distinctNodes to true, and clear what stays by hand (docs/guides/moving-and-retiring-nodes.md has the commands).`,
      );
    },
  },
  alreadyThere: note(({ prefixes, isPlanned, onDestroy }) => {
    const [one, all] = isPlanned
      ? ["It will belong to this resource", "They will belong to this resource"]
      : ["It belongs to this resource now", "They belong to this resource now"];
    const outcome =
      prefixes.length === 1
        ? `${one}, and ${OUTCOMES[onDestroy].replaceAll("them", "it")}`
        : `${all}, and ${OUTCOMES[onDestroy]}`;
    return `${count(prefixes.length, "entry was", "entries were")} already there as declared, before this resource: ${some(prefixes)}. ${outcome}.`;
  }),
  adopted: warn(({ entries: all, of, isPlanned, onDestroy }) => {
    const [first] = all;
    if (isPlanned)
      return `up adopts ${entries(all.length)} that the program does not declare${withThisValue(all)}: ${some(all.map(({ prefix }) => prefix))}. This up does not change ${them(all.length)}; the next one does what the program says.`;
    return of === "entry"
      ? `adopted ${first?.prefix} with the value ${first?.value}; the next preview shows its change. ${fateOf(onDestroy)}`
      : `adopted ${entries(all.length)} that the program does not declare${withThisValue(all)}: ${some(all.map(({ prefix }) => prefix))}. ${all.length === 1 ? "It was not changed" : "None of them was changed"}; the next "pulumi up" does what the program says, and its preview names ${all.length === 1 ? "it" : "each of them"}.`;
  }),
  removed: note(
    ({ prefixes }) =>
      `${count(prefixes.length, "entry was", "entries were")} removed with the resource: ${some(prefixes)}.`,
  ),
  goneBefore: note(({ prefixes, isEmpty }) =>
    isEmpty
      ? `it was empty already, by two lists with a commit between them: ${some(prefixes)} ${were(prefixes.length)} gone before this run.`
      : `the list before the removal did not show ${entries(prefixes.length)} of this resource: ${some(prefixes)}. There is nothing to do.`,
  ),
  setAbsent: (event, where) =>
    `${subject(event, where)} is not there any more (${event.proof}): nothing is left to be removed.`,
  left: leftText,
  leftUnknown: warn(
    ({ prefixes }) =>
      `left ${some(prefixes)}, which this stack did not know; before a destroy, "pulumi up --refresh" removes ${them(prefixes.length)}.`,
  ),
  leftDeclared: note(({ prefixes, of, wasFound }) => {
    if (of === "set")
      return `${count(prefixes.length, "entry stays", "entries stay")}, since another resource of this stack declares or has adopted ${them(prefixes.length)}: ${some(prefixes)}.`;
    const owner = wasFound
      ? ' That resource found the entry there, so with onDestroy: "created" its destroy will leave it. If it is this resource under another name, an alias keeps it the creator; if it is its replacement, --refresh does.'
      : "";
    return `${prefixes[0]} stays, since another resource of this stack declares or has adopted it.${owner}`;
  }),
  notLogged: warn(
    ({ file, reason }) =>
      `what was changed is not in the audit log ${file} (packetfilter:auditLog), which could not be written: ${reason}.`,
  ),
  leftUndeclared(event, where) {
    const { undeclared, different } = event;
    const what = subject(event, where);
    const parts = [
      undeclared.length > 0 ? `entries that the program does not declare: ${some(undeclared)}` : "",
      different.length > 0 ? `other values of ${some(different)}` : "",
    ].filter((part) => part !== "");
    return [
      warning(
        `${what}: left ${parts.join(" and ")}. "pulumi preview --refresh" shows them, "pulumi up --refresh" corrects them.`,
      ),
      ...inLines(undeclared.slice(NAMED)).map((line) => `${what}: left and not declared, too: ${line}.`),
    ];
  },
};

/** The sentence about what another writer staged, for a warning and for the error of `foreignStaged: "fail"`. */
export function stagedText(event: EventOf<"foreignStaged">, where = event.at): string {
  return `${subject(event, where)}: another writer has staged changes that our commit would publish: entries ${foreignText(event)}.`;
}

function foreignText({ inserted, removed, changed }: ForeignChanges): string {
  const parts = [
    ["appeared", inserted],
    ["vanished", removed],
    ["changed", changed],
  ] as const;
  return parts.flatMap(([verb, all]) => (all.length > 0 ? `${verb}: ${some(all)}` : [])).join("; ");
}

function restoredText(prefixes: readonly string[], cause: LossCause): string {
  if (cause.by === "one machine")
    return `${some(prefixes)} ${were(prefixes.length)} removed by a commit at ${cause.address} and ${are(prefixes.length)} restored, since this stack declares ${them(prefixes.length)}: the two addresses are one machine.${cause.isDistinct ? " Remove packetfilter:distinctNodes." : ""}`;
  const why = cause.by === "another writer" ? `, since this stack declares ${them(prefixes.length)}` : "";
  return `${lossText(prefixes, cause)}; restored${why}.`;
}

function lossText(prefixes: readonly string[], { by }: LossCause): string {
  if (by === "another writer")
    return `another writer removed ${some(prefixes)} by a commit of its own, or staged that and our commit published it`;
  if (by === "earlier run")
    return `our commit published a removal that an earlier run had staged, of ${some(prefixes)}`;
  return `${some(prefixes)} ${were(prefixes.length)} removed while another resource of this stack began to declare ${them(prefixes.length)}`;
}

function leftText(event: EventOf<"left">, where: string | undefined): string {
  const { prefixes, of, onDestroy, url } = event;
  const what = subject(event, where);
  const all = entries(prefixes.length);
  if (of === "group") return `Set ${url}: left ${all} on ${where} (onDestroy: "keep").`;
  if (of === "set" && onDestroy === "keep") return `${what}: left ${all} (onDestroy: "keep").`;
  if (of === "set")
    return `${what}: left ${all} that ${were(prefixes.length)} there before this resource (onDestroy: "created"): ${some(prefixes)}.`;
  const before = onDestroy === "created" ? ", which was there before this resource" : "";
  return `${what}: left ${prefixes[0]}${before} (onDestroy: "${onDestroy}").`;
}

/** Outcome at a destroy of entries that were there before. */
const OUTCOMES = {
  remove: 'a destroy removes them with the rest; onDestroy: "created" leaves them',
  keep: "a destroy leaves them",
  created: 'a destroy leaves them (onDestroy: "created")',
} as const;

/** Outcome at a destroy of an entry that was there before its resource. */
function fateOf(onDestroy: string): string {
  return onDestroy === "remove"
    ? 'It belongs to this resource now, and destroy removes it; onDestroy: "created" leaves it.'
    : "A destroy of this resource leaves it.";
}
