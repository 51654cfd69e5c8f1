import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../model/errors";
import { isObject } from "../../model/json";
import { ExcessError, plainData } from "../../model/plain-data";
import { type EmulatorState, readState, StateError } from "./state";
import { fromYaml } from "./state-yaml";

/**
 * Reads a state from a file, as JSON or YAML by its content.
 *
 * @throws {StateError} if it is neither, or no state; the system's error if it cannot be read.
 */
export async function readStateFile(path: string): Promise<EmulatorState> {
  const source = await readFile(path, "utf8");
  if (source.trim() === "") throw new StateError(`${path} is empty: write at least {}.`);
  return readState(source.trimStart().startsWith("{") ? fromJson(source, path) : fromYaml(source, path));
}

/**
 * Reads a state from a file, or joins the files of a folder whose names end in `.json`, `.yaml` or `.yml`, in the order of
 * their names; `undefined` for a folder without such files.
 *
 * @throws {StateError} as {@link readStateFile}, and if two files contradict each other.
 */
export async function readStates(path: string): Promise<EmulatorState | undefined> {
  if (!(await stat(path)).isDirectory()) return readStateFile(path);
  const names = (await readdir(path)).filter((name) => /\.(?:json|ya?ml)$/.test(name)).toSorted();
  const files = names.map((name) => join(path, name));
  const states = await Promise.all(files.map(async (file) => ({ file, state: await readStateFile(file) })));
  return states.length === 0 ? undefined : joinStates(states);
}

function fromJson(source: string, path: string): unknown {
  try {
    return plainData(source);
  } catch (error) {
    if (error instanceof ExcessError) throw new StateError(`${path} ${error.message}.`);
    throw new StateError(`${path} is not JSON: ${messageOf(error)}.`);
  }
}

/**
 * Joins several states: members of objects are merged, and lists are concatenated. Any other value must be equal in all
 * states that have it.
 *
 * @throws {StateError} naming the place and both files.
 */
function joinStates(states: readonly { file: string; state: EmulatorState }[]): EmulatorState {
  const sources = new Map<string, string>();
  const joined: Named = {};
  for (const { file, state } of states) {
    const { $schema: _, ...content } = state;
    add(joined, content, "", file, sources);
  }
  return joined;
}

type Named = Record<string, unknown>;

/** @param sources File of each place in the state. */
function add(to: Named, from: object, place: string, file: string, sources: Map<string, string>): void {
  for (const [name, value] of Object.entries(from)) {
    const here = place === "" ? name : `${place}.${name}`;
    const before = to[name];
    if (before === undefined) {
      to[name] = Array.isArray(value) ? [...value] : isObject(value) ? {} : value;
      sources.set(here, file);
    } else if (Array.isArray(before) && Array.isArray(value)) {
      // One by one, since a call takes only some hundred thousand arguments.
      for (const each of value) before.push(each);
    } else if (!(isObject(before) && isObject(value)) && before !== value) {
      throw new StateError(`${sources.get(here)} and ${file} have different values at ${here}.`);
    }
    const into = to[name];
    if (isObject(into) && isObject(value)) add(into, value, here, file, sources);
  }
}
