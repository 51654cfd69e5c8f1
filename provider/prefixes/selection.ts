import type { JsonObject } from "../model/json";
import { member } from "./lists/list";
import type { PrefixFileOptions } from "./options";
import { shown } from "./problems";

/** The option `select`. Remembers members that it saw, for the message if no record matches. */
export class Selection {
  private readonly wanted: readonly (readonly [name: string, texts: ReadonlySet<string>])[];
  private readonly seen = new Set<string>();
  private readonly values = new Map<string, Set<string>>();

  constructor(private readonly select: PrefixFileOptions["select"]) {
    this.wanted = Object.entries(select ?? {}).map(([name, wanted]) => [name, new Set([wanted].flat().map(String))]);
  }

  /** True for a record with every wanted member. */
  takes(members: JsonObject): boolean {
    let taken = true;
    for (const [name, texts] of this.wanted) {
      const value = member(members, name);
      if (valuesOf(value).some((one) => texts.has(String(one)))) continue;
      taken = false;
      this.remember(members, name, value);
    }
    return taken;
  }

  /** True if the user selects by this member, which lists then do not omit by. */
  names(member: string): boolean {
    return this.wanted.some(([name]) => name === member);
  }

  /** Reason why no record matched, with values to choose from. */
  explain(): string {
    const choices = this.wanted.map(([name]) => {
      const seen = [...(this.values.get(name) ?? [])];
      if (seen.length > 0) return `its ${name} are for example ${seen.join(", ")}`;
      return `no record has the member ${name}; they have ${[...this.seen].join(", ") || "none"}`;
    });
    return `nothing is selected by ${shown(JSON.stringify(this.select))}: ${choices.join("; ")}.`;
  }

  private remember(members: JsonObject, name: string, value: unknown): void {
    if (this.seen.size < 20) for (const one of Object.keys(members).slice(0, 20)) this.seen.add(one);
    const seen = this.values.get(name) ?? new Set<string>();
    for (const one of valuesOf(value)) if (seen.size < 5) this.values.set(name, seen.add(shown(String(one))));
  }
}

function valuesOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
