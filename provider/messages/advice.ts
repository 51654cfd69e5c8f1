/** Advice in errors, shown once a run: of a hundred equal refusals the first has it, the others only failure and node. */
export class Advice {
  private readonly known = new Set<string>();
  private readonly said = new Set<string>();
  private readonly lines = new Map<string, string>();

  /** Registers sentences as advice, at any place in an error. @returns those that are given */
  of(...sentences: readonly (string | undefined)[]): string[] {
    const given = sentences.filter((sentence) => sentence !== undefined);
    for (const sentence of given) this.known.add(sentence);
    return given;
  }

  /** The texts of an error without repeated advice. */
  once(texts: readonly string[]): string[] {
    return texts.map((text) => [...this.known].reduce((rest, advice) => this.without(rest, advice), text));
  }

  /** A line without repeated advice; equal texts make equal lines. */
  line(text: string): string {
    const line = this.lines.get(text) ?? this.once([text]).join("");
    this.lines.set(text, line);
    return line;
  }

  private without(text: string, advice: string): string {
    const [first = "", ...others] = text.split(` ${advice}`);
    if (others.length === 0) return text;
    const isSaid = this.said.has(advice);
    this.said.add(advice);
    return isSaid ? [first, ...others].join("") : `${first} ${advice}${others.join("")}`;
  }
}
