import { prefixIn } from "./readable";

/** A possible address or prefix inside any text. */
const TOKEN = /(?<![0-9A-Fa-f.:])[0-9A-Fa-f.:]+(?:\/\d+)?/g;

/**
 * A text in which `mark` replaces every address and prefix, in whatever spelling. Hosts of urls and the given names stay: a
 * node may be named by its address.
 */
export function withoutPrefixes(text: string, mark: string, names: Iterable<string> = []): string {
  const kept = [...names].flatMap((name) => placesOf(name, text));
  return text.replaceAll(TOKEN, (token, offset: number) => {
    const isHost = text.startsWith("//", offset - 2) || text.startsWith("//[", offset - 3);
    const isName = kept.some(([from, to]) => from <= offset && offset + token.length <= to);
    if (isHost || isName) return token;
    if (isPrefix(token)) return mark;
    // An address may end a sentence, or a mask that is not a length may follow it.
    const word = /^[^/]*[^/.:]/.exec(token)?.[0] ?? "";
    return isPrefix(word) ? `${mark}${token.slice(word.length)}` : token;
  });
}

function isPrefix(token: string): boolean {
  if (!/\d/.test(token) || !/[.:]/.test(token)) return false;
  return prefixIn(token, { hostBits: "mask" }) !== undefined;
}

function placesOf(name: string, text: string): (readonly [from: number, to: number])[] {
  const places: (readonly [number, number])[] = [];
  for (let at = text.indexOf(name); name !== "" && at >= 0; at = text.indexOf(name, at + 1)) {
    places.push([at, at + name.length]);
    // A token includes the colon of "name:".
    if (text[at + name.length] === ":") places.push([at, at + name.length + 1]);
  }
  return places;
}
