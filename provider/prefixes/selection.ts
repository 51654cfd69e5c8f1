import { type Members, member } from "./lists/list";
import { shown } from "./shown";

/** Which records are wanted: the option `select`. Remembers what it saw, for the message when nothing fits. */
export class Selection {
  private readonly wanted: readonly (readonly [name: string, texts: ReadonlySet<string>])[];
  private readonly names = new Set<string>();
  private readonly values = new Map<string, Set<string>>();

  constructor(private readonly select: Readonly<Record<string, string | readonly string[]>> | undefined) {
    this.wanted = Object.entries(select ?? {}).map(([name, texts]) => [name, new Set([texts].flat())]);
  }

  /** True for a record with every wanted member. */
  takes(members: Members): boolean {
    let taken = true;
    for (const [name, texts] of this.wanted) {
      const value = member(members, name);
      if (texts.has(String(value)) && value !== undefined) continue;
      taken = false;
      this.remember(members, name, value);
    }
    return taken;
  }

  /** Why nothing was taken, and what there is to choose from. */
  explain(): string {
    const choices = this.wanted.map(([name]) => {
      const seen = [...(this.values.get(name) ?? [])];
      if (seen.length > 0) return `its ${name} are for example ${seen.join(", ")}`;
      return `no record has the member ${name}; they have ${[...this.names].join(", ") || "none"}`;
    });
    return `nothing is selected by ${shown(JSON.stringify(this.select))}: ${choices.join("; ")}.`;
  }

  private remember(members: Members, name: string, value: unknown): void {
    if (this.names.size < 20) for (const one of Object.keys(members).slice(0, 20)) this.names.add(one);
    if (value === undefined) return;
    const seen = this.values.get(name) ?? new Set<string>();
    if (seen.size < 5) this.values.set(name, seen.add(shown(String(value))));
  }
}
