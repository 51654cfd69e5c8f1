/** Where something is kept: a node or receiver by its name in the configuration, if it has one, and by its address. */
export interface Place {
  readonly name?: string | undefined;
  readonly endpoint: string;
}

/**
 * Keys (prefixes of a set, prefixes of a receiver) that this deployment has spoken of so far. Renames, `--replace` and
 * loops whose index shifts create first and delete the same key afterwards; the deletion asks here before it removes
 * anything. A key is found under the name of its node or under its address, so that a change of one of them hides nothing.
 */
export class KeyRegistry {
  private readonly keys = new Map<string, Set<string>>();

  /** Records keys of one object, for example the prefixes of a set. */
  add(place: Place, object: string, keys: Iterable<string>): void {
    for (const address of addresses(place, object)) {
      let known = this.keys.get(address);
      if (!known) {
        known = new Set();
        this.keys.set(address, known);
      }
      for (const key of keys) known.add(key);
    }
  }

  /** True when the key was recorded for this object at this place. */
  has(place: Place, object: string, key: string): boolean {
    return addresses(place, object).some((address) => this.keys.get(address)?.has(key));
  }
}

function addresses({ name, endpoint }: Place, object: string): string[] {
  const byAddress = `at ${endpoint}\n${object}`;
  return name === undefined ? [byAddress] : [byAddress, `named ${name}\n${object}`];
}
