import type * as pulumi from "@pulumi/pulumi";
import type { CanonicalPrefix } from "../../model/prefix";
import type { ListedMap } from "../../model/prefix-map";
import { count, some } from "../../model/text";
import { SECRET_MARK } from "../../resources/secret-names";
import { settled } from "../inputs";
import type { Declared } from "./comparison";

/** The resource itself, once it is registered. */
export interface Made {
  resource?: pulumi.CustomResource;
}

/** A resource of the program that declares something about a set. */
export interface Declarer {
  readonly type: "PrefixSet" | "PrefixSetGroup" | "PrefixSetEntry";
  readonly prefixes: readonly CanonicalPrefix[];
  /** True where it takes over nothing that has another value or that it does not declare. */
  readonly isStrict: boolean;
  readonly exclusive: boolean;
  /** True where it waits for resources of others, which may make the set or empty it. */
  readonly isLater: boolean;
  readonly made: Made;
}

/** What stands in the way of the resources that an `up` creates in a set, as the rest of a sentence. */
export async function obstacle(
  observed: ListedMap,
  declared: Declared,
  declarers: readonly Declarer[],
): Promise<string | undefined> {
  const { entries, incomplete, isSecret, secret } = declared;
  const isOther = (prefix: CanonicalPrefix) => {
    const [held, value] = [observed.get(prefix), entries.get(prefix)];
    return held !== undefined && value !== undefined && held !== value;
  };
  const hindered = declarers.filter(({ isStrict, isLater }) => isStrict && !isLater);
  const owner = incomplete ? undefined : hindered.find(({ exclusive }) => exclusive);
  const undeclared = owner ? [...observed.keys()].filter((prefix) => !entries.has(prefix)) : [];
  const others = hindered.filter(({ prefixes }) => prefixes.some(isOther));
  if (undeclared.length === 0 && others.length === 0) return undefined;
  const created = await createdOf(declarers);
  // One that is replaced may give up the very entry that another one takes over; what a single one meets is not ours.
  const single = declarers.filter((one) => one.type === "PrefixSetEntry" && created.has(one)).length === 1;
  const sure = others.filter((one) => created.has(one) && (one.type !== "PrefixSetEntry" || single));
  const named = (prefixes: readonly CanonicalPrefix[]) =>
    some(prefixes.map((prefix) => (isSecret || secret.has(prefix) ? SECRET_MARK : prefix)));
  const different = sure.flatMap(({ prefixes }) => prefixes.filter(isOther));
  const strangers = owner && created.has(owner) ? undeclared : [];
  const parts = [
    strangers.length > 0 ? `${count(strangers.length, "entry", "entries")} not declared: ${named(strangers)}` : "",
    different.length > 0 ? `other values of ${named(different)}` : "",
  ].filter((part) => part !== "");
  if (parts.length === 0) return undefined;
  return `holds ${parts.join(" and ")}. Declare them so, or take them over with onExisting: "adopt".`;
}

/** True where every resource of a set is created by the `up`, and none waits for what others do: then each lists it. */
export async function areAllCreated(declarers: readonly Declarer[]): Promise<boolean> {
  if (declarers.length === 0 || declarers.some(({ isLater }) => isLater)) return false;
  return (await createdOf(declarers)).size === declarers.length;
}

/**
 * Those that a preview gives no id: what exists keeps its own. What `--target` or `--exclude` leaves out has none either,
 * and its arguments are not known, since nothing is made of it.
 */
async function createdOf(declarers: readonly Declarer[]): Promise<ReadonlySet<Declarer>> {
  const created = await Promise.all(
    declarers.map(async ({ made: { resource } }) => {
      if (resource === undefined) return false;
      try {
        const [id, set] = await Promise.all([settled(resource.id), settled(Reflect.get(resource, "set"))]);
        return !id.known && set.known;
      } catch {
        // A resource that is refused says why itself.
        return false;
      }
    }),
  );
  return new Set(declarers.filter((_, index) => created[index]));
}
