import { GIVEN_KEY } from "../reconcile/written-inputs";

/**
 * The hidden input with the names of a resource's secret arguments, for example `["entries", "reason"]`; `notes` means the
 * reasons, tickets and times in `entries`. The classes send it if there are any. Displays and policies hide keys with `__`.
 */
export const SECRETS_KEY = "__secret";

/** True in inputs and state of a resource with secret prefixes: policies see neither hidden keys nor secrets, but this. */
export const SECRET_PREFIXES = "secretPrefixes";

/** The hidden output of such a resource with its {@link LISTS}, which the engine would keep in the clear. */
export const LISTS_KEY = "__lists";

/** Outputs that name prefixes. */
export const LISTS = ["adopted", "found", "existed", "unsettled", "differs", "lost", "history", GIVEN_KEY];

/** Arguments that hold prefixes: if one is secret, its prefixes are too. */
export const HOLDING_PREFIXES: readonly unknown[] = ["entries", "prefixes", "nodes"];

/** Value that the classes send under the name of an output with secrets, so that the engine marks that output. */
export const SECRET_MARK = "[secret]";

/** Arguments that may hold the credentials of a node or receiver. */
export const CONNECTIONS: readonly string[] = ["node", "receiver"];

/**
 * Settings of a stack or provider that may hold credentials: a provider keeps each as a secret, in any form. The plugin's schema has
 * them, too.
 *
 * @public
 */
export const SECRET_SETTINGS = ["headers", "secretKey", "node", "receiver", "nodes", "receivers"] as const;

/** Settings that are an address. */
const ADDRESSES: readonly string[] = ["endpoint", "signalingUrl"];

/** User and password, or a token, before the host of an address. */
const USER = /^\s*[a-z][a-z0-9+.-]*:\/\/[^/?#]*@/i;

/** True for an address with credentials in it. */
export function hasUser(address: unknown): boolean {
  return USER.test(String(address));
}

/** True for a setting that a provider keeps as a secret. */
export function isSecretSetting(name: string, value: unknown): boolean {
  return SECRET_SETTINGS.some((secret) => secret === name) || (ADDRESSES.includes(name) && hasUser(value));
}

/** Sentence about a secret in the id or the url of a resource. */
export function secretIdentity(argument: string): string {
  const remedy =
    argument === "prefix"
      ? "a PrefixSet with exclusive: false keeps prefixes as secrets in its entries"
      : "use a name that may be seen";
  return `${argument} is a secret, but stands in the id and the url of the resource, which are shown everywhere: give it without a secret (in TypeScript pulumi.unsecret(…)); ${remedy}.`;
}
