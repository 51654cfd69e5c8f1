import * as pulumi from "@pulumi/pulumi";
import { providerText } from "../engine/provider-text";
import {
  HOLDING_PREFIXES,
  LISTS_KEY,
  SECRET_MARK,
  SECRET_PREFIXES,
  SECRETS_KEY,
  secretIdentity,
} from "../engine/secret-names";
import type { JsonObject } from "../model/json";
import { withSecrets } from "./connection";
import { isPlain } from "./inputs";
import { inspect, type SecretParts } from "./inspection";
import { theRun } from "./run";
import { engineAddress } from "./settings";

/** Description of a class by its arguments and outputs. */
export interface Kind {
  /** The type without its namespace. */
  readonly type: "PrefixSet" | "PrefixSetEntry" | "PrefixSetGroup" | "CloudSignaling";
  /** Required arguments. */
  readonly required: readonly string[];
  /** Arguments in id and url, which are shown in the clear. */
  readonly identity: readonly string[];
  readonly optional: readonly string[];
  /** Absent for a group, which names its nodes. */
  readonly connection?: "node" | "receiver";
  /** Outputs that are not arguments. */
  readonly outputs: readonly string[];
  /** The output that repeats an argument: it is secret if that is. */
  readonly repeats?: { readonly argument: string; readonly output: string };
}

/**
 * The properties for the registration of a resource. They name only given arguments, since each becomes an output with its own
 * promises; {@link declareOptional} answers for the others. A lookup by id names all, since its state decides which exist.
 *
 * @param native True if the plugin serves the resource, which needs no provider text then.
 * @throws {pulumi.RunError} for a missing argument or member
 */
export function properties(
  kind: Kind,
  name: string,
  args: object,
  options: pulumi.CustomResourceOptions | undefined,
  native: boolean,
): pulumi.Inputs {
  theRun().judgeKeys();
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
 * Makes Outputs of arguments that were not given, when a program reads them: `resource.reason` is an Output of `undefined`.
 * Arguments that transforms of the stack add are not seen there.
 */
export function declareOptional(resource: { readonly prototype: object }, { optional, connection }: Kind): void {
  for (const property of [...optional, ...(connection ? [connection] : [])]) {
    Object.defineProperty(resource.prototype, property, {
      configurable: true,
      get: () => pulumi.output(undefined),
      // The SDK sets the output of a given property on the resource itself.
      set(this: object, value: unknown) {
        Object.defineProperty(this, property, { value, configurable: true, enumerable: true, writable: true });
      },
    });
  }
}

/**
 * Finds out, after the registration, if the run leaves out a resource (`--target`, `--exclude`) that the stack does not have: it
 * has no id after an update, and in a preview no arguments.
 */
export function watchLeftOut(
  resource: pulumi.CustomResource,
  kind: Kind,
  name: string,
  args: object,
  native: boolean,
): void {
  const output = pulumi.runtime.isDryRun() ? argumentOf(resource, kind, args) : resource.id;
  // Not declared, but copies of the SDK in different versions share it.
  const { isKnown } = (output ?? {}) as { readonly isKnown?: Promise<boolean> };
  const engine = engineAddress();
  if (engine === undefined || isKnown === undefined) return;
  // Loaded here, since most programs need none of it.
  const say = async () => {
    const { sayLeftOut } = await import("./left-out.js");
    await sayLeftOut(kind.type, name, { ...args }, { engine, native });
  };
  // A registration that fails is reported by the engine.
  void isKnown.then((known) => (known ? undefined : say())).catch(() => undefined);
}

/** The resource's output of an argument that was given as a plain value. */
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
    // The engine waits for the verdict, and sees no refused value. An argument with a secret part is secret as a whole: the
    // notes of a node's own entries are beside them in the state.
    if (isRequired || isIdentity) {
      props[argument] = pulumi
        .output(parts)
        .apply((secret) => (secret.includes(argument) ? pulumi.secret(value) : value));
    }
  }
  // The engine marks secrets for the plugin.
  return deferred.length === 0 || native ? props : { ...props, ...markings(kind, deferred) };
}

/** Names of secret arguments and marks of outputs that repeat them, for a provider that sees everything in the clear. */
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
  throw new pulumi.RunError(`${label}: ${secretIdentity(argument)}`);
}

function named(properties: readonly string[]): Record<string, undefined> {
  return Object.fromEntries(properties.map((property) => [property, undefined]));
}
