import { CONNECTIONS } from "../engine/secret-names";
import { isObject, type JsonObject, sameJson } from "../model/json";
import { jsonIn } from "../model/readable";

/** Arguments whose members have names of this package. */
const OBJECTS: readonly string[] = [...CONNECTIONS, "columns"];
/** Arguments whose members have names of the program, and hold objects with names of this package. */
const MAPS: readonly string[] = ["nodes", "receivers"];
/** Settings with such members. */
const HOLDING: readonly string[] = [...CONNECTIONS, ...MAPS];
/** Members of a connection whose members have names of this package, too. */
const INSIDE: readonly string[] = ["tls", "answers"];

/**
 * Arguments with the members of connections and columns by the names of this package. Python's SDK translates those of a dictionary
 * only where a type has no alternative, and a connection may also be a name: its own `client_id` arrives as it is written.
 */
export function named(args: JsonObject): JsonObject {
  return eachOf(args, (value, name) => {
    if (OBJECTS.includes(name)) return renamed(value);
    return MAPS.includes(name) && isObject(value) ? eachOf(value, renamed) : value;
  });
}

/** The same of a provider's settings, of which SDKs pass an object as its JSON text, with all names as they are written. */
export function namedSettings(settings: JsonObject): JsonObject {
  return eachOf(named(settings), (value, name) => {
    const written = typeof value === "string" && HOLDING.includes(name) ? jsonIn(value) : undefined;
    const changed = named({ [name]: written })[name];
    return sameJson(written, changed) ? value : JSON.stringify(changed);
  });
}

function renamed(value: unknown): unknown {
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, member]) => {
    const name = key.replaceAll(/(?<=[a-z])_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return [name in value ? key : name, INSIDE.includes(name) ? renamed(member) : member];
  });
  return Object.fromEntries(members);
}

function eachOf(members: JsonObject, change: (value: unknown, name: string) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, change(value, name)]));
}
