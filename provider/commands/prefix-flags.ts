import { PrefixFileError, type PrefixFileProblem } from "../prefixes/problems";
import { shellWord } from "./blocking/command-line";

/** Options of readPrefixFile that a problem names, with the flags of the command that set them. */
const FLAGS: readonly (readonly [option: RegExp, flags: (found: string) => readonly string[]])[] = [
  [/allowEmpty: true/i, () => ["--allow-empty"]],
  [/columns: \{ ([^{}]+) \}/, columnFlags],
  [/columns\.prefixLength: "(.+?)"/, (column) => ["--prefix-length", column]],
  [/records: "(.+?)"/, (path) => ["--records", path]],
  [/select: \{ list: "([^"]+)" \}/, (list) => ["--select", `list=${list}`]],
  [/format: "(\w+)"/, (format) => ["--format", format]],
  [/header: true/, () => ["--header"]],
];

/** Reads prefixes; those of `--exclude` have no flags but `--allow-empty`. @throws {PrefixFileError} whose problems also name the flags of this command */
export async function withFlags<T>(read: () => Promise<T>, isExcluded = false): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof PrefixFileError)) throw error;
    const [first, ...more] = error.problems;
    throw new PrefixFileError([flagged(first, isExcluded), ...more.map((one) => flagged(one, isExcluded))], {
      cause: error,
    });
  }
}

function flagged(problem: PrefixFileProblem, isExcluded: boolean): PrefixFileProblem {
  const flags = FLAGS.flatMap(([option, flagsOf]) => {
    const match = option.exec(problem.message);
    return match ? flagsOf(match[1] ?? "").map(shellWord) : [];
  });
  if (flags.length === 0) return problem;
  const words = flags.join(" ");
  const here =
    isExcluded && words !== "--allow-empty" ? `exclude what "prefixes aggregate ${words}" writes of it` : words;
  return { ...problem, message: `${problem.message} (here: ${here})` };
}

/** `--column expires=expires_at` of `prefix: "…", expires: "expires_at"`; a prefix without a name is found by the usual ones. */
function columnFlags(columns: string): readonly string[] {
  const parts = [...columns.matchAll(/\b([a-zA-Z]{1,20}): (?:"([^"]*)"|(\d+))/g)].map(
    ([, part, name, at]) => `${part}=${name ?? at}`,
  );
  const named = parts.filter((part) => !part.endsWith("=…"));
  return (named.length > 0 ? named : parts).flatMap((part) => ["--column", part]);
}
