import { isObject, membersOf, sameJson } from "../provider/model/json";
import { CONFIG_KEYS, type ConfigKey } from "../provider/settings/config-keys";
import { ConfigError, readSettings, type Settings, UnknownConnection } from "../provider/settings/settings";
import { isUnknown, NotYetKnown } from "./not-yet-known";

/** Node or receiver as a resource names it. */
export interface Connection {
  /** Name in the configuration; absent for an address and for the unnamed one. */
  readonly name?: string;
  /** Canonical, without user name and password. Absent where nothing names an address, and where it cannot be read. */
  readonly url?: string;
  /** Why its settings cannot be read, as a sentence without secrets. */
  readonly problem?: string;
}

/** Configuration and environment of a run. */
interface Given {
  readonly config?: Readonly<Record<string, unknown>>;
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Member with the address, by kind. */
const ADDRESS = { node: "endpoint", receiver: "url" } as const;

/**
 * Reads the connection of an argument `node` or `receiver` by the provider's own reader of settings: what the provider would
 * reach is judged, and what it could not read is a problem.
 *
 * @throws {NotYetKnown} for an address that only the update will know
 */
export function connectionOf(kind: "node" | "receiver", argument: unknown, given: Given): Connection {
  if (isUnknown(membersOf(argument)[ADDRESS[kind]])) throw new NotYetKnown(`${kind}.${ADDRESS[kind]}`);
  const name = typeof argument === "string" ? { name: argument } : {};
  try {
    return { ...name, url: settingsOf(given).address(kind, withoutUnknown(argument)) };
  } catch (error) {
    // There is no address to judge; the resource's own check refuses it.
    if (error instanceof UnknownConnection) return name;
    if (error instanceof ConfigError) return { ...name, problem: error.message };
    throw error;
  }
}

/** A value without members that only the update will know: none of them is the address. */
function withoutUnknown(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((member) => !isUnknown(member)).map(withoutUnknown);
  if (!isObject(value)) return value;
  const known = Object.entries(value).filter(([, member]) => !isUnknown(member));
  return Object.fromEntries(known.map(([key, member]) => [key, withoutUnknown(member)]));
}

/** The settings that were read last: a configuration of a thousand nodes is read once for all resources of a run. */
let last: { readonly given: readonly unknown[]; readonly settings: Settings } | undefined;

function settingsOf({ config = {}, environment = {} }: Given): Settings {
  const of = (key: ConfigKey) => config[`packetfilter:${key}`];
  const given = [environment, ...CONFIG_KEYS.map(of)];
  if (last?.given.every((value, index) => sameJson(value, given[index]))) return last.settings;
  const settings = readSettings(of, environment);
  last = { given, settings };
  return settings;
}
