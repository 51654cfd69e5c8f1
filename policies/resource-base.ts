import { membersOf } from "../provider/model/json";
import { type CanonicalPrefix, Prefix } from "../provider/model/prefix";
import { jsonIn } from "../provider/model/readable";
import type { ResourceKind } from "../provider/model/resource-kind";
import { isUnknown, NotYetKnown } from "./not-yet-known";

/** Data of the engine about a resource, besides its properties. */
export interface ResourceMeta {
  /** Class of the resource. */
  readonly kind: ResourceKind;
  /** URN of the resource. */
  readonly urn: string;
  /** Name in the program. */
  readonly name: string;
  /** The option `protect`. */
  readonly protect: boolean;
  /** The stack configuration that the resource's provider has, keys with namespace; holds secrets in the clear. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/** A resource by its properties; some may not be known before the update. */
export class ResourceBase {
  constructor(
    readonly meta: ResourceMeta,
    protected readonly raw: Readonly<Record<string, unknown>>,
  ) {}

  /** Name in the program. */
  get name(): string {
    return this.meta.name;
  }

  /** URN of the resource. */
  get urn(): string {
    return this.meta.urn;
  }

  /** True if the prefixes are secret: then no message names one. */
  get hidesPrefixes(): boolean {
    return this.raw[SECRET_PREFIXES] === true;
  }

  /** The stack, from the URN: `urn:pulumi:STACK::PROJECT::…`. */
  get stack(): string {
    return /^urn:pulumi:(.*?)::/.exec(this.meta.urn)?.[1] ?? "";
  }

  /** @throws {NotYetKnown} */
  protected get(property: string): unknown {
    const value = this.raw[property];
    if (isUnknown(value)) throw new NotYetKnown(property);
    return value;
  }

  protected text(property: string): string | undefined {
    const value = this.get(property);
    return typeof value === "string" ? value : undefined;
  }

  protected prefixList(property: string): readonly Prefix[] {
    const value = this.get(property);
    const texts = Array.isArray(value) ? value : [];
    if (texts.some(isUnknown)) throw new NotYetKnown(property);
    return texts.flatMap((text) => parsePrefix(text) ?? []);
  }

  /** Texts of a list that are not prefixes. */
  protected unreadableIn(texts: readonly unknown[]): string[] {
    const unreadable = texts.filter((text) => !isUnknown(text) && !parsePrefix(text));
    return unreadable.map((text) => (this.hidesPrefixes ? SECRET : quoted(text)));
  }

  /** Connection by a property, by a name in the configuration, or by the configuration's default. */
  protected connection(property: "node" | "receiver", keys: ConnectionKeys): Connection {
    const value = this.get(property);
    const config = this.meta.config ?? {};
    if (typeof value === "string") return this.named(value, keys);
    if (typeof value !== "object" || value === null) {
      const url = urlIn(config, keys.one);
      return url.url === undefined ? urlIn(json(config[keys.members]), keys.url) : url;
    }
    if (isUnknown(membersOf(value)[keys.url])) throw new NotYetKnown(`${property}.${keys.url}`);
    return urlIn(value, keys.url);
  }

  /** Connection of a name in the configuration. */
  protected named(name: string, keys: ConnectionKeys): Connection {
    return { name, ...urlIn(json(membersOf(json(this.meta.config?.[keys.many]))[name]), keys.url) };
  }
}

/** Keys of the configuration for one kind of connection, and the member that holds its address. */
interface ConnectionKeys {
  /** Key of the unnamed one's address. */
  readonly one: string;
  /** Key of its other members. */
  readonly members: string;
  readonly many: string;
  readonly url: string;
}

/** Node or receiver as a resource names it. */
export interface Connection {
  /** Name in the configuration; absent for an address and for the unnamed one. */
  readonly name?: string;
  /** May hold secrets: never part of a message. */
  readonly url?: string;
}

/** Text in messages in place of a secret. */
export const SECRET = "[secret]";

/** Argument by which the classes and the provider mark secret prefixes. */
const SECRET_PREFIXES = "secretPrefixes";

/**
 * Parses a prefix; `undefined` for other texts. `check` refuses these before a policy runs; the rule `readable` reports those
 * of another provider or of an edited state.
 */
export function parsePrefix(text: unknown): Prefix | undefined {
  if (typeof text !== "string") return undefined;
  let prefix = parsed.get(text);
  if (prefix === undefined) {
    try {
      prefix = Prefix.fromCanonical(text as CanonicalPrefix);
    } catch {
      return undefined;
    }
    if (parsed.size >= MAX_PARSED) parsed.clear();
    parsed.set(text, prefix);
  }
  return prefix;
}

// Every rule gets its own copy of the properties from `@pulumi/policy`; the prefixes in them are parsed once for all.
const MAX_PARSED = 200_000;
const parsed = new Map<string, Prefix>();

/** A foreign text for a message: short, and without control characters. */
function quoted(value: unknown): string {
  const text = typeof value === "string" ? value : typeof value;
  return JSON.stringify(text.slice(0, LONGEST_QUOTE)).replace(/[^ -~]/g, "�");
}

const LONGEST_QUOTE = 64;

function urlIn(value: unknown, key: string): { url?: string } {
  const url = membersOf(value)[key];
  return typeof url === "string" ? { url } : {};
}

// Structured configuration reaches a provider as JSON text.
export function json(value: unknown): unknown {
  return typeof value === "string" ? jsonIn(value) : value;
}
