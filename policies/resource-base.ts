import { type CanonicalPrefix, Prefix } from "../provider/model/prefix";
import type { ResourceKind } from "../provider/model/resource-kind";
import { type Connection, connectionOf } from "./connection";
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
  /** Variables of the run. Default: none. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
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

  /** Connection of an argument; without a value, that of the configuration or the environment. */
  protected connection(kind: "node" | "receiver"): Connection {
    return connectionOf(kind, this.get(kind), this.meta);
  }
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
