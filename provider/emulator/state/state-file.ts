import { readFile } from "node:fs/promises";
import { messageOf } from "../../model/errors";
import { type EmulatorState, readState, StateError } from "./state";
import { readYaml, writeYaml } from "./state-yaml";

/**
 * Reads a state from a file, as JSON or YAML by its content.
 *
 * @throws {StateError} when it is neither, or no state; the system's error when it cannot be read.
 */
export async function readStateFile(path: string): Promise<EmulatorState> {
  const source = await readFile(path, "utf8");
  return readState(source.trimStart().startsWith("{") ? fromJson(source, path) : await fromYaml(source, path));
}

/** A state as YAML for people, the inverse of {@link readStateFile}. */
export function toYaml(state: EmulatorState): Promise<string> {
  return writeYaml(state);
}

function fromJson(source: string, path: string): unknown {
  try {
    return JSON.parse(source);
  } catch (error) {
    throw new StateError(`${path} is not JSON: ${messageOf(error)}.`);
  }
}

/** @throws {StateError} with line and column. */
export async function fromYaml(source: string, path: string): Promise<unknown> {
  try {
    return await readYaml(source);
  } catch (error) {
    throw new StateError(`${path} is not YAML: ${messageOf(error)}.`);
  }
}
