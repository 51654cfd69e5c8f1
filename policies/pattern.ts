import { matches } from "../provider/model/wildcard";

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
