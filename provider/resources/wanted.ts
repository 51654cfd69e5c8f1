/** Place of a set or signaling: a node or receiver by its name in the configuration, if it has one, and by its address. */
export interface Place {
  readonly name?: string | undefined;
  readonly endpoint: string;
}

/** Name of a receiver's signalings in the registries of keys and in the audit log, where a set has its url. */
export const SIGNALING = "signaling";

/** The keys of one object at one place, for example the prefixes of a set. */
export interface Keys {
  has(key: string): boolean;
  add(keys: Iterable<string>): void;
  /** The same with keys that are not to be changed: many of them are kept as they are. */
  take(keys: Collection): void;
  /** The same with keys that may be those of other places, too: they are kept as they are, and are not to be changed. */
  share(keys: Collection): void;
}

/** From so many keys on it costs less to ask one collection more for each key than to add them all to another. */
const KEPT_FROM = 1_000;

/** Keys as they are known at any later moment. */
export interface KeysHere extends Iterable<string> {
  /** Upper bound of their number: 0 only if there is none. */
  readonly size: number;
  has(key: string): boolean;
}

/** A set of keys, or a map by keys. */
type Collection = Pick<ReadonlyMap<string, unknown>, "has" | "keys" | "size">;

/** Keys added one by one, and keys that many places share: a group of a thousand nodes keeps its entries once. */
class KnownKeys implements KeysHere {
  readonly own = new Set<string>();
  readonly shared = new Set<Collection>();

  constructor(
    private readonly address: string,
    private readonly others?: OtherProcesses,
  ) {}

  get size(): number {
    let size = this.own.size + (this.others?.told(this.address).size ?? 0);
    for (const keys of this.shared) size += keys.size;
    return size;
  }

  has(key: string): boolean {
    return this.hasHere(key) || this.others?.told(this.address).has(key) === true;
  }

  /** True for what came up in this process. */
  hasHere(key: string): boolean {
    if (this.own.has(key)) return true;
    for (const keys of this.shared) if (keys.has(key)) return true;
    return false;
  }

  *[Symbol.iterator](): IterableIterator<string> {
    yield* this.own;
    for (const keys of this.shared) yield* keys.keys();
  }
}

/** Messages between the provider processes of one deployment. */
export interface OtherProcesses {
  /** Tells them that these keys have come up at each of the addresses. */
  tell(addresses: readonly string[], keys: readonly string[]): void;
  /**
   * Takes in what they have told so far: before anything is decided.
   *
   * @returns why they and this one may not know of each other, as a sentence with the way out
   */
  learn(): string | undefined;
  /** The keys that one of them told of for an address, as far as that was learnt. */
  told(address: string): Pick<KeysHere, "has" | "size">;
}

/** Kind of a registry. Owned keys are in a state, leaving ones in that of a resource which is replaced; removed and changed ones count from the first question. */
type Kind = "wanted" | "owned" | "leaving" | "removed" | "changed";

/**
 * Keys (prefixes of a set, prefixes of a receiver) that have come up in this deployment so far, in whichever of its
 * provider processes. Renames, `--replace` and loops whose index shifts create first and delete the same key afterwards; the
 * deletion asks here before it removes anything. A key is found under the name of its node or under its address, so that a
 * change of one of them hides nothing.
 */
export class KeyRegistry {
  private readonly keys = new Map<string, KnownKeys>();

  constructor(
    private readonly kind: Kind,
    private readonly others?: OtherProcesses,
  ) {}

  /** The keys of an object, as they are known at any later moment. */
  of(place: Place, object: string): Keys {
    const where = addresses(place, object);
    const recorded = where.map((address) => this.recorded(address));
    const anywhere = this.recorded(object);
    const all: Keys = {
      has: (key) => {
        for (const keys of recorded) if (keys.has(key)) return true;
        return false;
      },
      add: (added) => {
        const fresh = [...added].filter((key) => !recorded.every((keys) => keys.hasHere(key)));
        for (const key of fresh) for (const keys of [...recorded, anywhere]) keys.own.add(key);
        this.tell([...where, object], fresh);
      },
      take: (keys) => (keys.size < KEPT_FROM ? all.add(keys.keys()) : all.share(keys)),
      share: (keys) => this.addAll([place], object, keys),
    };
    return all;
  }

  /** Adds the same keys at many places. They are kept once, and are not to be changed. */
  addAll(places: readonly Place[], object: string, keys: Collection): void {
    const where = places.flatMap((place) => addresses(place, object));
    for (const address of [...where, object]) this.recorded(address).shared.add(keys);
    this.tell([...where, object], [...keys.keys()]);
  }

  /** The keys that were recorded for an object at an address, under whatever name. Only those of this process are named one by one. */
  at({ endpoint }: Pick<Place, "endpoint">, object: string): KeysHere {
    return this.recorded(`at ${endpoint}\n${object}`);
  }

  /** The keys that were recorded for an object at one place or another. */
  anywhere(object: string): KeysHere {
    return this.recorded(object);
  }

  /** The keys that other processes of the deployment recorded for an object, wherever it is. */
  ofOthers(object: string): Pick<KeysHere, "has"> {
    return { has: (key) => this.others?.told(this.named(object)).has(key) === true };
  }

  private recorded(address: string): KnownKeys {
    const keys = this.keys.get(address) ?? new KnownKeys(this.named(address), this.others);
    this.keys.set(address, keys);
    return keys;
  }

  private tell(addresses: readonly string[], keys: readonly string[]): void {
    this.others?.tell(
      addresses.map((address) => this.named(address)),
      keys,
    );
  }

  private named(address: string): string {
    return `${this.kind} ${address}`;
  }
}

function addresses({ name, endpoint }: Place, object: string): string[] {
  const byAddress = `at ${endpoint}\n${object}`;
  return name === undefined ? [byAddress] : [byAddress, `named ${name}\n${object}`];
}
