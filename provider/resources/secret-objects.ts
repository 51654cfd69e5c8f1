import { withoutPrefixes } from "../model/prefixes-in-text";
import { SECRET_MARK } from "./secret-names";
import { type Place, SIGNALING } from "./wanted";

/**
 * Sets and signalings whose prefixes are secret, each as a whole: of what stands in them nothing is named, by whichever
 * writer. Every sentence about one goes through {@link hide}.
 */
export class SecretObjects {
  /** The set's url, or `signaling`, to the nodes or receivers; `undefined` is one that cannot be told, and so may be any. */
  private readonly objects = new Map<string, Set<Place | undefined>>();

  /** @param object The set's url, or `signaling`. */
  add(object: string, place: Place | undefined): void {
    const places = this.objects.get(object) ?? new Set();
    const isKnown = [...places].some((known) => known?.endpoint === place?.endpoint && known?.name === place?.name);
    if (!isKnown) places.add(place);
    this.objects.set(object, places);
  }

  /** True where the prefixes of this object may not be named. */
  has(object: string, at: Place): boolean {
    const isSame = (place: Place | undefined) => !place || namesOf(at).some((name) => namesOf(place).includes(name));
    return [...(this.objects.get(object) ?? [])].some(isSame);
  }

  /** The text without prefixes, where it is about one of these objects; any other text as it is. */
  hide(text: string): string {
    return this.isAbout(text) ? this.hideAll(text) : text;
  }

  /** The text without any prefix; nodes and receivers keep their names. */
  hideAll(text: string): string {
    const places = [...this.objects.values()].flatMap((known) => [...known]);
    return withoutPrefixes(text, SECRET_MARK, places.flatMap(namesOf));
  }

  private isAbout(text: string): boolean {
    return [...this.objects].some(([object, places]) => {
      const isNamed = object === SIGNALING ? /\bsignaling\b/i.test(text) : stands(object, text);
      return isNamed && [...places].some((place) => !place || namesOf(place).some((name) => stands(name, text)));
    });
  }
}

/** How messages call a node or receiver: by its name, its address, or that without the scheme. */
function namesOf(place: Place | undefined): string[] {
  if (!place) return [];
  const { name, endpoint } = place;
  return [...(name === undefined ? [] : [name]), endpoint, endpoint.replace(/^https?:\/\//, "")];
}

/** True where the name is in the text, and not as the beginning or end of a longer one. */
function stands(name: string, text: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!/[\w%-]/.test(text[at - 1] ?? "") && !/[\w%-]/.test(text[at + name.length] ?? "")) return true;
  }
  return false;
}
