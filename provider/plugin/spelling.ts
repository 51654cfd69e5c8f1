import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import { CONNECTIONS } from "../engine/secret-names";
import { isObject, type JsonObject } from "../model/json";
import { jsonIn } from "../model/readable";
import { eachContent, eachOf, type Opened, open } from "./properties";

/** Members whose members have names of this package. */
const OBJECTS: readonly string[] = [...CONNECTIONS, "columns", "tls", "answers"];
/** Members whose members have names of the program, and hold objects with names of this package. */
const MAPS: readonly string[] = ["nodes", "receivers"];
/** Settings that are texts. SDKs pass each other one as its JSON text. */
const TEXTS: readonly string[] = ["endpoint", "signalingUrl", "clientId", "secretKey", "auditLog"];

/**
 * Arguments with the members of connections and columns by the names of this package. Python's SDK translates those of a dictionary
 * only where a type has no alternative, and a connection may also be a name: its own `client_id` arrives as it is written. It passes
 * None in a dictionary, too, which other SDKs leave out.
 */
export function named(args: JsonObject): JsonObject {
  return eachOf(args, inside);
}

/** A provider's settings, read from what SDKs make of them: JSON texts, which hold marks of secrets and names as they are written. */
export function openSettings(struct: Struct | undefined): Opened {
  const { props, secrets } = open(struct);
  const read = (value: unknown, name: string) =>
    typeof value === "string" && !TEXTS.includes(name) ? (jsonIn(value) ?? value) : value;
  const inner = open(Struct.fromJavaScript(eachOf(given(props), read) as Record<string, JavaScriptValue>));
  return { props: named(inner.props), secrets: [...secrets, ...inner.secrets] };
}

/** Members without those that have no value: `pulumi do` names what an environment could give. */
function given(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

function inside(value: unknown, name: string): unknown {
  if (name === "entries") return eachContent(value, given);
  if (MAPS.includes(name) && isObject(value)) return eachOf(value, renamed);
  return OBJECTS.includes(name) ? renamed(value) : value;
}

function renamed(value: unknown): unknown {
  if (!isObject(value)) return value;
  const members = Object.entries(given(value)).map(([key, member]) => {
    const name = key.replaceAll(/(?<=[a-z])_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return [name in value ? key : name, inside(member, name)];
  });
  return Object.fromEntries(members);
}
