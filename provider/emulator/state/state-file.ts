import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../model/errors";
import { isObject } from "../../model/json";
import { ExcessError, plainData } from "../../model/plain-data";
import { ANSWER_BYTES } from "../defaults";
import { Members } from "../http/json-parts";
import { type EmulatorState, readState, StateError } from "./state";

/** Spaces by which a level is indented, and the length at which long texts are folded: those of js-yaml. */
const INDENT = 2;
const LINE_WIDTH = 80;
/** Level of mark records in a state: `arenas`, name, `profiles`, name, `marks`, type, record. Each record is on one line. */
const RECORD_LEVEL = 7;

/**
 * Reads a state from a file, as JSON or YAML by its content.
 *
 * @throws {StateError} if it is neither, or no state; the system's error if it cannot be read.
 */
export async function readStateFile(path: string): Promise<EmulatorState> {
  const source = await readFile(path, "utf8");
  if (source.trim() === "") throw new StateError(`${path} is empty: write at least {}.`);
  return readState(source.trimStart().startsWith("{") ? fromJson(source, path) : await fromYaml(source, path));
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

/** A state as readable YAML, the inverse of {@link readStateFile}. */
export async function toYaml(state: EmulatorState): Promise<string> {
  return [...(await yamlParts(state))].join("");
}

/** The same in parts of limited size, between which other requests are served. */
export async function yamlParts(state: EmulatorState): Promise<Iterable<string>> {
  const { dump } = await yaml();
  if (!hasMembers(state)) return [dump(state)];
  return partsOf(state, 0, (value, level) => {
    const text = dump(value, { flowLevel: RECORD_LEVEL - level, lineWidth: LINE_WIDTH - INDENT * level, noRefs: true });
    return level === 0 ? text : text.replace(/^(?=.)/gm, " ".repeat(INDENT * level));
  });
}

type Dump = (value: unknown, level: number) => string;

/** Text of a container that is not empty, at a level: its members in slices, those with members of their own one by one. */
function* partsOf(container: object, level: number, dump: Dump): Generator<string> {
  const { members: most } = ANSWER_BYTES;
  if (Array.isArray(container)) {
    for (let from = 0; from < container.length; from += most) yield dump(container.slice(from, from + most), level);
    return;
  }
  let slice: [name: string, value: unknown][] = [];
  const cut = (): string => {
    const text = slice.length === 0 ? "" : dump(Object.fromEntries(slice), level);
    slice = [];
    return text;
  };
  for (const [name, value] of membersOf(container)) {
    const isNested = level + 1 < RECORD_LEVEL && hasMembers(value);
    if (slice.length === most || isNested) yield cut();
    if (isNested) {
      yield dump({ [name]: null }, level).replace(/ null\n$/, "\n");
      yield* partsOf(value, level + 1, dump);
    } else slice.push([name, value instanceof Members ? {} : value]);
  }
  yield cut();
}

function hasMembers(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  return (Array.isArray(value) ? value : membersOf(value)).length > 0;
}

function membersOf(container: object): readonly (readonly [name: string, value: unknown])[] {
  return container instanceof Members ? container.pairs : Object.entries(container);
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
 * Loads the parser for large files, which reads 100 000 entries in a fifth of a second but drops comments. Loaded on demand,
 * since that takes a good part of a start.
 */
function yaml() {
  return import("js-yaml");
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
