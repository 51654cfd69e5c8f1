import { visible, visibleJson, visibleLines } from "../../model/foreign-text";
import type { Finding, ProbeResult } from "../../probe/finding";

const WIDTH = 100;
const COLUMNS = { title: 36, found: 8 };
/** Of what the node said a line is shown; JSON has more. */
const REMARK = "    ";

/** A probe's result for people: what was found about each point, then what to set. */
export function table({ findings, node, dialect, stopped, left }: ProbeResult): string {
  const lines = findings.flatMap(rows);
  const counts = new Map<string, number>();
  for (const { found } of findings) counts.set(found, (counts.get(found) ?? 0) + 1);
  const summary = [...counts].map(([found, count]) => `${count} ${found}`).join(", ");
  const settings =
    Object.keys(node).length === 0 ? "Nothing is to be set." : `To set:\n${visibleJson(JSON.stringify(node, null, 2))}`;
  const rest = left.flatMap(({ remedy }) => ["", visibleLines(remedy)]);
  const end = stopped === undefined ? [] : ["", `The probe ended before its time: ${visible(stopped)}`];
  const switches = `${Object.keys(dialect).length} switches of the emulator are known.`;
  return `${[...lines, "", `${summary}. ${switches}`, ...end, ...rest, "", settings].join("\n")}\n`;
}

function rows({ title, found, node, evidence, assumes, advice, settings }: Finding): string[] {
  const head = `${title.padEnd(COLUMNS.title)}  ${found.padEnd(COLUMNS.found)}  `;
  const [first = "", ...more] = wrapped(visible(node), WIDTH - head.length);
  if (found === "skipped") return [head + first, ...more.map((text) => " ".repeat(head.length) + text)];
  const remarks = [
    ...evidence.map((text) => `the node: ${text}`).map((text) => (text.length > 90 ? `${text.slice(0, 90)}…` : text)),
    `we: ${assumes}`,
    ...(advice === undefined ? [] : [`so: ${advice}`]),
    ...(Object.keys(settings).length > 0 ? [`set: ${JSON.stringify(settings)}`] : []),
  ].flatMap((text) => wrapped(visible(text), WIDTH - REMARK.length).map((line) => REMARK + line));
  return [head + first, ...more.map((text) => " ".repeat(head.length) + text), ...remarks];
}

/** Broken at blanks where there are any. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
    for (; line.length > width; line = line.slice(width)) lines.push(line.slice(0, width));
  }
  return [...lines, line];
}
