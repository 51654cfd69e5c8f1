/** Place of a set or signaling: a node or receiver by its name in the configuration, if any, and its address. */
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
  /** {@link add} for a collection that does not change: a large one is kept without a copy. */
  take(keys: Collection): void;
  /** {@link take} for a collection that several places share: it is always kept without a copy. */
  share(keys: Collection): void;
}

/** Size from which one more lookup for each key costs less than a copy of the collection. */
const KEPT_FROM = 1_000;

/** A live view of keys. */
export interface KeysHere extends Iterable<string> {
  /** Upper bound of their number; 0 only if there are none. */
  readonly size: number;
  has(key: string): boolean;
}

/** A set of keys, or a map by keys. */
type Collection = Pick<ReadonlyMap<string, unknown>, "has" | "keys" | "size">;

/** Keys added one by one, and keys that many places share: a group of a thousand nodes keeps its entries once. */
class KnownKeys implements KeysHere {
  readonly own = new Set<string>();
  readonly shared = new Set<Collection>();

  /** @param addresses Those under which other processes tell of them. */
  constructor(
    private readonly addresses: readonly string[],
    private readonly others?: OtherProcesses,
  ) {}

  get size(): number {
    let size = this.own.size;
    for (const address of this.addresses) size += this.others?.received(address).size ?? 0;
    for (const keys of this.shared) size += keys.size;
    return size;
  }

  has(key: string): boolean {
    return this.hasHere(key) || this.addresses.some((address) => this.others?.received(address).has(key));
  }

  /** True for a key of this process. */
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

/** Stands for the address of a place that the process does not know. */
const ANY = "any";

/** Messages between the provider processes of one deployment. */
export interface OtherProcesses {
  /** Sends these keys for each of the addresses. */
  publish(addresses: readonly string[], keys: readonly string[]): void;
  /** Reads their messages so far, before a decision. @returns why that may fail on one side, as a sentence with the remedy */
  sync(): string | undefined;
  /** Keys of others for an address, by the messages read so far. */
  received(address: string): Pick<KeysHere, "has" | "size">;
}

/** Kind of a registry. Managed keys are in a state, adopted ones come into one in this run, the last two are counted. */
type Kind = "desired" | "managed" | "adopted" | "removed" | "changed";

/**
 * Prefixes of sets and receivers that this deployment has met so far, in any of its provider processes. Renames, `--replace`
 * and loops with a shifted index create a key first and then delete it: the delete asks here before it removes anything. A
 * key is found by the name of its node or by its address, so that a change of one of them hides nothing. A name belongs to the
 * configuration of one process: another may give it to another node, and learns the address alone.
 */
export class KeyRegistry {
  private readonly keys = new Map<string, KnownKeys>();

  constructor(
    private readonly kind: Kind,
    private readonly others?: OtherProcesses,
  ) {}

  /** The keys of an object, as a live view. */
  of(place: Place, object: string): Keys {
    const where = addresses(place, object);
    const recorded = where.map((address) => this.recorded(address, object));
    const anywhere = this.recorded(object, object);
    const all: Keys = {
      has: (key) => {
        for (const keys of recorded) if (keys.has(key)) return true;
        return false;
      },
      add: (added) => {
        const fresh = [...added].filter((key) => !recorded.every((keys) => keys.hasHere(key)));
        for (const key of fresh) for (const keys of [...recorded, anywhere]) keys.own.add(key);
        this.publish([place], object, fresh);
      },
      take: (keys) => (keys.size < KEPT_FROM ? all.add(keys.keys()) : all.share(keys)),
      share: (keys) => this.addAll([place], object, keys),
    };
    return all;
  }

  /** Adds the same keys at many places; without one, at any of other processes. They are kept once, and must not change. */
  addAll(places: readonly Place[], object: string, keys: Collection): void {
    const where = places.flatMap((place) => addresses(place, object));
    for (const address of [...where, object]) this.recorded(address, object).shared.add(keys);
    this.publish(places, object, [...keys.keys()]);
  }

  /** Keys of an object at an address, under any name. Only those of this process can be listed. */
  at({ endpoint }: Pick<Place, "endpoint">, object: string): KeysHere {
    return this.recorded(atAddress(endpoint, object), object);
  }

  /** Keys of an object at any place. */
  anywhere(object: string): KeysHere {
    return this.recorded(object, object);
  }

  /** Keys of an object at any place, by other processes of the deployment. */
  ofOthers(object: string): Pick<KeysHere, "has"> {
    return { has: (key) => this.others?.received(this.named(object)).has(key) === true };
  }

  private recorded(address: string, object: string): KnownKeys {
    const received = [address, atAddress(ANY, object)].map((it) => this.named(it));
    const keys = this.keys.get(address) ?? new KnownKeys(received, this.others);
    this.keys.set(address, keys);
    return keys;
  }

  private publish(places: readonly Place[], object: string, keys: readonly string[]): void {
    const where = places.length > 0 ? places : [{ endpoint: ANY }];
    const addresses = [...where.map(({ endpoint }) => atAddress(endpoint, object)), object];
    this.others?.publish(
      addresses.map((address) => this.named(address)),
      keys,
    );
  }

  private named(address: string): string {
    return `${this.kind} ${address}`;
  }
}

function addresses({ name, endpoint }: Place, object: string): string[] {
  const byAddress = atAddress(endpoint, object);
  return name === undefined ? [byAddress] : [byAddress, `named ${name}\n${object}`];
}

function atAddress(endpoint: string, object: string): string {
  return `at ${endpoint}\n${object}`;
}
