/**
 * Advice of errors, given once a run: if a hundred nodes refuse alike, the first error has it, and the
 * others keep what failed at which node.
 */
export class Advice {
  private readonly known = new Set<string>();
  private readonly said = new Set<string>();
  private readonly lines = new Map<string, string>();

  /** Knows sentences as advice, wherever they stand in an error. @returns them, joined; nothing where there are none */
  of(...sentences: readonly (string | undefined)[]): string[] {
    const given = sentences.filter((sentence) => sentence !== undefined);
    for (const sentence of given) this.known.add(sentence);
    return given;
  }

  /** The texts of an error, without advice that stands before in it or in an earlier one. */
  once(texts: readonly string[]): string[] {
    return texts.map((text) => [...this.known].reduce((rest, advice) => this.without(rest, advice), text));
  }

  /** A line without advice that stands in an earlier one: the same text makes the same line. */
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
