import type { Mark } from "../../model/mark";

/**
 * What makes a mark the same mark in the next list, as one text: addresses, ports and protocol, never id or value
 * (docs/contract.md#mark-types). An address alone stands as it is; the other members follow it, with a space between any two.
 * A second mark with the key of another one in the same list gets its id behind an `@`.
 */
export type MarkKey = string;

/** The members of a mark that a key holds. */
export type KeyMembers = Pick<
  Mark,
  "address" | "source" | "destination" | "sourcePort" | "destinationPort" | "protocol"
>;

/** The key of a mark. */
export function keyOf(mark: KeyMembers): MarkKey {
  const { address = "", source, destination, sourcePort, destinationPort, protocol } = mark;
  if (sourcePort === undefined && destinationPort === undefined && protocol === undefined) {
    return source === undefined && destination === undefined
      ? address
      : `${address} ${source ?? ""} ${destination ?? ""}`;
  }
  const ports = `${sourcePort ?? ""} ${destinationPort ?? ""}`;
  return `${address} ${source ?? ""} ${destination ?? ""} ${ports} ${encodeURIComponent(protocol ?? "")}`;
}

/** The members that a key was made of. A protocol of digits comes as a number. */
export function membersOf(key: MarkKey): KeyMembers {
  const at = key.indexOf("@");
  const plain = at < 0 ? key : key.slice(0, at);
  if (!plain.includes(" ")) return plain === "" ? {} : { address: plain };
  const [address, source, destination, sourcePort, destinationPort, protocol] = plain.split(" ");
  return {
    ...(address && { address }),
    ...(source && { source }),
    ...(destination && { destination }),
    ...(sourcePort && { sourcePort: Number(sourcePort) }),
    ...(destinationPort && { destinationPort: Number(destinationPort) }),
    ...(protocol && { protocol: /^\d+$/.test(protocol) ? Number(protocol) : decodeURIComponent(protocol) }),
  };
}

/** The key of a further mark that shares its key with one listed before. */
export function furtherKey(key: MarkKey, id: number): MarkKey {
  return `${key}@${id}`;
}
