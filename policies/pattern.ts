import { matches } from "../provider/model/wildcard";

/**
 * True if a pattern matches the name of a set or stack, in any case of letters: whether a node distinguishes case must not
 * change the effect of a rule.
 */
export function binds(pattern: string, text: string): boolean {
  return matches(oneForm(pattern), oneForm(text));
}

/**
 * True if a pattern matches this set, or the set of the same name without a profile: `prefixset://*\/blocked` is meant for
 * local sets, too.
 */
export function bindsSet(pattern: string, url: string): boolean {
  return binds(pattern, url) || binds(pattern, withoutProfile(url));
}

/** `prefixset://arena/set` for `prefixset://arena/profile/set`. */
function withoutProfile(url: string): string {
  return url.replace(/^(prefixset:\/\/[^/]*)\/[^/]*(\/[^/]*)$/, "$1$2");
}

/** True if one of the patterns matches exactly, which is required to lift a rule. */
export function matchesAny(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => matches(pattern, text));
}

/** Upper case first, so that `ß` and `ſ` equal `ss` and `s`. */
function oneForm(text: string): string {
  return text.normalize("NFC").toUpperCase().toLowerCase();
}
