import { formatUrl } from "../../client";
import { some } from "../../model/text";
import { type CliIo, repeatedly } from "../cli-io";
import { inColour } from "../helping/colours";
import type { NowTarget } from "./common";
import type { Outcome } from "./outcome";

const REDRAW_MS = 1_000;

/** Empties the line of a terminal. */
const CLEARED = "\r\u001b[K";

export interface Watching {
  ended(target: NowTarget): void;
  /** Writes above the progress line. */
  above(write: () => void): void;
  close(): void;
}

/** Shows a progress line at a terminal, and nothing elsewhere. */
export function watchOutcomes(targets: readonly NowTarget[], { terminal, err, every = repeatedly }: CliIo): Watching {
  if (!terminal) return { ended: () => {}, above: (write) => write(), close: () => {} };
  const open = new Map(targets.map((target) => [target, nameOf(target)]));
  let seconds = 0;
  const draw = () => {
    const waits = open.size > 0 ? `, waits for ${some([...new Set(open.values())])}` : "";
    const time = seconds > 0 ? ` (${seconds} s)` : "";
    const line = `${targets.length - open.size} of ${targets.length} answered${waits}${time}`;
    err(`${CLEARED}${line.slice(0, Math.max(20, terminal.columns() - 1))}`);
  };
  draw();
  const end = every(REDRAW_MS, () => {
    seconds += 1;
    draw();
  });
  return {
    ended: (target) => {
      open.delete(target);
      draw();
    },
    above: (write) => {
      err(CLEARED);
      write();
      draw();
    },
    close: () => {
      end();
      err(CLEARED);
    },
  };
}

/** Counts finished targets, and names the others. */
export function summaryOf(outcomes: readonly Outcome[], io: CliIo): string {
  const done = outcomes.filter(({ outcome }) => outcome === "done").length;
  const what = areSeveral(outcomes) ? "sets of nodes" : "nodes";
  const isAll = done === outcomes.length;
  const first = isAll ? `${done} ${what}: done.` : `${done} of ${outcomes.length} ${what}: done.`;
  const lines = [isAll ? inColour(io, "out", "success", first) : first];
  for (const kind of ["not all", "not sent", "unknown"] as const) {
    const those = outcomes.filter(({ outcome }) => outcome === kind);
    if (those.length > 0) lines.push(inColour(io, "out", "failure", `${kind}: ${namesOf(those, outcomes)}.`));
  }
  return `${lines.join("\n")}\n`;
}

/** Names targets by their nodes, with the set if there are several. */
export function namesOf(targets: readonly NowTarget[], all: readonly NowTarget[]): string {
  return targets.map(areSeveral(all) ? shown : nameOf).join(", ");
}

function areSeveral(targets: readonly NowTarget[]): boolean {
  return new Set(targets.map(({ url }) => formatUrl(url))).size > 1;
}

export function outcomeLine(one: Outcome): string {
  const changed = one.outcome === "done" || one.outcome === "not all" ? `, ${one.changed} changed` : "";
  return `${shown(one)}: ${one.outcome}${changed}\n`;
}

function shown(target: NowTarget): string {
  return `${nameOf(target)} ${formatUrl(target.url)}`;
}

/** The name of a node, or its address; preceded by the stack if there are several. */
export function nameOf({ node, client, project }: NowTarget): string {
  return `${project.isOneOfSeveral ? `${project.stack}/` : ""}${node ?? client.endpoint}`;
}
