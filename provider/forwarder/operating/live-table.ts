import { compareNames } from "../../model/text";
import type { Forwarder } from "../forwarder";

/** Draws a table in a terminal over the lines of the last one. */
export class LiveTable {
  private lines = 0;

  constructor(
    private readonly write: (text: string) => void,
    private readonly columns: () => number,
  ) {}

  /** Draws what the forwarder does now. */
  draw(forwarder: Forwarder): void {
    const lines = tableOf(forwarder).map((line) => line.slice(0, Math.max(20, this.columns() - 1)));
    this.write(`${this.up()}${lines.map((line) => `${line}\u001b[K\n`).join("")}\u001b[J`);
    this.lines = lines.length;
  }

  /** Writes a line above the table. */
  say(line: string): void {
    this.write(`${this.up()}\u001b[J${line}\n`);
    this.lines = 0;
  }

  private up(): string {
    return this.lines > 0 ? `\r\u001b[${this.lines}A` : "";
  }
}

/** Nodes that are in trouble come first; of many, the rest is one line. */
const NODES_SHOWN = 15;

/** The table as lines: a node a line, a sink a line. */
function tableOf(forwarder: Forwarder): string[] {
  const nodes = [...forwarder.nodes].sort((a, b) => b.failing - a.failing || compareNames(a.name, b.name));
  const shown = nodes.slice(0, NODES_SHOWN);
  const lines = shown.map(({ name, tables, failing, marks }) => {
    const state = failing > 0 ? `${failing} of ${tables} tables fail` : `${tables} tables`;
    return `${cell(name, 20)} ${right(marks)} marks   ${state}`;
  });
  if (nodes.length > shown.length) lines.push(`… and ${nodes.length - shown.length} more nodes`);
  for (const { name, records, bytes, dropped } of forwarder.status.sinks) {
    const sent = forwarder.metrics.get("sent_records_total", { sink: name });
    const lost = dropped > 0 ? `   ${dropped} dropped` : "";
    lines.push(`→ ${cell(name, 18)} ${right(sent)} sent    ${records} waiting (${Math.ceil(bytes / 1024)} KiB)${lost}`);
  }
  return lines;
}

function cell(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width);
}

function right(number: number): string {
  return String(number).padStart(10);
}
