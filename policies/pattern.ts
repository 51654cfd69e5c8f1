/**
 * A pattern for set addresses and stack names: `*` stands for any characters but `/`, `**` for any characters.
 *
 * @example
 * ```ts
 * matches("prefixset://edge/blocked*", "prefixset://edge/blocked-v6");   // true
 * matches("prefixset://edge*", "prefixset://edge/web/blocked");          // false: one `*` stays within one name
 * matches("prefixset://edge**", "prefixset://edge/web/blocked");         // true
 * ```
 */
export function matches(pattern: string, text: string): boolean {
  let expression = compiled.get(pattern);
  if (!expression) {
    const source = pattern
      .split(/(\*\*|\*)/)
      .map((part) => (part === "**" ? ".*" : part === "*" ? "[^/]*" : part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&")))
      .join("");
    expression = new RegExp(`^${source}$`, "su");
    compiled.set(pattern, expression);
  }
  return expression.test(text);
}

/** True when one of the patterns matches. */
export function matchesAny(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => matches(pattern, text));
}

// Patterns come from a configuration file: there are few, and each is asked for every resource.
const compiled = new Map<string, RegExp>();
