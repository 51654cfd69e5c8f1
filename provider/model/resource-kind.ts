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
 * True for a resource that the plugin serves: by its provider, or by its type, since a provider may have another name.
 *
 * @param type The type token, without those of parents.
 * @param provider The type of the provider resource, if known: a program may give a dynamic resource any type.
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
 * Member of inputs that a check refused. The engine still passes these to policies, as the program wrote them: they may be
 * invalid, and no state keeps them. Policies do not see members whose names begin with underscores.
 */
export const REFUSED_KEY = "refusedByCheck";

/** Arguments and outputs of a `CloudSignaling`: its check refuses all others. */
const OF_SIGNALINGS = [
  ...["prefixes", "stops", "reason", "ticket", "hostBits", "receiver"],
  ...["started", "endpoint", "unsettled", "lost", "secretPrefixes"],
];

/**
 * Kind of a resource of this package, whatever its type: the Node SDK's dynamic-provider server serves any type that a program
 * chooses, and the provider text names the handler. Policies do not see that text, so that the arguments decide, which differ
 * from those of other providers.
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

/** True for a type other than those of the kind: rules that go by type miss the resource. */
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

/** Kind by a provider text that names this package, in whatever escapes, where the text is visible. */
function named({ __provider: text }: JsonObject): ResourceKind | undefined {
  const letters = String(text ?? "")
    .replace(/\\(?:x([0-9a-f]{2})|u\{?([0-9a-f]{1,6})\}?)/gi, (_, two, more) => sign(Number.parseInt(two ?? more, 16)))
    .replace(/[^a-z]/gi, "");
  if (!/packetfilter/i.test(letters)) return undefined;
  // Longer names first, since one is the beginning of another.
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
