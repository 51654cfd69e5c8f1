import { type EmulatorState, StateError } from "./state";

/** A state and the file that it was read from. */
export interface StateOfFile {
  readonly file: string;
  readonly state: EmulatorState;
}

/**
 * One state of several, each of which may tell a part: objects are joined by their members, and lists stand one behind the
 * other. What else two of them give must be equal.
 *
 * @throws {StateError} naming the place and both files.
 */
export function joinStates(states: readonly StateOfFile[]): EmulatorState {
  const sources = new Map<string, string>();
  const joined: Members = {};
  for (const { file, state } of states) {
    const { $schema: _, ...content } = state;
    add(joined, content, "", file, sources);
  }
  return joined;
}

type Members = Record<string, unknown>;

/** @param sources By place: the file that told it. */
function add(to: Members, from: object, place: string, file: string, sources: Map<string, string>): void {
  for (const [name, value] of Object.entries(from)) {
    const here = place === "" ? name : `${place}.${name}`;
    const before = to[name];
    if (before === undefined) {
      to[name] = Array.isArray(value) ? [...value] : isMembers(value) ? {} : value;
      sources.set(here, file);
    } else if (Array.isArray(before) && Array.isArray(value)) {
      before.push(...value);
    } else if (!(isMembers(before) && isMembers(value)) && before !== value) {
      throw new StateError(`${sources.get(here)} and ${file} say different things of ${here}.`);
    }
    const into = to[name];
    if (isMembers(into) && isMembers(value)) add(into, value, here, file, sources);
  }
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
