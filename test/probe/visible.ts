import type { Dialect, SwitchName } from "../../provider/emulator";

/** Switches that every probe finds out, whatever the others are set to. */
const ALWAYS: readonly SwitchName[] = [
  "success",
  "unknownSet",
  "listShows",
  "insertExisting",
  "deleteAbsent",
  "emptyCommit",
  "hostBits",
  "ipv6",
  "refusedEntry",
  "maxValue",
  "nested",
  "deleteCovers",
  "deleteSpelling",
  "trailingSlash",
  "duplicateMembers",
  "contentEncoding",
  "userArena",
  "redirect",
  "maxEntriesPerRequest",
  "nameKey",
  "idKey",
  "markKeys",
  "markAge",
  "markAddress",
  "markExpired",
  "missingTable",
  "errorForm",
  "signalingErrors",
  "statusWrongSecret",
  "signalingPrefixes",
];

/** Switches that a probe finds out where a switch, another or itself, has this setting. */
const WHERE: readonly (readonly [name: SwitchName, where: SwitchName, setting: string | number])[] = [
  ["commitDelay", "listShows", "applied"],
  ["repeatedEntry", "insertExisting", "overwrite"],
  ["maxBodyBytes", "maxBodyBytes", 16_384],
  ["markPace", "markPace", "node"],
  ["statusForm", "signalingPrefixes", "within"],
  ["signalingAddress", "signalingPrefixes", "within"],
  ["signalingOverlap", "signalingPrefixes", "within"],
  ["signalingPartial", "signalingPrefixes", "within"],
];

/**
 * The settings that a probe must give back as they are. All others can be written in several ways, or hide behind one
 * another: for them it counts that both dialects answer alike.
 */
export function visible(dialect: Dialect): Partial<Dialect> {
  const names = [...ALWAYS, ...WHERE.flatMap(([name, where, setting]) => (dialect[where] === setting ? [name] : []))];
  return Object.fromEntries(names.map((name) => [name, dialect[name]]));
}
