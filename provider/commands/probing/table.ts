import { visible, visibleJson } from "../../model/foreign-text";
import type { CheckResult } from "../../probe/check";
import type { Finding, ProbeResult } from "../../probe/finding";
import { wrapped as lines } from "../fitted";

const WIDTH = 100;
const COLUMNS = { title: 36, found: 8 };
const REMARK = "    ";

/** A probe's result for people: the findings, then the settings. */
export function table({ findings, node, receiver, dialect, looked, unusable, stopped }: ProbeResult): string {
  const lines = findings.flatMap(rows);
  const counts = new Map<string, number>();
  for (const { found } of findings) counts.set(found, (counts.get(found) ?? 0) + 1);
  const summary = [...counts].map(([found, count]) => `${count} ${found}`).join(", ");
  const settings = [...block("To set", node), ...block("To set for the receiver", receiver)];
  const end = stopped === undefined ? [] : ["", `The probe ended early: ${visible(stopped)}`];
  const switches = `${Object.keys(dialect).length} switches of the emulator are known.`;
  const [first] = looked.missed;
  const missed =
    first &&
    `Of the ${looked.of} points that decide about settings, ${looked.missed.length} could not be looked at; the first is "${first}".`;
  const note = missed
    ? ["", ...wrapped(visible(missed), WIDTH)]
    : settings.length > 0
      ? []
      : ["", "No settings are needed."];
  const said = [...settings, ...note];
  const beyond = findings
    .filter(({ expressed }) => expressed === "beyond")
    .map(({ title, node: text }) => `seen, cannot be expressed: ${title}: ${text}`);
  const more = beyond.flatMap((sentence) => ["", ...wrapped(visible(sentence), WIDTH)]);
  const use = unusable.flatMap((sentence) => ["", ...wrapped(visible(sentence), WIDTH)]);
  return `${[...lines, "", `${summary}. ${switches}`, ...end, ...said, ...more, ...use].join("\n")}\n`;
}

/** A check's result for people. */
export function checked({ rows }: CheckResult): string {
  const width = Math.max(...rows.map(({ what }) => what.length));
  const lines = rows.map(
    ({ what, held, seen: observation }) =>
      `${what.padEnd(width)}  ${held ? "held    " : "not held"}  ${visible(observation)}\n`,
  );
  return lines.join("");
}

function block(title: string, settings: object): string[] {
  if (Object.keys(settings).length === 0) return [];
  return ["", `${title}:\n${visibleJson(JSON.stringify(settings, null, 2))}`];
}

function rows({ title, found, node, evidence, assumes, advice, settings, receiver }: Finding): string[] {
  const head = `${title.padEnd(COLUMNS.title)}  ${found.padEnd(COLUMNS.found)}  `;
  const [first = "", ...more] = wrapped(visible(node), WIDTH - head.length);
  if (found === "skipped") return [head + first, ...more.map((text) => " ".repeat(head.length) + text)];
  const remarks = [
    ...evidence.map((text) => `the node: ${text}`).map((text) => (text.length > 90 ? `${text.slice(0, 90)}…` : text)),
    `we: ${assumes}`,
    ...(advice === undefined ? [] : [`so: ${advice}`]),
    ...remark("set", settings),
    ...remark("set for the receiver", receiver),
  ].flatMap((text) => wrapped(visible(text), WIDTH - REMARK.length).map((line) => REMARK + line));
  return [head + first, ...more.map((text) => " ".repeat(head.length) + text), ...remarks];
}

function remark(what: string, settings: object): string[] {
  return Object.keys(settings).length > 0 ? [`${what}: ${JSON.stringify(settings)}`] : [];
}

/** Breaks a text at blanks, and longer words anywhere. */
function wrapped(text: string, width: number): string[] {
  return lines(text, width).flatMap((line) => line.match(new RegExp(`.{1,${width}}`, "gs")) ?? "");
}
