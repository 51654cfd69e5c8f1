import * as pulumi from "@pulumi/pulumi";
import type { JsonObject } from "../model/json";
import { providerText } from "../resources/provider-text";
import { HOLDING_PREFIXES, LISTS_KEY, SECRET_MARK, SECRET_PREFIXES, SECRETS_KEY } from "../resources/secret-names";
import { withSecrets } from "./connection";
import { isPlain } from "./inputs";
import { inspect, type SecretParts } from "./inspection";
import { engineAddress, judgeUnknownKeys } from "./settings";

/** Description of a class by its arguments and outputs. */
export interface Kind {
  /** The type without its namespace. */
  readonly type: "PrefixSet" | "PrefixSetEntry" | "PrefixSetGroup" | "CloudSignaling";
  /** Arguments that must be there. */
  readonly required: readonly string[];
  /** Arguments that stand in id and url, and so in the clear. */
  readonly identity: readonly string[];
  readonly optional: readonly string[];
  /** None of a group, which names its nodes. */
  readonly connection?: "node" | "receiver";
  /** Outputs that are no arguments. */
  readonly outputs: readonly string[];
  /** Of these the one that repeats what an argument holds: it is secret when that is. */
  readonly repeats?: { readonly argument: string; readonly output: string };
}

/**
 * The properties with which a resource is registered.
 *
 * Only what is given is named: each named property becomes an output with promises of its own. What was left out is
 * answered by {@link declareOptional}. Of a resource that is looked up by its id everything is named, since its state
 * decides what there is.
 *
 * @param native Whether the plugin serves the resource: it needs no provider text.
 * @throws {pulumi.RunError} where an argument, or a member of one, is missing
 */
export function properties(
  kind: Kind,
  name: string,
  args: object,
  options: pulumi.CustomResourceOptions | undefined,
  native: boolean,
): pulumi.Inputs {
  judgeUnknownKeys();
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
  const connection = kind.connection && given[kind.connection];
  const props: pulumi.Inputs = isLookup(options)
    ? { ...named([...kind.required, ...kind.optional]), ...given }
    : { ...given, ...judged(kind, name, given, native) };
  if (kind.connection && connection !== undefined) props[kind.connection] = withSecrets(connection);
  return {
    ...named(kind.outputs.filter((output) => !(output in props))),
    ...props,
    ...(!native && { __provider: providerText(kind.type) }),
  };
}

/** True for `new PrefixSet(…, { id })`, which reads a resource and manages nothing. */
export function isLookup(options: pulumi.CustomResourceOptions | undefined): boolean {
  return options?.id !== undefined || options?.urn !== undefined;
}

/**
 * Makes arguments that were not given Outputs all the same, made when a program asks for them: `resource.reason` is an
 * Output of `undefined`. What transforms of the stack add to a resource is not seen there.
 */
export function declareOptional(resource: { readonly prototype: object }, { optional, connection }: Kind): void {
  for (const property of [...optional, ...(connection ? [connection] : [])]) {
    Object.defineProperty(resource.prototype, property, {
      configurable: true,
      get: () => pulumi.output(undefined),
      // The SDK puts the output of a property that is given on the resource itself.
      set(this: object, value: unknown) {
        Object.defineProperty(this, property, { value, configurable: true, enumerable: true, writable: true });
      },
    });
  }
}

/**
 * Looks, once it is registered, whether the run makes a resource: one that `--target` or `--exclude` leaves out, and that the
 * stack does not have, has no id after an update, and in a preview not even its own arguments.
 */
export function watchLeftOut(resource: pulumi.CustomResource, kind: Kind, name: string, args: object): void {
  const output = pulumi.runtime.isDryRun() ? argumentOf(resource, kind, args) : resource.id;
  // Not declared, but what copies of the SDK of different versions know of each other's Outputs.
  const { isKnown } = (output ?? {}) as { readonly isKnown?: Promise<boolean> };
  const engine = engineAddress();
  if (engine === undefined || isKnown === undefined) return;
  // Loaded here, since most programs need none of it.
  const say = async () => {
    const { sayLeftOut } = await import("./left-out.js");
    await sayLeftOut(kind.type, name, engine, { ...args });
  };
  // A registration that fails is reported by the engine.
  void isKnown.then((known) => (known ? undefined : say())).catch(() => undefined);
}

/** An argument that is given as a plain value, as the resource has it. */
function argumentOf(resource: object, { required }: Kind, args: object): unknown {
  const given = Object.entries(args).find(([name, value]) => required.includes(name) && isPlain(value));
  return given && Object.entries(resource).find(([name]) => name === given[0])?.[1];
}

function judged(kind: Kind, name: string, given: JsonObject, native: boolean): pulumi.Inputs {
  const label = `${kind.type} "${name}"`;
  const props: pulumi.Inputs = {};
  const deferred: Promise<SecretParts>[] = [];
  for (const argument of new Set([...kind.required, ...Object.keys(given)])) {
    if (argument === kind.connection) continue;
    const value = given[argument];
    const isRequired = kind.required.includes(argument);
    const inspected = inspect(label, argument, value, isRequired);
    if (!inspected && isPlain(value)) continue;
    // Arguments like `shortestPrefix` have no members that can be missing.
    const later = inspected ?? pulumi.isSecret(pulumi.output(value)).then((secret) => (secret ? [argument] : []));
    const isIdentity = kind.identity.includes(argument);
    const parts = isIdentity ? later.then((secret) => inTheClear(label, argument, secret)) : later;
    deferred.push(parts);
    // Waiting for the verdict keeps the engine from seeing what is refused. What is secret in a part becomes so as a whole: the
    // notes of a node's own entries stand beside them in the state.
    if (isRequired || isIdentity) {
      props[argument] = pulumi
        .output(parts)
        .apply((secret) => (secret.includes(argument) ? pulumi.secret(value) : value));
    }
  }
  // The plugin is told by the engine what is secret.
  return deferred.length === 0 || native ? props : { ...props, ...markings(kind, deferred) };
}

/** The provider sees everything in the clear, so it is told what to keep to itself, and which outputs repeat it. */
function markings({ repeats }: Kind, deferred: readonly Promise<SecretParts>[]): pulumi.Inputs {
  const names = Promise.allSettled(deferred).then((results) => {
    const found = results.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
    return [...new Set(found)].sort();
  });
  const hidden = { [SECRETS_KEY]: pulumi.output(names).apply((found) => (found.length > 0 ? found : undefined)) };
  if (!repeats) return hidden;
  const { argument, output } = repeats;
  const holdPrefixes = (found: readonly string[]) => found.some((name) => HOLDING_PREFIXES.includes(name));
  const whole = pulumi.output(names).apply((found) => holdPrefixes(found) || undefined);
  const markWhere = (isSecret: (found: readonly string[]) => boolean) =>
    pulumi.output(names).apply((found) => (isSecret(found) ? pulumi.secret(SECRET_MARK) : undefined));
  return {
    ...hidden,
    [SECRET_PREFIXES]: whole,
    [LISTS_KEY]: markWhere(holdPrefixes),
    [output]: markWhere((found) => found.includes(argument) || found.includes(output)),
  };
}

function inTheClear(label: string, argument: string, secret: SecretParts): SecretParts {
  if (secret.length === 0) return secret;
  const remedy =
    argument === "prefix"
      ? "a PrefixSet with exclusive: false keeps prefixes as secrets in its entries"
      : "use a name that may be seen";
  throw new pulumi.RunError(
    `${label}: ${argument} is a secret, but stands in the id and the url of the resource, which are shown everywhere: give it without pulumi.secret, or with pulumi.unsecret(…); ${remedy}.`,
  );
}

function named(properties: readonly string[]): Record<string, undefined> {
  return Object.fromEntries(properties.map((property) => [property, undefined]));
}
