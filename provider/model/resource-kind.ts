import type { JsonObject } from "./json";

/** The resources of this package. */
const KINDS = ["PrefixSet", "PrefixSetGroup", "PrefixSetEntry", "CloudSignaling"] as const;

/** One of them. */
export type ResourceKind = (typeof KINDS)[number];

/** The type token of a resource, as states, policies and `--target` know it. */
export function typeToken(type: string): string {
  return `${DYNAMIC}dynamic/packetfilter:${type}`;
}

/** The same of a resource that the plugin `packetfilter` serves, for every language of Pulumi. */
export function nativeToken(type: string): string {
  return `${NATIVE}index:${type}`;
}

/**
 * True for what the plugin serves: by its own provider, or under its own types, since a provider may bear another name.
 *
 * @param type The type token, without those of parents.
 * @param provider The type of the provider resource, where it is known: a program may give any type to that of dynamic resources.
 */
export function isNative(type: string, provider?: string): boolean {
  return provider === `${PROVIDER}packetfilter` || (type.startsWith(NATIVE) && provider !== OF_DYNAMIC);
}

/** Prefix of the type of every provider resource. */
const PROVIDER = "pulumi:providers:";

/** The provider of dynamic resources. */
const OF_DYNAMIC = `${PROVIDER}pulumi-nodejs`;

/** Prefix of every type of the plugin. */
const NATIVE = "packetfilter:";

/** Prefix of every type that the Node SDK's dynamic-provider server serves by default. */
const DYNAMIC = "pulumi-nodejs:";

/**
 * Stands among inputs that a check refused. The engine asks policies about them all the same, and they are as the program wrote
 * them: what is read in them may be wrong, and no state keeps them. A policy would not be shown a name that begins with underlines.
 */
export const REFUSED_KEY = "refusedByCheck";

/** Arguments and outputs of a `CloudSignaling`: its check refuses every other. */
const OF_SIGNALINGS = [
  ...["prefixes", "stops", "reason", "ticket", "hostBits", "receiver"],
  ...["started", "endpoint", "unsettled", "secretPrefixes"],
];

/**
 * Kind of a resource of this package, whatever its type says: the Node SDK's dynamic-provider server serves every type that a
 * program gives it, and the provider text says which of ours is behind it. A policy is shown no provider text, so that the
 * arguments decide: those of another provider have other ones. All that judges goes by this.
 *
 * @param type The type token, without those of parents.
 * @param properties Inputs or outputs, as the engine has them.
 * @param provider The type of the provider resource, as in {@link isNative}.
 */
export function kindOf(type: string, properties: JsonObject, provider?: string): ResourceKind | undefined {
  if (isNative(type, provider)) return KINDS.find((kind) => type === nativeToken(kind));
  if (provider !== OF_DYNAMIC && !type.startsWith(DYNAMIC)) return undefined;
  return shapeOf(properties) ?? KINDS.find((kind) => type === typeToken(kind)) ?? named(properties);
}

/** True for a type that is not the one of the kind: what goes by types does not see the resource. */
export function isForeign(type: string, kind: ResourceKind): boolean {
  return type !== typeToken(kind) && type !== nativeToken(kind);
}

function shapeOf(properties: JsonObject): ResourceKind | undefined {
  const has = (name: string) => properties[name] !== undefined;
  if (has("arena") && has("set")) {
    if (has("nodes")) return "PrefixSetGroup";
    if (has("entries")) return "PrefixSet";
    return has("prefix") ? "PrefixSetEntry" : undefined;
  }
  const names = Object.keys(properties).filter((name) => !name.startsWith("__") && name !== "id");
  return has("prefixes") && names.every((name) => OF_SIGNALINGS.includes(name)) ? "CloudSignaling" : undefined;
}

/** By a provider text that names this package, in whatever spelling, where it is shown. */
function named({ __provider: text }: JsonObject): ResourceKind | undefined {
  const letters = String(text ?? "")
    .replace(/\\(?:x([0-9a-f]{2})|u\{?([0-9a-f]{1,6})\}?)/gi, (_, two, more) => sign(Number.parseInt(two ?? more, 16)))
    .replace(/[^a-z]/gi, "");
  if (!/packetfilter/i.test(letters)) return undefined;
  // The longer names first: one begins with another.
  return KINDS.toReversed().find((kind) => letters.includes(kind)) ?? "PrefixSet";
}

function sign(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}

/** The type in a URN, without those of parents: `urn:pulumi:STACK::PROJECT::PARENT$TYPE::NAME`. */
export function typeIn(urn: string): string {
  const [, types = ""] = /^urn:pulumi:.*?::.*?::(.*?)::/s.exec(urn) ?? [];
  return types.split("$").at(-1) ?? "";
}
