import { createRequire } from "node:module";
import { resolve } from "node:path";
import { asError } from "../model/errors";
import type { ListKind } from "../wire/answers";
import { ShapeError } from "../wire/json";
import { refusedModule } from "./allowed-code";

type OwnReader = (body: string, kind: ListKind) => unknown;

const load = createRequire(__filename);

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
