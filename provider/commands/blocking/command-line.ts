import type { Command } from "commander";

/** Options whose value may be secret, and is not shown. */
const SECRET = new Set(["header"]);

/**
 * The command line that was given, for a shell, with some options replaced.
 *
 * @param words Its arguments.
 * @param instead Values by the option's name in code; `undefined` leaves it out.
 */
export function commandLine(
  command: Command,
  words: readonly string[],
  instead: Readonly<Record<string, true | string | readonly string[] | undefined>>,
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
  return ["pulumi-packetfilter", ...names, ...words, ...given].map(shellWord).join(" ");
}

/** One word for a POSIX shell. */
export function shellWord(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
