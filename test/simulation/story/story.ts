import type { Step } from "../engine/deployment";
import type { Act, RunOptions } from "../scenario";
import type { VirtualTime } from "../world/time";

/** Lines of a world, one an event, more for a text of several: virtual time, actor, event. Two runs of one seed give the same lines. */
export class Story {
  readonly lines: string[] = [];
  /** Number of events. */
  events = 0;

  constructor(private readonly time: VirtualTime) {}

  begins(stack: string, command: string, options: RunOptions): void {
    const flags = Object.entries(options).map(
      ([name, value]) => `--${name}${value === true ? "" : `=${String(value)}`}`,
    );
    this.add(stack, [command, ...flags].join(" "));
  }

  ends(stack: string, errors: readonly string[], steps: readonly Step[]): void {
    const done = steps.map(({ op, name }) => `${op} ${name}`).join(", ") || "no steps";
    this.add(stack, `${errors.length === 0 ? "ends" : "fails"}: ${done}`);
    for (const error of errors) this.add(stack, `  error: ${error}`);
  }

  request(
    actor: string,
    host: string,
    { method, target, body }: { method: string; target: string; body: Buffer },
  ): void {
    const text = body.length > 0 ? `${method} ${summary(body.toString("utf8"))}` : `${method} ${operation(target)}`;
    this.add(actor, `${host.replace("http://", "").replace(".example", "")} ${text}`);
  }

  printed(actor: string, line: string): void {
    this.add(actor, `  ${line}`);
  }

  act({ actor, ...what }: Act): void {
    this.add(actor, JSON.stringify(what));
  }

  note(actor: string, text: string): void {
    this.add(actor, text);
  }

  private add(actor: string, text: string): void {
    this.events += 1;
    const begin = `${this.time.now.toFixed(0).padStart(8)} ${actor.padEnd(9)}`;
    this.lines.push(...text.split("\n").map((line) => `${begin} ${line}`));
  }
}

/** The operation of a signaling request, without its secret. */
function operation(target: string): string {
  return target.split("/").at(-1) ?? "";
}

function summary(body: string): string {
  try {
    const { cmd, url, data, IP_prefix: prefixes } = JSON.parse(body) as Record<string, unknown>;
    if (prefixes) return JSON.stringify(prefixes);
    return [cmd, url, data && JSON.stringify(data)].filter(Boolean).join(" ");
  } catch {
    return body.slice(0, 80);
  }
}
