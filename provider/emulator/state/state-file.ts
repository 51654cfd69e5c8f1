import { readFile } from "node:fs/promises";
import { messageOf } from "../../model/errors";
import { type EmulatorState, parseState, StateError } from "./state";

/**
 * Reads a state from a file, as JSON or YAML by its content.
 *
 * @throws {StateError} when it is neither, or no state; the system's error when it cannot be read.
 */
export async function readStateFile(path: string): Promise<EmulatorState> {
  const source = await readFile(path, "utf8");
  return parseState(source.trimStart().startsWith("{") ? fromJson(source, path) : await fromYaml(source, path));
}

/** A state as YAML for people, the inverse of {@link readStateFile}. */
export async function toYaml(state: EmulatorState): Promise<string> {
  const { stringify } = await import("yaml");
  return stringify(state);
}

function fromJson(source: string, path: string): unknown {
  try {
    return JSON.parse(source);
  } catch (error) {
    throw new StateError(`${path} is not JSON: ${messageOf(error)}.`);
  }
}

/** Reads YAML. The parser is loaded only when it is needed: it is a good part of the start-up time. */
export async function fromYaml(source: string, path: string): Promise<unknown> {
  const { parse } = await import("yaml");
  try {
    return parse(source);
  } catch (error) {
    throw new StateError(`${path} is not YAML: ${messageOf(error)}.`);
  }
}
