import { cut, visible } from "../model/foreign-text";
import { grouped } from "../model/text";
import { LONGEST } from "./code-spans";
import type { EntryChange, EntryList, Report, Restored, SetReport, SignalingReport, WholeChange } from "./model";
import { andMore, changeWords, headline, markSentence, outcomeWords, remarks, signalingWords } from "./sentences";

/**
 * A report for a terminal: nothing in it moves a cursor or hides.
 *
 * @param limit So many prefixes of a list are named.
 */
export function text(report: Report, limit: number): string {
  const { whole, sets, signalings, restored, errors, warnings, found, project, stack, policies } = report;
  const lines = [
    ...(project === "" ? [] : [safe(`${project}/${stack}`)]),
    headline(report),
    ...section("Errors:", errors.map(safeMessage)),
    ...section("Policies that forbid it:", policyLines(policies?.mandatory)),
    ...section("Policies that advise:", policyLines(policies?.advisory)),
    ...section(
      "Deleted and replaced as a whole:",
      whole.map((one) => wholeLine(one, limit)),
    ),
    ...section("Warnings:", warnings.map(safeMessage)),
    ...sets.flatMap((set) => setLines(set, limit)),
    ...section(
      "Signalings:",
      signalings.map((one) => signalingLine(one, limit)),
    ),
    ...section("Restored, no change of the program:", restored.map(restoredLine)),
    ...section("What the preview found:", found.map(safeMessage)),
  ];
  return `${lines.join("\n")}\n`;
}

function policyLines(findings: NonNullable<Report["policies"]>["mandatory"] = []): string[] {
  return findings.map(({ policy, message }) => `${safe(policy)}: ${safeMessage(message)}`);
}

function section(title: string, items: readonly string[]): string[] {
  return items.length > 0 ? ["", title, ...items.map((item) => `  ${item}`)] : [];
}

function wholeLine(change: WholeChange, limit: number): string {
  const { operation, type, names, place, url, becomes, reasons } = change;
  const where = url === undefined ? safe(place) : `${safe(url)} at ${safe(place)}`;
  const to = becomes === undefined ? "" : `, becomes ${safe(becomes)}`;
  const why = reasons.length > 0 ? `, since ${reasons.map(safe).join(", ")} changes` : "";
  return `${operation === "delete" ? "deleted" : "replaced"}: ${type} ${few(names, limit)}, ${where}${to}${why}; ${outcomeWords(change)}`;
}

function setLines(set: SetReport, limit: number): string[] {
  const words = changeWords(set);
  const on = (set.nodes?.length ?? 1) > 1 ? ", on each node" : "";
  const marks = set.marks && "unasked" in set.marks ? `Marks: ${safe(set.marks.unasked)}` : markSentence(set);
  return [
    "",
    `${safe(set.node)} ${safe(set.url)}${set.nodes ? `, the same at each: ${few(set.nodes, limit)}` : ""}`,
    ...(words.length > 0 ? [`  ${words.join(", ")}${on}.`] : []),
    ...remarks(set).map((one) => `  ${one}`),
    ...(marks === undefined ? [] : [`  ${marks}`]),
    ...changeLines(set, limit),
    ...expiryLine(set.expiring, limit),
  ];
}

/** A line for each of the first `limit` entries of each list. */
export function changeLines(set: Pick<SetReport, "in" | "out" | "changed" | "renoted">, limit: number): string[] {
  return [
    ...entryLines(set.in, "+", limit),
    ...entryLines(set.out, "-", limit),
    ...entryLines(set.changed, "~", limit),
    ...entryLines(set.renoted, "note", limit),
  ];
}

/** When entries end, the soonest first; no line where none does. */
export function expiryLine(expiring: SetReport["expiring"], limit: number): string[] {
  const timed = expiring.slice(0, limit).map(({ prefix, expires }) => `${safe(prefix)} until ${safe(expires)}`);
  return timed.length > 0 ? [`  expires: ${timed.join(", ")}${andMore(expiring.length, limit)}`] : [];
}

export function entryLines({ entries, count }: EntryList, sign: string, limit: number): string[] {
  const lines = entries.slice(0, limit).map((entry) => `  ${sign} ${entryLine(entry)}`);
  return count > limit ? [...lines, `  ${sign} … and ${grouped(count - limit)} more`] : lines;
}

function entryLine({ prefix, from, to, note = {}, noteBefore, expired, marked }: EntryChange): string {
  const values = [...new Set([from, to].filter((one) => one !== undefined))].map((one) => safe(String(one)));
  const words = ({ reason, ticket, expires }: NonNullable<EntryChange["note"]>) =>
    [reason, ticket, expires === undefined ? undefined : `until ${expires}`]
      .flatMap((one) => (one === undefined ? [] : [safe(one)]))
      .join("; ");
  const parts = [
    `${safe(prefix)} ${values.join(" → ")}`,
    ...(noteBefore
      ? [`${words(noteBefore) || "no notes"} → ${words(note) || "no notes"}`]
      : words(note) === ""
        ? []
        : [words(note)]),
    ...(expired ? ["expired"] : []),
    ...(marked === undefined ? [] : [`${grouped(marked)} marked`]),
  ];
  return parts.join(", ");
}

function signalingLine(signaling: SignalingReport, limit: number): string {
  const { receiver, resource, note } = signaling;
  const notes = [note?.reason, note?.ticket].flatMap((one) => (one === undefined ? [] : [safe(one)]));
  const parts = [...signalingWords(signaling, (prefixes) => few(prefixes, limit)), ...notes];
  return `${safe(resource.name)} at ${safe(receiver)}: ${parts.join("; ") || "nothing starts or stops"}`;
}

function restoredLine({ resource, place, url, what }: Restored): string {
  const where = [url, place].flatMap((one) => (one === undefined ? [] : [safe(one)])).join(" at ");
  return `${safe(resource.name)}, ${where}: ${safeMessage(what)}`;
}

function few(items: readonly string[], limit: number): string {
  return `${items.slice(0, limit).map(safe).join(", ")}${andMore(items.length, limit)}`;
}

function safe(text: string): string {
  return cut(visible(text), LONGEST);
}

function safeMessage(text: string): string {
  return cut(visible(text), 1_000);
}
