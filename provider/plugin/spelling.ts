import { CONNECTIONS } from "../engine/secret-names";
import { isObject, type JsonObject } from "../model/json";

/** Members of a connection whose members have names of this package, too. */
const INSIDE: readonly string[] = ["tls", "answers"];

/**
 * Arguments with the members of `node`, `receiver` and each of `nodes` by the names of this package. Python's SDK translates those of
 * a dictionary only where a type has no alternative, and these may also be a name: its own `client_id` arrives as it is written.
 */
export function named(args: JsonObject): JsonObject {
  const own = CONNECTIONS.filter((name) => isObject(args[name])).map((name) => [name, renamed(args[name])]);
  const { nodes } = args;
  const all = isObject(nodes) ? Object.entries(nodes).map(([name, node]) => [name, renamed(node)]) : [];
  return { ...args, ...Object.fromEntries(own), ...(all.length > 0 && { nodes: Object.fromEntries(all) }) };
}

function renamed(value: unknown): unknown {
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, member]) => {
    const name = key.replaceAll(/(?<=[a-z])_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return [name in value ? key : name, INSIDE.includes(name) ? renamed(member) : member];
  });
  return Object.fromEntries(members);
}
