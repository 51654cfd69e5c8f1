import type { JsonObject } from "../model/json";
import { member } from "./lists/list";
import type { PrefixFileOptions } from "./options";
import { shown } from "./problems";

/** The option `select`. Remembers members that it saw, for the message if no record matches. */
export class Selection {
  private readonly selected: readonly (readonly [name: string, texts: ReadonlySet<string>])[];
  private readonly memberNames = new Set<string>();
  private readonly values = new Map<string, Set<string>>();

  constructor(select: PrefixFileOptions["select"]) {
    this.selected = Object.entries(select ?? {}).map(([name, value]) => [name, new Set([value].flat().map(String))]);
  }

  /** True for a record with every wanted member. */
  takes(members: JsonObject): boolean {
    let taken = true;
    for (const [name, texts] of this.selected) {
      const value = member(members, name);
      if (valuesOf(value).some((one) => texts.has(String(one)))) continue;
      taken = false;
      this.remember(members, name, value);
    }
    return taken;
  }

  /** True if the user selects by this member, which lists then do not omit by. */
  names(member: string): boolean {
    return this.selected.some(([name]) => name === member);
  }

  /** Reason why no record matched, with values to choose from. */
  explain(): string {
    const choices = this.selected.map(([name]) => {
      const examples = [...(this.values.get(name) ?? [])];
      if (examples.length > 0) return `its ${name} are for example ${examples.join(", ")}`;
      return `no record has the member ${name}; they have ${[...this.memberNames].join(", ") || "none"}`;
    });
    const given = this.selected.flatMap(([name, texts]) => [...texts].map((text) => `${name}=${text}`));
    return `nothing is selected by ${shown(given.join(", "))}: ${choices.join("; ")}.`;
  }

  private remember(members: JsonObject, name: string, value: unknown): void {
    if (this.memberNames.size < 20) for (const one of Object.keys(members).slice(0, 20)) this.memberNames.add(one);
    const examples = this.values.get(name) ?? new Set<string>();
    for (const one of valuesOf(value)) if (examples.size < 5) this.values.set(name, examples.add(shown(String(one))));
  }
}

function valuesOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
