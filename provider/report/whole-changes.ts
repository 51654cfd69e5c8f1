import { addressesOf } from "./entry-lists";
import type { WholeChange } from "./model";

type Shared = Omit<WholeChange, "names" | "prefixes" | "addresses">;

/** Resources that are deleted or replaced; single entries of one set that share a fate are one item. */
export class WholeChanges {
  private readonly items = new Map<string, { shared: Shared; names: string[]; prefixes: string[] }>();

  /** @param prefixes What the resource held. */
  add(name: string, prefixes: readonly string[], shared: Shared): void {
    const key = JSON.stringify(shared.type === "PrefixSetEntry" ? shared : [name, this.items.size]);
    const item = this.items.get(key) ?? { shared, names: [], prefixes: [] };
    item.names.push(name);
    for (const prefix of prefixes) item.prefixes.push(prefix);
    this.items.set(key, item);
  }

  report(): WholeChange[] {
    return [...this.items.values()].map(({ shared, names, prefixes }) => ({
      ...shared,
      names,
      prefixes: prefixes.length,
      addresses: addressesOf(prefixes),
    }));
  }
}
