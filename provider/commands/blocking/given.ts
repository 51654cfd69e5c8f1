import { existsSync } from "node:fs";
import { extname, resolve } from "node:path";
import { Prefix, PrefixError, type PrefixSetUrl, parseUrl } from "../../client";
import { attempt } from "../../model/errors";
import { EDITABLE } from "../../prefixes/edit/edit-file";
import { PrefixFileError } from "../../prefixes/problems";
import { rangeEnds, rangeToPrefixes } from "../../prefixes/range";
import { parsePrefixes } from "../../prefixes/read";
import { type CliIo, UsageError } from "../cli-io";
import { refuseFolder } from "../failure";
import { standardInput, wrongUse } from "../option-values";

/**
 * @param also A sentence about another missing argument.
 * @throws {UsageError} naming all missing arguments
 */
export function requireGiven(needed: readonly (readonly [name: string, value: unknown])[], also?: string): void {
  const names = needed.flatMap(([name, value]) => (value === undefined || value === false ? [name] : []));
  const missing = names.length > 0 ? [`Missing: ${names.join(", ")}.`] : [];
  const sentences = [...missing, ...(also === undefined ? [] : [also])];
  if (sentences.length > 0) throw new UsageError(`${sentences.join(" ")} Nothing was changed.`);
}

/** @throws {UsageError} if a file is missing, or is a folder */
export function requireFile(name: string, file: string, remedy = "Check --file."): void {
  requireThere(name, file, remedy);
  refuseFolder(name, file);
}

/** @throws {UsageError} if a file or folder is missing */
export function requireThere(name: string, file: string, remedy: string): void {
  if (!existsSync(file)) throw new UsageError(`${name}: there is no such file. ${remedy}`);
}

/** Help text for the prefixes of `block` and `unblock`. */
export const PREFIXES =
  'addresses, prefixes and ranges (192.0.2.1-192.0.2.9); "-" reads them from standard input, one a line';

/** Name of the text in problems. */
const PIPED = "standard input";

/** Remedy for a line that has more than a prefix. */
const ALONE = "write one prefix on each line, alone.";

/** Parts of messages about options of readPrefixFile, which the command lacks. */
const OF_FORMAT = /set format: .*/g;
const OF_DUPLICATES = /the value \d+; it had \d+ before: keep one of them, or set onDuplicate\./g;

/**
 * The prefixes of a command line, each once; a range is split into prefixes.
 * @throws {UsageError} with all problems at once
 */
export async function readPrefixes(given: readonly string[], io: CliIo): Promise<Prefix[]> {
  const problems: string[] = [];
  const prefixes = new Map<string, Prefix>();
  const take = (read: () => readonly Prefix[]) => {
    try {
      for (const prefix of read()) prefixes.set(prefix.toString(), prefix);
    } catch (error) {
      if (!(error instanceof PrefixError || error instanceof RangeError || error instanceof PrefixFileError))
        throw error;
      problems.push(error.message.replaceAll(OF_FORMAT, ALONE).replaceAll(OF_DUPLICATES, `another value: ${ALONE}`));
    }
  };
  for (const text of given) if (text !== "-") take(() => prefixesOf(text));
  if (given.includes("-")) {
    const piped = await standardInput(io, 'Pipe prefixes to the command, or remove "-".');
    take(() => prefixesIn(piped));
  }
  if (problems.length > 0) throw new UsageError(`${problems.join("\n")}\nNothing was changed.`);
  if (prefixes.size === 0) throw new UsageError(`There is no prefix in ${PIPED}. Nothing was changed.`);
  return [...prefixes.values()];
}

/** The prefixes of a text, by the rules of a prefix file. @throws {RangeError} if one has a value, which the command gives */
function prefixesIn(text: string): Prefix[] {
  // A value of the text is the same under every default.
  const [entries = {}, others = {}] = [0, 1].map((value) =>
    parsePrefixes(text, { format: "txt", file: PIPED, allowEmpty: true, value }),
  );
  return Object.entries(entries).map(([prefix, { value }]) => {
    if (value !== others[prefix]?.value) return Prefix.parse(prefix);
    throw new RangeError(`${PIPED}: ${prefix} has the value ${value} behind it: ${ALONE}`);
  });
}

function prefixesOf(text: string): Prefix[] {
  const ends = rangeEnds(text);
  if (!ends && /\S\s+\S/.test(text)) {
    throw new RangeError(
      `${JSON.stringify(text)} is more than one prefix: write one on each line, and give the rest as options.`,
    );
  }
  return ends ? rangeToPrefixes(...ends).map((prefix) => Prefix.parse(prefix)) : [Prefix.parse(text)];
}

/** A file that can be edited, from the working folder. @throws {UsageError} */
export function readFileName(file: string, folder: string): string {
  if (EDITABLE.includes(extname(file).toLowerCase())) return resolve(folder, file);
  throw new UsageError(
    `${file}: JSON and YAML files are edited, by their ending (${EDITABLE.join(", ")}): other files have no place for a reason and a time.`,
  );
}

/** The set that is named by --now. @throws {UsageError} */
export function readSet(text: string): PrefixSetUrl {
  const url = attempt(() => parseUrl(text), TypeError);
  if (url?.kind === "prefixset") return url;
  throw new UsageError(
    `--now names a set: write prefixset://ARENA/SET or prefixset://ARENA/PROFILE/SET, not ${JSON.stringify(text)}.`,
  );
}

/** The address or prefix that an option names. @throws {UsageError} */
export function readPrefixOption(option: string, text: string): Prefix {
  return wrongUse(PrefixError, () => Prefix.parse(text), `${option}: `);
}
