import { CONNECTIONS } from "../engine/secret-names";
import { isObject, type JsonObject } from "../model/json";

/** Members of a connection whose members have names of this package, too. */
const INSIDE: readonly string[] = ["tls", "answers"];

/**
 * Arguments with the members of `node` and `receiver` by the names of this package. Python's SDK translates those of a dictionary
 * only where a type has no alternative, and these may also be a name: its own `client_id` arrives as it is written.
 */
export function named(args: JsonObject): JsonObject {
  const own = CONNECTIONS.filter((name) => isObject(args[name]));
  return own.length === 0 ? args : { ...args, ...Object.fromEntries(own.map((name) => [name, renamed(args[name])])) };
}

function renamed(value: unknown): unknown {
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, member]) => {
    const name = key.replaceAll(/(?<=[a-z])_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return [name in value ? key : name, INSIDE.includes(name) ? renamed(member) : member];
  });
  return Object.fromEntries(members);
}
