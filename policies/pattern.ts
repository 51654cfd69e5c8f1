/**
 * A pattern for set addresses and stack names: `*` stands for any characters but `/`, `**` for any characters. Takes no more
 * than quadratic time, whatever stands in a pattern: a `*` is tried again only from where it ended, and none before a `**`.
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
  // Where to go on, in pattern and text, when a wildcard must take one character more.
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

/**
 * True when a pattern that binds a set or stack is for this one. A node may tell names apart that differ in case only, or not:
 * a rule is not to depend on it, so all names are compared in one form.
 */
export function binds(pattern: string, text: string): boolean {
  return matches(oneForm(pattern), oneForm(text));
}

/**
 * True when a pattern that binds sets is for this one, or for the set of the same name without a profile: people who write
 * `prefixset://*\/blocked` mean the sets of that name, wherever they are.
 */
export function bindsSet(pattern: string, url: string): boolean {
  return binds(pattern, url) || binds(pattern, withoutProfile(url));
}

/** `prefixset://arena/set` for `prefixset://arena/profile/set`. */
export function withoutProfile(url: string): string {
  return url.replace(/^(prefixset:\/\/[^/]*)\/[^/]*(\/[^/]*)$/, "$1$2");
}

/** True when one of the patterns matches to the letter: how a rule is lifted. */
export function matchesAny(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => matches(pattern, text));
}

/** Upper case first: `ß` and `ſ` then are as `ss` and `s` are. */
function oneForm(text: string): string {
  return text.normalize("NFC").toUpperCase().toLowerCase();
}
