import { isatty } from "node:tty";
import { styleText } from "node:util";
import type { CliIo } from "../cli-io";

/** Kinds of text with a colour of their own. */
type Style = "title" | "term" | "failure" | "success";

const FORMATS = { title: "bold", term: "cyan", failure: "red", success: "green" } as const;

/**
 * True for a terminal. `NO_COLOR` with any content turns colours off (no-color.org), `FORCE_COLOR` other than 0 turns them on;
 * the former takes precedence.
 */
export function hasColours({ env, terminal, stdout }: CliIo, output: "out" | "err"): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== "") return env.FORCE_COLOR !== "0";
  return output === "err" ? terminal !== undefined : stdout !== undefined && isatty(stdout);
}

/** A text in its colour, whatever the output. */
export function coloured(style: Style, text: string): string {
  return styleText(FORMATS[style], text, { validateStream: false });
}

/** A text in its colour, if the output has colours. */
export function inColour(io: CliIo, output: "out" | "err", style: Style, text: string): string {
  return hasColours(io, output) ? coloured(style, text) : text;
}
