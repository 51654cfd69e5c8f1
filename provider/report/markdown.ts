import { groupBy } from "../model/group";
import { count, grouped } from "../model/text";
import { code, keyLine } from "./code-spans";
import type { EntryChange, EntryList, Report, Restored, SetReport, SignalingReport, WholeChange } from "./model";
import {
  addressWords,
  andMore,
  headline,
  markSentence,
  outcomeWords,
  remarks,
  signalingWords,
  widest,
} from "./sentences";

/** Characters for the longest key, link and headings, which are always there. */
export const LEAST_BYTES = 6_000;

export interface MarkdownOptions {
  /** Key in the hidden first line. */
  readonly key: string;
  /** Number of prefixes of a list, and of messages, that are named. */
  readonly limit: number;
  /** The comment is no longer, in bytes of UTF-8; at least {@link LEAST_BYTES}. */
  readonly maxBytes: number;
  /** Address of the whole preview, checked. */
  readonly link?: URL | undefined;
}

/**
 * A report as a comment in a merge request. Where there is no room, lists become shorter, then details of sets are left
 * out, then messages, then lines of the table; counts, deletions and replacements stay, and what is left out is counted. Only
 * where the deletions alone are more than the comment holds are their last ones counted, too.
 */
export function markdown(report: Report, options: MarkdownOptions): string {
  const limits = [options.limit, 10, 5, 2].filter((limit, index) => index === 0 || limit < options.limit);
  let best = "";
  for (const limit of limits) {
    const { text, omitted } = composed(report, { ...options, limit });
    if (omitted === 0) return text;
    best = text;
  }
  return best;
}

interface Block {
  readonly text: string;
  /** Lower ones are taken first. */
  readonly rank: number;
  readonly kind: string;
}

function composed(report: Report, options: MarkdownOptions): { text: string; omitted: number } {
  const blocks = blocksOf(report, options);
  // Parts that are left out are named at the end, which needs room of its own.
  let room = options.maxBytes - 600 - (options.link?.href.length ?? 0);
  const taken = new Set<Block>();
  const omitted = new Map<string, number>();
  const full = new Set<string>();
  for (const block of [...blocks].sort((a, b) => a.rank - b.rank)) {
    const bytes = Buffer.byteLength(block.text);
    // The first that finds no room closes its kind: which ones are left out is then plain.
    if (block.kind !== FRAME && (bytes > room || full.has(block.kind))) {
      full.add(block.kind);
      omitted.set(block.kind, (omitted.get(block.kind) ?? 0) + 1);
    } else {
      room -= bytes;
      taken.add(block);
    }
  }
  const text = blocks.filter((block) => taken.has(block)).map((block) => block.text);
  const left = [...omitted].map(([kind, number]) => `${grouped(number)} ${kind}`);
  if (left.length > 0) text.push(`\n**Left out for lack of space:** ${left.join(", ")}.\n`);
  if (options.link) text.push(`\n[The whole preview](<${addressOf(options.link)}>)\n`);
  return { text: text.join(""), omitted: omitted.size };
}

const FRAME = "headings";

/** In the order of the comment. Foreign text is in `code` everywhere. */
function blocksOf(report: Report, { key, limit }: MarkdownOptions): Block[] {
  const { whole, sets, signalings, restored, errors, warnings, found, project, stack, policies } = report;
  const frame = (text: string): Block => ({ text, rank: 0, kind: FRAME });
  /** Empty without items, since a heading is then not needed. */
  const section = (heading: string, items: readonly string[], rank: number, kind: string): Block[] =>
    items.length > 0 ? [frame(heading), ...items.map((text) => ({ text, rank, kind }))] : [];
  const bold = (title: string) => `\n**${title}**\n\n`;
  const title = project === "" ? "" : ` ${code(`${project}/${stack}`)}`;
  const line = (message: string) => `- ${code(message, 1_000)}\n`;
  const findings = (items: NonNullable<typeof policies>["mandatory"] = []) =>
    items.map(({ policy, message }) => `- ${code(policy)}: ${code(message, 1_000)}\n`);
  const wholeLines = whole.map((one) => wholeLine(one, limit));
  const withMarks = sets.some(({ marks }) => marks);
  const rows = sets.map((set) => row(set, withMarks));
  const signaled = signalings.map((one) => signalingLines(one, limit));
  const findingLines = `${found.slice(0, limit).map(line).join("")}${more(found.length, limit)}`;
  return [
    frame(`${keyLine(key)}\n### Packet filter${title}\n\n${headline(report)}\n`),
    ...section(bold("Errors"), errors.map(line), 2, "errors"),
    ...section(bold("Policies that forbid it"), findings(policies?.mandatory), 2, "findings of policies"),
    ...section(bold("Deleted and replaced as a whole"), wholeLines, 1, "deletions and replacements"),
    ...section(bold("Policies that advise"), findings(policies?.advisory), 3, "findings of policies"),
    ...section(bold("Warnings"), warnings.map(line), 3, "warnings"),
    ...section(tableHead(withMarks), rows, 4, "sets of the table"),
    ...section(bold("Signalings"), signaled, 4, "signalings"),
    ...section(bold("Restored, no change of the program"), restored.map(restoredLine), 4, "resources that restore"),
    ...groupEqualSets(sets).map((group): Block => ({ text: details(group, limit), rank: 5, kind: "details of sets" })),
    ...(found.length > 0 ? [{ text: folded("What the preview found", findingLines), rank: 6, kind: "findings" }] : []),
  ];
}

function wholeLine(change: WholeChange, limit: number): string {
  const { operation, type, names, place, url, becomes, reasons } = change;
  const what = names.length > 1 ? `${grouped(names.length)} ${type}` : type;
  const where = `${url === undefined ? "" : `${code(url)} `}at ${code(place)}`;
  const to = becomes === undefined ? "" : `, becomes ${code(becomes)}`;
  const why = reasons.length > 0 ? `, since ${codes(reasons)} changes` : "";
  return `- **${operation === "delete" ? "Deleted" : "Replaced"}**: ${what} ${few(names, limit)}, ${where}${to}${why}; ${outcomeWords(change)}\n`;
}

function tableHead(withMarks: boolean): string {
  const marks = withMarks ? [" Marked sources in, out |", " ---: |"] : ["", ""];
  return `\n| Node | Set | In | Out | Value | Notes | Widest in | Widest out |${marks[0]}\n| --- | --- | ---: | ---: | ---: | ---: | --- | --- |${marks[1]}\n`;
}

function row(set: SetReport, withMarks: boolean): string {
  const { node, url, in: coming, out, changed, renoted, marks } = set;
  const numbers = [
    ...[coming, out].map(({ count: entries, addresses }) => {
      const covered = addressWords(addresses);
      return `${grouped(entries)}${covered === "" ? "" : ` (${covered})`}`;
    }),
    ...[changed, renoted].map((list) => grouped(list.count)),
  ];
  const asked = marks && "sources" in marks;
  const cells = [
    code(node),
    code(url),
    ...numbers,
    codes(widest(coming), " "),
    codes(widest(out), " "),
    ...(withMarks ? [asked ? `${grouped(coming.marked ?? 0)}, ${grouped(out.marked ?? 0)}` : "not asked"] : []),
  ];
  return `| ${cells.join(" | ")} |\n`;
}

/** Sets that change in the same way on several nodes, as those of a group do, share their details. */
function groupEqualSets(sets: readonly SetReport[]): SetReport[][] {
  const bare = (list: EntryList) => list.entries.map(({ resource: _, ...entry }) => entry);
  const likeness = ({ url, in: coming, out, changed, renoted, ...set }: SetReport) => {
    const { kept, unproven, unknown, hidden, drift, expiring, marks } = set;
    const lists = [coming, out, changed, renoted].map(bare);
    return JSON.stringify([url, lists, kept, unproven, unknown, hidden, drift, expiring, marks]);
  };
  return [...groupBy(sets, likeness).values()];
}

function details(group: readonly SetReport[], limit: number): string {
  const [set] = group;
  if (!set) return "";
  const lists = [
    { list: set.in, title: "In" },
    { list: set.out, title: "Out" },
    { list: set.changed, title: "Another value" },
    { list: set.renoted, title: "Other notes" },
  ];
  const said = [...remarks(set), markSentence(set)].filter((one) => one !== undefined);
  if (lists.every(({ list }) => list.count === 0) && said.length === 0 && !set.marks) return "";
  const numbers = lists
    .filter(({ list }) => list.count > 0)
    .map(({ list, title }) => `${title.toLowerCase()} ${grouped(list.count)}`);
  const nodes = group.flatMap(({ node, nodes }) => nodes ?? [node]);
  const parts = [
    `${code(set.url)} at ${few(nodes, limit)}\n`,
    said.length > 0 ? `\n${said.map((one) => `- ${one}\n`).join("")}` : "",
    set.marks && "unasked" in set.marks ? `\n- Marks: ${code(set.marks.unasked, 500)}\n` : "",
    ...lists.map(({ list, title }) => entryTable(list, title, limit)),
    expiryLines(set, limit),
  ];
  const summary = `${nodes.length > 1 ? `One set on ${count(nodes.length, "node")}` : "One set"}${numbers.length > 0 ? `: ${numbers.join(", ")}` : ""}`;
  return folded(summary, parts.join(""));
}

function entryTable({ entries, count: number }: EntryList, title: string, limit: number): string {
  if (number === 0) return "";
  const shown = entries.slice(0, limit);
  const marked = shown.some((entry) => entry.marked !== undefined);
  const head = `| ${title} | Value | Reason | Ticket | Expires |${marked ? " Marked sources |" : ""}\n| --- | ---: | --- | --- | --- |${marked ? " ---: |" : ""}\n`;
  return `\n${head}${shown.map((entry) => entryRow(entry, marked)).join("")}${more(number, limit)}`;
}

function entryRow(entry: EntryChange, marked: boolean): string {
  const { prefix, from, to, note = {}, noteBefore, expired } = entry;
  const value = [from, to].filter((one) => one !== undefined);
  const shown = (member: "reason" | "ticket" | "expires") => {
    const now = note[member] === undefined ? "" : code(note[member]);
    if (!noteBefore || noteBefore[member] === note[member]) return now;
    return `${noteBefore[member] === undefined ? "none" : code(noteBefore[member])} → ${now === "" ? "none" : now}`;
  };
  const values = [...new Set(value)]
    .map((one) => (typeof one === "number" ? String(one) : code(one ?? "")))
    .join(" → ");
  const cells = [
    code(prefix),
    values,
    shown("reason"),
    shown("ticket"),
    `${shown("expires")}${expired ? " expired" : ""}`.trim(),
  ];
  return `| ${[...cells, ...(marked ? [grouped(entry.marked ?? 0)] : [])].join(" | ")} |\n`;
}

function expiryLines({ expiring }: SetReport, limit: number): string {
  if (expiring.length === 0) return "";
  const lines = expiring.slice(0, limit).map(({ prefix, expires }) => `- ${code(prefix)} until ${code(expires)}\n`);
  return `\nExpires, the soonest first:\n\n${lines.join("")}${more(expiring.length, limit)}`;
}

function signalingLines(signaling: SignalingReport, limit: number): string {
  const { receiver, resource, note } = signaling;
  const parts = [
    ...signalingWords(signaling, (prefixes) => few(prefixes, limit)),
    ...(note?.reason === undefined ? [] : [`reason ${code(note.reason)}`]),
    ...(note?.ticket === undefined ? [] : [`ticket ${code(note.ticket)}`]),
  ];
  return `- ${code(resource.name)} at ${code(receiver)}: ${parts.join("; ") || "nothing starts or stops"}\n`;
}

function restoredLine({ resource, place, url, what }: Restored): string {
  const where = [url, place].flatMap((one) => (one === undefined ? [] : [code(one)])).join(" at ");
  return `- ${code(resource.name)}, ${where}: ${code(what, 1_000)}\n`;
}

function codes(texts: readonly string[], between = ", "): string {
  return texts.map((text) => code(text)).join(between);
}

/** The first of them, and how many more there are. */
function few(texts: readonly string[], limit: number): string {
  return `${codes(texts.slice(0, limit))}${andMore(texts.length, limit)}`;
}

function more(number: number, limit: number): string {
  return number > limit ? `\n… and ${grouped(number - limit)} more.\n` : "";
}

/** The summary is HTML, where code spans mean nothing: it holds our own words only. */
function folded(summary: string, body: string): string {
  return `\n<details><summary>${summary}</summary>\n\n${body}\n</details>\n`;
}

/** In angle brackets only these have a meaning (CommonMark 0.31, links); a URL has encoded line breaks already. */
function addressOf({ href }: URL): string {
  return href.replace(/[<>\\]/g, encodeURIComponent);
}
