import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import {
  CONNECTIONS,
  HOLDING_PREFIXES,
  hasUser,
  LISTS,
  LISTS_KEY,
  SECRET_MARK,
  SECRET_PREFIXES,
  SECRETS_KEY,
} from "../engine/secret-names";
import { isObject, type JsonObject, membersOf, without } from "../model/json";
import { GIVEN_KEY } from "../reconcile/written-inputs";

/** The member that marks values on the wire that are not plain JSON, and its value for a secret and for an output. */
const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";
const OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4";

/** Places of a secret within an entry that leave the entry itself public: only notes are secret then. */
const NOTES: readonly string[] = ["reason", "ticket", "expires", "sent"];

/** Properties of a resource in the clear, and the names of those that hold a secret at any depth. */
export interface Opened {
  readonly props: JsonObject;
  /** `notes` stands for the members of `entries` other than the values. */
  readonly secrets: readonly string[];
}

/** Reads properties from the wire. Unknown values stay the text that marks them. */
export function open(struct: Struct | undefined): Opened {
  const given = struct?.toJavaScript() ?? {};
  const secrets = Object.entries(given).flatMap(([name, value]) => secretPartsOf(name, value));
  return { props: membersOf(inTheClear(given)), secrets: [...new Set(secrets)].sort() };
}

/**
 * In the form in which the dynamic classes pass secrets, so that handlers keep it out of sentences, errors and the audit log.
 * For a connection the client does this, and its address may be named.
 *
 * @param repeats The output that repeats the argument that holds the prefixes, where there is one.
 */
export function marked({ props, secrets: all }: Opened, repeats: string | undefined): JsonObject {
  const secrets = all.filter((name) => !CONNECTIONS.includes(name));
  if (secrets.length === 0) return props;
  const arePrefixes = secrets.some((name) => HOLDING_PREFIXES.includes(name));
  return {
    ...props,
    [SECRETS_KEY]: secrets,
    ...(arePrefixes && { [SECRET_PREFIXES]: true, [LISTS_KEY]: SECRET_MARK }),
    ...(repeats !== undefined && arePrefixes && { [repeats]: props[repeats] ?? SECRET_MARK }),
  };
}

/** Puts properties on the wire, secret where their name is, where they name prefixes that are, and where they hold credentials. */
export function close(props: JsonObject, secrets: readonly string[], repeats?: string): Struct {
  const { [SECRETS_KEY]: _, [LISTS_KEY]: lists, [GIVEN_KEY]: __, ...rest } = props;
  const arePrefixes = secrets.some((name) => HOLDING_PREFIXES.includes(name));
  const isSecret = (name: string) =>
    secrets.includes(name) || (arePrefixes && (LISTS.includes(name) || name === repeats));
  const shown = Object.entries({ ...rest, ...without(membersOf(lists), [GIVEN_KEY]) }).filter(
    ([, value]) => value !== SECRET_MARK,
  );
  const closed = shown.map(([name, value]) => [
    name,
    isSecret(name) || holdsCredentials(name, value)
      ? secret(value)
      : secrets.includes("notes") && name === "entries"
        ? eachContent(value, (content) =>
            eachOf(content, (part, member) => (NOTES.includes(member) ? secret(part) : part)),
          )
        : value,
  ]);
  return Struct.fromJavaScript(Object.fromEntries(closed) as Record<string, JavaScriptValue>);
}

/** Entries in either form, each content that has members changed. */
export function eachContent(entries: unknown, change: (content: JsonObject) => JsonObject): unknown {
  const changed = (one: unknown) => (isObject(one) ? change(one) : one);
  if (Array.isArray(entries)) return entries.map(changed);
  return isObject(entries) ? eachOf(entries, changed) : entries;
}

export function eachOf(members: JsonObject, change: (value: unknown, name: string) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, change(value, name)]));
}

function secret(value: unknown): JsonObject {
  return { [SIGNATURE]: SECRET, value };
}

function secretPartsOf(name: string, value: unknown): string[] {
  if (name !== "entries" || !(isObject(value) || Array.isArray(value)) || SIGNATURE in value)
    return holdsSecret(value) ? [name] : [];
  return Object.values(value).flatMap((content) => {
    if (!isObject(content) || SIGNATURE in content) return holdsSecret(content) ? [name] : [];
    const parts = Object.entries(content).filter(([, part]) => holdsSecret(part));
    return parts.map(([part]) => (NOTES.includes(part) ? "notes" : name));
  });
}

/** True for what no state may show, whatever the program said of it: SDKs that are made from the schema mark only what stands at the top. */
function holdsCredentials(name: string, value: unknown): boolean {
  if (name === "rollout") return membersOf(membersOf(value).check).headers !== undefined;
  if (!CONNECTIONS.includes(name)) return false;
  const { headers, secretKey, tls, endpoint, url } = membersOf(value);
  if (hasUser(endpoint) || hasUser(url)) return true;
  return [headers, secretKey, tls].some((member) => member !== undefined);
}

function holdsSecret(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsSecret);
  if (!isObject(value)) return false;
  if (value[SIGNATURE] === SECRET || (value[SIGNATURE] === OUTPUT && value.secret === true)) return true;
  return Object.values(value).some(holdsSecret);
}

function inTheClear(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inTheClear);
  if (!isObject(value)) return value;
  if (value[SIGNATURE] === SECRET || value[SIGNATURE] === OUTPUT) return inTheClear(value.value);
  return eachOf(value, inTheClear);
}
