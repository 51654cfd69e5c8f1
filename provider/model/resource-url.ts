import { isObject, type JsonObject, UNKNOWN } from "./json";

/** The five shapes of resource address that the node API knows (docs/contributing/contract.md#resource-addresses). */
export type ResourceUrl = ArenaUrl | ProfileUrl | PrefixSetUrl | MarkUrl;

/** `arena://<arena>` */
export interface ArenaUrl {
  /** Tells which resource it is. */
  readonly kind: "arena";
  /** Name of the arena. */
  readonly arena: string;
}
/** `profile://<arena>/<profile>` */
export interface ProfileUrl {
  /** Tells which resource it is. */
  readonly kind: "profile";
  /** Name of the arena. */
  readonly arena: string;
  /** Name of the profile. */
  readonly profile: string;
}
/** `prefixset://<arena>/<set>` (global), or with `profile`: `prefixset://<arena>/<profile>/<set>` (local). */
export interface PrefixSetUrl {
  /** Tells which resource it is. */
  readonly kind: "prefixset";
  /** Name of the arena. */
  readonly arena: string;
  /** Profile of a local set; absent: the set is global. */
  readonly profile?: string;
  /** Name of the set. */
  readonly set: string;
}
/** `mark://<arena>/<profile>` */
export interface MarkUrl {
  /** Tells which resource it is. */
  readonly kind: "mark";
  /** Name of the arena. */
  readonly arena: string;
  /** Name of the profile. */
  readonly profile: string;
}

/**
 * The text of an address, without a trailing slash, as in messages, ids and map keys.
 *
 * @example
 * ```ts
 * formatUrl({ kind: "prefixset", arena: "edge", set: "blocked" });   // "prefixset://edge/blocked"
 * ```
 */
export function formatUrl(url: ResourceUrl): string {
  switch (url.kind) {
    case "arena":
      return `arena://${url.arena}`;
    case "prefixset":
      return `prefixset://${url.arena}/${url.profile === undefined ? "" : `${url.profile}/`}${url.set}`;
    default:
      return `${url.kind}://${url.arena}/${url.profile}`;
  }
}

/**
 * Reads a resource address; one trailing slash is allowed.
 *
 * @throws {TypeError} naming the text and the shapes that exist.
 * @example
 * ```ts
 * parseUrl("prefixset://edge/web/blocked/");   // { kind: "prefixset", arena: "edge", profile: "web", set: "blocked" }
 * ```
 */
export function parseUrl(text: string): ResourceUrl {
  const match = /^(arena|profile|prefixset|mark):\/\/(.+?)\/?$/.exec(text);
  const [, kind, path = ""] = match ?? [];
  const names = path.split("/");
  if (names.every((name) => nameProblem(name) === undefined)) {
    const [arena = "", second = "", third] = names;
    if (kind === "arena" && names.length === 1) return { kind, arena };
    if ((kind === "profile" || kind === "mark") && names.length === 2) return { kind, arena, profile: second };
    if (kind === "prefixset" && names.length === 2) return { kind, arena, set: second };
    if (kind === "prefixset" && names.length === 3 && third) return { kind, arena, profile: second, set: third };
  }
  throw new TypeError(
    `${JSON.stringify(text)} is not a resource address: write arena://ARENA, profile://ARENA/PROFILE, prefixset://ARENA/SET, prefixset://ARENA/PROFILE/SET or mark://ARENA/PROFILE.`,
  );
}

/**
 * An address as a program gives it, without members that no address of its kind has: a misspelt `profile` would name the global set.
 *
 * @throws {TypeError} for anything else.
 */
export function checkedUrl<Url extends ResourceUrl>(kind: Url["kind"], given: Url): Url {
  const members = isObject(given) ? Object.entries(given).filter(([, value]) => value !== undefined) : [];
  const { kind: of, ...names } = Object.fromEntries(members);
  const known = PARTS[kind];
  const strange = Object.keys(names).find((name) => !known.includes(name));
  const bad = Object.entries(names).find(([, name]) => typeof name !== "string" || nameProblem(name) !== undefined);
  const lacking = known.find((name) => !(name in names) && name !== (kind === "prefixset" ? "profile" : undefined));
  const problem =
    (of !== kind && `is not { kind: ${JSON.stringify(kind)}, … }`) ||
    (strange !== undefined && `has no member ${JSON.stringify(strange)}`) ||
    (lacking !== undefined && `lacks ${lacking}`) ||
    (bad && `has for ${bad[0]} a name that ${typeof bad[1] === "string" ? nameProblem(bad[1]) : "is not a text"}`);
  if (problem)
    throw new TypeError(`\`url\` ${problem}: parseUrl makes an address of a text such as ${EXAMPLES[kind]}.`);
  return given;
}

const PARTS: Readonly<Record<ResourceUrl["kind"], readonly string[]>> = {
  arena: ["arena"],
  profile: ["arena", "profile"],
  prefixset: ["arena", "profile", "set"],
  mark: ["arena", "profile"],
};
const EXAMPLES: Readonly<Record<ResourceUrl["kind"], string>> = {
  arena: "arena://edge",
  profile: "profile://edge/web",
  prefixset: "prefixset://edge/blocked",
  mark: "mark://edge/web",
};

/**
 * Reason why a program cannot declare a name, though a node may know it; `undefined` if it can. A node that reads addresses as
 * URLs decodes `%65` to `e` and resolves `.` and `..` (RFC 3986 sections 2.1 and 5.2.4): limits and policies could check
 * another set than the one that is changed.
 */
export function declaredNameProblem(name: string): string | undefined {
  const problem = nameProblem(name);
  if (problem !== undefined) return problem;
  if (name.includes("%")) return 'contains "%", after which a node may decode another character';
  return name === "." || name === ".." ? "is a step in a path, not a name" : undefined;
}

/** The address of the set that the arguments or outputs of a resource name; `undefined` where a part of it is unknown, or no name. */
export function setUrl({ arena, profile, set }: { readonly [K in "arena" | "profile" | "set"]?: unknown }) {
  if (!isName(arena) || !isName(set)) return undefined;
  const url: PrefixSetUrl = { kind: "prefixset", arena, set };
  if (profile === undefined) return url;
  return isName(profile) ? { ...url, profile } : undefined;
}

/** {@link setUrl} of a state or of checked inputs. @throws {Error} where they name none */
export function readAddress(json: JsonObject): PrefixSetUrl {
  const address = setUrl(json);
  if (!address) throw new Error("The set has no valid arena, profile and set.");
  return address;
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== UNKNOWN && declaredNameProblem(value) === undefined;
}

/** Reason why a text cannot be the name of an arena, profile or set; `undefined` if it can. */
export function nameProblem(name: string): string | undefined {
  if (name === "") return "is empty";
  if (name.length > 255) return "is longer than 255 characters";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
  const bad = /[\s/#?"'“”‘’\\\u0000-\u001f\u007f]/u.exec(name)?.[0];
  if (bad !== undefined) return `contains ${JSON.stringify(bad)}, which separates or ends parts of a resource address`;
  return undefined;
}

/** An address without certain characters at its end, such as slashes. Linear time, unlike `/[x]+$/`. */
export function withoutEnding(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
