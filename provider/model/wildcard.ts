/**
 * A pattern for set addresses and stack names: `*` stands for any characters but `/`, `**` for any characters. Takes at most
 * quadratic time, whatever the pattern: only the last `*` and the last `**` are tried again.
 *
 * @example
 * ```ts
 * matches("prefixset://edge/blocked*", "prefixset://edge/blocked-v6");   // true
 * matches("prefixset://edge*", "prefixset://edge/web/blocked");          // false: one `*` stays within one name
 * matches("prefixset://edge**", "prefixset://edge/web/blocked");         // true
 * ```
 */
export function matches(pattern: string, text: string): boolean {
  let [at, inText] = [0, 0];
  // Positions in pattern and text from which a wildcard matches one more character.
  let within: { pattern: number; text: number } | undefined;
  let across: { pattern: number; text: number } | undefined;
  while (true) {
    if (pattern.startsWith("**", at)) {
      at += 2;
      across = { pattern: at, text: inText };
      within = undefined;
    } else if (pattern[at] === "*") {
      at += 1;
      within = { pattern: at, text: inText };
    } else if (inText < text.length && pattern[at] === text[inText]) {
      at += 1;
      inText += 1;
    } else if (inText === text.length && at === pattern.length) {
      return true;
    } else if (within && within.text < text.length && text[within.text] !== "/") {
      within.text += 1;
      at = within.pattern;
      inText = within.text;
    } else if (across && across.text < text.length) {
      across.text += 1;
      within = undefined;
      at = across.pattern;
      inText = across.text;
    } else {
      return false;
    }
  }
}
