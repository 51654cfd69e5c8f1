import { resourceIn } from "../../model/readable";
import type { Contents } from "../state/contents";
import type { PrefixSetStore } from "../state/prefix-set-store";

/**
 * Thrown for a set, profile, signaling client or other object that does not exist. `message` names the existing ones, or
 * shows the form of a name.
 *
 * @example
 * ```ts
 * emulator.prefixSet("prefixset://edge/bloked");   // throws UnknownResource, which names the existing sets
 * ```
 */
export class UnknownResource extends RangeError {
  override readonly name = "UnknownResource";
  /** Kind of the error, for programs that do not share the class. */
  readonly code = "unknown-resource";
}

/** A set by its url. @throws {UnknownResource} naming the existing sets. */
export function setOf({ holdings }: Contents, url: string): PrefixSetStore {
  const set = holdings.setByUrl(url);
  if (set) return set;
  const names = [...holdings.sets()].map(([name]) => name).join(", ");
  throw new UnknownResource(`There is no prefix-set ${url}; there are ${names || "none"}.`);
}

/** Arena and name of a profile, by its url or that of its marks. @throws {UnknownResource} if it does not exist. */
export function profileOf({ holdings }: Contents, text: string): { arena: string; profile: string } {
  const url = resourceIn(text);
  if ((url?.kind === "profile" || url?.kind === "mark") && holdings.profile(url.arena, url.profile)) return url;
  throw new UnknownResource(`There is no profile ${text}: write profile://ARENA/PROFILE.`);
}
