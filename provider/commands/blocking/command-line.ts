import type { Command } from "commander";
import type { Outcome } from "./outcome";

/** Work that is left, by stack: each is a command of its own. */
export function perStack(open: readonly Outcome[]): Outcome[][] {
  const stacks = new Map<string | undefined, Outcome[]>();
  for (const one of open) stacks.set(one.project.stack, [...(stacks.get(one.project.stack) ?? []), one]);
  return [...stacks.values()];
}

/** Options whose value may be a secret: the words of a command that is shown do not have it. */
const SECRET = new Set(["header"]);

/**
 * A command as it can be typed into a shell: what was given, with some options said otherwise.
 *
 * @param words Its arguments.
 * @param instead By an option's name in code: its values, or `undefined` for one that is left out.
 */
export function commandLine(
  command: Command,
  words: readonly string[],
  instead: Readonly<Record<string, string | readonly string[] | undefined>>,
): string {
  const given = command.options.flatMap((option) => {
    const name = option.attributeName();
    const isSaid = name in instead;
    if (!isSaid && command.getOptionValueSource(name) !== "cli") return [];
    const value: unknown = isSaid ? instead[name] : command.getOptionValue(name);
    if (value === undefined) return [];
    const flag = option.long ?? option.short ?? "";
    if (value === true) return [flag];
    return [value].flat().flatMap((one) => [flag, SECRET.has(name) ? `${String(one).split(":")[0]}: …` : String(one)]);
  });
  const names = [];
  for (let one: Command | null = command; one?.parent; one = one.parent) names.unshift(one.name());
  return ["pulumi-packetfilter", ...names, ...words, ...given].map(quoted).join(" ");
}

/** As a POSIX shell takes it for one word. */
function quoted(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
