import { statSync } from "node:fs";
import { resolve } from "node:path";
import { attempt } from "../model/errors";
import type { Answers } from "../wire/answers";

/**
 * Reason why a module of `answers.read` may not run, as a sentence; `undefined` for one that the operator allowed by
 * `PACKETFILTER_ALLOW_CODE`: paths separated by commas, relative to the working folder, or `1` for every module. Asks the
 * environment of the process itself, so that no caller, program or configuration can name another one.
 *
 * @param file Relative to the working folder.
 */
export function refusedModule(file: string, allowed = process.env.PACKETFILTER_ALLOW_CODE ?? ""): string | undefined {
  const path = resolve(file);
  const names = allowed.split(",").flatMap((name) => name.trim() || []);
  // "0" reads as "none" and is never a path. A folder would allow a module that its package.json chooses.
  const isNamed = names.some((name) => name !== "0" && resolve(name) === path) && !isFolder(path);
  if (allowed.trim() === "1" || isNamed) return undefined;
  const set = allowed === "" ? "is not set" : "does not name it";
  return `answers.read (${file}) is code, which only the operator of a run allows: PACKETFILTER_ALLOW_CODE ${set}, and the module was not loaded. Set it to ${path} in the environment of the run, or describe the answers by the other settings of \`answers\``;
}

function isFolder(path: string): boolean {
  return attempt(() => statSync(path).isDirectory()) ?? false;
}

/** The options with `answers.read` resolved from a folder instead of the working folder. */
export function withReaderIn<O extends { readonly answers?: Answers }>(folder: string, options: O): O {
  const { answers } = options;
  if (answers?.read === undefined) return options;
  return { ...options, answers: { ...answers, read: resolve(folder, answers.read) } };
}
