import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../model/errors";
import { isObject } from "../../model/json";
import { ExcessError, plainData } from "../../model/plain-data";
import { type EmulatorState, readState, StateError } from "./state";

/** Level of mark records in a state: `arenas`, name, `profiles`, name, `marks`, type, record. Records stand on one line each. */
const RECORD_LEVEL = 7;

/**
 * Reads a state from a file, as JSON or YAML by its content.
 *
 * @throws {StateError} when it is neither, or no state; the system's error when it cannot be read.
 */
export async function readStateFile(path: string): Promise<EmulatorState> {
  const source = await readFile(path, "utf8");
  if (source.trim() === "") throw new StateError(`${path} is empty: a state has at least {}.`);
  return readState(source.trimStart().startsWith("{") ? fromJson(source, path) : await fromYaml(source, path));
}

/**
 * Reads a state from a file, or from the files of a folder with names that end in `.json`, `.yaml` or `.yml`, in the order of
 * their names and joined; `undefined` for a folder that has none.
 *
 * @throws {StateError} as {@link readStateFile}, and when two files say different things of one place.
 */
export async function readStates(path: string): Promise<EmulatorState | undefined> {
  if (!(await stat(path)).isDirectory()) return readStateFile(path);
  const names = (await readdir(path)).filter((name) => /\.(?:json|ya?ml)$/.test(name)).toSorted();
  const files = names.map((name) => join(path, name));
  const states = await Promise.all(files.map(async (file) => ({ file, state: await readStateFile(file) })));
  return states.length === 0 ? undefined : joinStates(states);
}

/** A state as YAML for people, the inverse of {@link readStateFile}. */
export async function toYaml(state: EmulatorState): Promise<string> {
  const { dump } = await yaml();
  return dump(state, { flowLevel: RECORD_LEVEL, noRefs: true });
}

function fromJson(source: string, path: string): unknown {
  try {
    return plainData(source);
  } catch (error) {
    if (error instanceof ExcessError) throw new StateError(`${path} ${error.message}.`);
    throw new StateError(`${path} is not JSON: ${messageOf(error)}.`);
  }
}

/** @throws {StateError} with line and column. */
export async function fromYaml(source: string, path: string): Promise<unknown> {
  const { load, YAMLException } = await yaml();
  try {
    return plainData(source, load);
  } catch (error) {
    if (error instanceof ExcessError) throw new StateError(`${path} ${error.message}.`);
    if (!(error instanceof YAMLException)) throw error;
    const { reason, mark } = error;
    const place = mark ? ` at line ${mark.line + 1}, column ${mark.column + 1}` : "";
    throw new StateError(`${path} is not YAML: ${reason}${place}.`);
  }
}

/**
 * Other than the parser of small files, which keeps comments, this one reads 100 000 entries in a fifth of a second. It is
 * loaded when it is needed: it is a good part of the time that a start takes.
 */
function yaml() {
  return import("js-yaml");
}

/**
 * One state of several, each of which may tell a part: objects are joined by their members, and lists stand one behind the
 * other. What else two of them give must be equal.
 *
 * @throws {StateError} naming the place and both files.
 */
function joinStates(states: readonly { file: string; state: EmulatorState }[]): EmulatorState {
  const sources = new Map<string, string>();
  const joined: Members = {};
  for (const { file, state } of states) {
    const { $schema: _, ...content } = state;
    add(joined, content, "", file, sources);
  }
  return joined;
}

type Members = Record<string, unknown>;

/** @param sources By place: the file that it comes from. */
function add(to: Members, from: object, place: string, file: string, sources: Map<string, string>): void {
  for (const [name, value] of Object.entries(from)) {
    const here = place === "" ? name : `${place}.${name}`;
    const before = to[name];
    if (before === undefined) {
      to[name] = Array.isArray(value) ? [...value] : isObject(value) ? {} : value;
      sources.set(here, file);
    } else if (Array.isArray(before) && Array.isArray(value)) {
      // Not as arguments of one call, of which there may be some hundred thousand at most.
      for (const each of value) before.push(each);
    } else if (!(isObject(before) && isObject(value)) && before !== value) {
      throw new StateError(`${sources.get(here)} and ${file} say different things of ${here}.`);
    }
    const into = to[name];
    if (isObject(into) && isObject(value)) add(into, value, here, file, sources);
  }
}
