import { extname, resolve } from "node:path";
import { Prefix, PrefixError, type PrefixSetUrl, parseUrl } from "../../client";
import { EDITABLE } from "../../prefixes/edit/edit-file";
import { UsageError } from "../cli-io";
import { wrongUse } from "../wrong-use";

/**
 * @param also A sentence about something else that is missing.
 * @throws {UsageError} naming everything that is not given, at once
 */
export function requireGiven(needed: readonly (readonly [name: string, value: unknown])[], also?: string): void {
  const names = needed.flatMap(([name, value]) => (value === undefined || value === false ? [name] : []));
  const missing = names.length > 0 ? [`Missing: ${names.join(", ")}.`] : [];
  const sentences = [...missing, ...(also === undefined ? [] : [also])];
  if (sentences.length > 0) throw new UsageError(`${sentences.join(" ")} Nothing was changed.`);
}

/** The prefixes of a command line, each once; all that is wrong with them is told at once. @throws {UsageError} */
export function readPrefixes(spellings: readonly string[]): Prefix[] {
  const problems: string[] = [];
  const prefixes = new Map<string, Prefix>();
  for (const spelling of spellings) {
    try {
      const prefix = Prefix.parse(spelling);
      prefixes.set(prefix.toString(), prefix);
    } catch (error) {
      if (!(error instanceof PrefixError)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length > 0) throw new UsageError(`${problems.join("\n")}\nNothing was changed.`);
  return [...prefixes.values()];
}

/** A file that can be edited, from the working folder. @throws {UsageError} */
export function readFileName(file: string, folder: string): string {
  if (EDITABLE.includes(extname(file).toLowerCase())) return resolve(folder, file);
  throw new UsageError(
    `${file}: JSON and YAML files are edited, by their ending (${EDITABLE.join(", ")}): other lists have no place for a reason and a time.`,
  );
}

/** The set that is named by --now. @throws {UsageError} */
export function readSet(text: string): PrefixSetUrl {
  const url = wrongUse(TypeError, () => parseUrl(text), "--now: ");
  if (url.kind === "prefixset") return url;
  throw new UsageError(`--now names a set, such as prefixset://edge/blocked, not ${text}.`);
}

/** The address or prefix that an option names. @throws {UsageError} */
export function readPrefixOption(option: string, text: string): Prefix {
  return wrongUse(PrefixError, () => Prefix.parse(text), `${option}: `);
}
