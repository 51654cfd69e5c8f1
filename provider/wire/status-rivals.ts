import { isObject } from "../model/json";
import type { Prefix } from "../model/prefix";
import { prefixIn } from "../model/readable";
import type { ReceiverAnswers } from "./answers";
import { competing } from "./envelope";
import { ShapeError } from "./json";
import { isAddressLike, isRival, type Place, placesIn } from "./places";

/** The list of a status that is read. */
interface OwnList {
  readonly list: unknown;
  /** Its name in the innermost object. */
  readonly name?: string | undefined;
  /** True if this is the name in the contract. */
  readonly isContract: boolean;
  /** Its prefixes; none if it cannot be read. */
  readonly active: () => readonly Prefix[];
}

/** Refuses a status beside another list, unless that one names no other prefixes. @throws {ShapeError} */
export function refuseRivals(
  json: unknown,
  { list, name = "", isContract, active }: OwnList,
  answers: ReceiverAnswers,
): void {
  const places = isObject(json) ? placesIn(json) : [];
  const contentOf = ({ path, within }: Place) => within.at(-1)?.[path.split(".").at(-1) ?? ""];
  const isOwn = (place: Place) => contentOf(place) === list && place.path.split(".").at(-1) === name;
  const isOther = (place: Place) => isRival(place.found) && !isOwn(place) && !answers.ignore?.includes(place.path);
  const own = places.find(isOwn);
  const others = own === undefined ? [] : places.filter(isOther);
  if (own === undefined || others.length === 0) return;
  const listed = new Set(active().map(String));
  const rival = others.find((place) => {
    const addresses = addressesIn(contentOf(place));
    return addresses.length === 0 || !addresses.every((address) => listed.has(address));
  });
  if (rival === undefined) return;
  if (!isContract) throw competing(own, rival);
  const path = JSON.stringify(own.path);
  throw new ShapeError(
    `both ${path} and ${JSON.stringify(rival.path)} are lists`,
    `If ${path} is the whole list, set answers.path: ${path} or answers.ignore: [${[...(answers.ignore ?? []), rival.path].map((one) => JSON.stringify(one)).join(", ")}].`,
  );
}

/** The addresses and prefixes in texts and names, canonical where they can be read. */
function addressesIn(value: unknown): string[] {
  if (typeof value === "string")
    return isAddressLike(value) ? [String(prefixIn(value, { hostBits: "mask" }) ?? value)] : [];
  if (Array.isArray(value)) return value.flatMap(addressesIn);
  return isObject(value) ? Object.entries(value).flatMap((member) => member.flatMap(addressesIn)) : [];
}
