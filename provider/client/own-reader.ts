import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { asError, attempt } from "../model/errors";
import type { ListKind } from "../wire/answers";
import { ShapeError } from "../wire/json";

type OwnReader = (body: string, kind: ListKind) => unknown;

const load = createRequire(__filename);

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

/**
 * Reads a list by a module of the user (`answers.read`). Its default export takes the text of an answer and the kind of
 * the list, and returns a list in the contract's shape. Each process loads it once.
 *
 * @param file Relative to the working folder, which for a Pulumi program is the program's folder.
 * @throws {ShapeError} with file and line for every error in it, and for a module that {@link refusedModule} refuses.
 */
export function readByModule(file: string, body: string, kind: ListKind): unknown {
  const refused = refusedModule(file);
  if (refused !== undefined) throw new ShapeError(refused);
  const path = resolve(file);
  let list: unknown;
  try {
    list = exported(path)(body, kind);
  } catch (error) {
    if (error instanceof ShapeError) throw error;
    const { message, stack = "" } = asError(error);
    throw new ShapeError(`answers.read (${file}${lineIn(stack, path)}) failed: ${message.split("\n")[0]}`);
  }
  if (Array.isArray(list)) return list;
  const what = list instanceof Promise ? "a promise" : typeof list;
  throw new ShapeError(
    `answers.read (${file}) returned ${what} for ${kind}`,
    "It must return an array, not a promise.",
  );
}

function exported(path: string): OwnReader {
  const module: unknown = load(path);
  const found = typeof module === "object" && module !== null ? Reflect.get(module, "default") : module;
  if (typeof found === "function") return found as OwnReader;
  throw new Error("the module has no function as its default export");
}

/** `:12` if the stack names a line of the file. */
function lineIn(stack: string, path: string): string {
  const at = stack.indexOf(`${path}:`);
  return at < 0 ? "" : (/^:\d+/.exec(stack.slice(at + path.length))?.[0] ?? "");
}
