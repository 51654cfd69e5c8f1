import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { CONNECTIONS } from "../engine/secret-names";
import { isObject, type JsonObject } from "../model/json";
import { jsonIn } from "../model/readable";
import { type Opened, open, opened } from "./properties";

/** Arguments whose members have names of this package. */
const OBJECTS: readonly string[] = [...CONNECTIONS, "columns"];
/** Arguments whose members have names of the program, and hold objects with names of this package. */
const MAPS: readonly string[] = ["nodes", "receivers"];
/** Settings that are texts. SDKs pass each other one as its JSON text. */
const TEXTS: readonly string[] = ["endpoint", "signalingUrl", "clientId", "secretKey", "auditLog"];
/** Members of a connection whose members have names of this package, too. */
const INSIDE: readonly string[] = ["tls", "answers"];

/**
 * Arguments with the members of connections and columns by the names of this package. Python's SDK translates those of a dictionary
 * only where a type has no alternative, and a connection may also be a name: its own `client_id` arrives as it is written. It passes
 * None in a dictionary, too, which other SDKs leave out.
 */
export function named(args: JsonObject): JsonObject {
  return eachOf(args, (value, name) => {
    if (name === "entries") return contents(value);
    if (OBJECTS.includes(name)) return renamed(value);
    return MAPS.includes(name) && isObject(value) ? eachOf(value, renamed) : value;
  });
}

/** A provider's settings, read from what SDKs make of them: JSON texts, which hold marks of secrets and names as they are written. */
export function openSettings(struct: Struct | undefined): Opened {
  const { props, secrets } = open(struct);
  const read = (value: unknown, name: string) =>
    typeof value === "string" && !TEXTS.includes(name) ? (jsonIn(value) ?? value) : value;
  const inside = opened(eachOf(given(props), read));
  return { props: named(inside.props), secrets: [...secrets, ...inside.secrets] };
}

/** Members without those that have no value: `pulumi do` names what an environment could give. */
function given(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

function contents(entries: unknown): unknown {
  const content = (one: unknown) => (isObject(one) ? given(one) : one);
  if (Array.isArray(entries)) return entries.map(content);
  return isObject(entries) ? eachOf(entries, content) : entries;
}

function renamed(value: unknown): unknown {
  if (!isObject(value)) return value;
  const members = Object.entries(given(value)).map(([key, member]) => {
    const name = key.replaceAll(/(?<=[a-z])_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const inner = INSIDE.includes(name) ? renamed(member) : name === "entries" ? contents(member) : member;
    return [name in value ? key : name, inner];
  });
  return Object.fromEntries(members);
}

function eachOf(members: JsonObject, change: (value: unknown, name: string) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, change(value, name)]));
}
