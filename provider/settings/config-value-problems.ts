import { caught, PacketFilterError } from "../model/errors";
import { hasUnknown, type JsonObject, membersOf } from "../model/json";
import { structured } from "../model/readable";
import { FLAT_MEMBERS, LIMIT_KEYS, unnamedKeys } from "./config-keys";
import { readSettings, UnknownConnection } from "./settings";

/** Stand for what the environment may give. An https address, since TLS options go with no other. */
const STAND_INS = { address: "https://192.0.2.1", credential: "any" } as const;

/** Limits and switches of the stack. */
const LIMITS = [...LIMIT_KEYS, "distinctNodes", "detectDrift"] as const;
/** Those that are read on demand; reading the settings reads the others. */
const ON_DEMAND = ["forbiddenPrefixes", "requiredPrefixes", "shortestPrefix", "maxEntries"] as const;

/**
 * Values of a configuration that cannot be read, whatever uses them: the limits and switches of the stack, and nodes and receivers.
 * Each is judged for itself. What is unknown in a preview is not judged, nor what is missing: the environment may give it.
 *
 * @returns sentences without values, any of which may be secret
 */
export function configValueProblems(config: JsonObject): string[] {
  const known = Object.fromEntries(Object.entries(config).filter(([, value]) => !hasUnknown(value)));
  const limits = LIMITS.flatMap((key) =>
    problems(() => {
      const settings = readSettings((name) => (name === key ? known[name] : undefined), {});
      for (const limit of ON_DEMAND) settings[limit]();
    }),
  );
  return [
    ...limits,
    ...(["node", "receiver"] as const).flatMap((kind) => [
      ...unnamedProblems(kind, known),
      ...namedProblems(kind, config[`${kind}s`]),
    ]),
  ];
}

/** Of the unnamed node or receiver, with stand-ins for what its keys do not have. */
function unnamedProblems(kind: "node" | "receiver", known: JsonObject): string[] {
  const keys = unnamedKeys(kind);
  if (keys.every((key) => known[key] === undefined)) return [];
  const { address, credentials } = FLAT_MEMBERS[kind];
  const own = membersOf(structured(known[kind]));
  const standIns = new Map<string, string>();
  if (own[address.member] === undefined) standIns.set(address.key, STAND_INS.address);
  for (const { key, member } of kind === "receiver" ? credentials : [])
    if (own[member] === undefined) standIns.set(key, STAND_INS.credential);
  const settings = readSettings((key) => (keys.includes(key) ? (known[key] ?? standIns.get(key)) : undefined), {});
  return problems(() => settings.address(kind, undefined));
}

function namedProblems(kind: "node" | "receiver", given: unknown): string[] {
  const all = structured(given);
  const names = Object.keys(membersOf(all)).filter((name) => !hasUnknown(membersOf(all)[name]));
  const settings = readSettings((key) => (key === `${kind}s` ? given : undefined), {});
  // Without a name, a value that has no names is read.
  return [...names, ...(given === undefined || hasUnknown(given) || names.length > 0 ? [] : [""])].flatMap((name) =>
    problems(() => settings.address(kind, name)),
  );
}

function problems(check: () => unknown): string[] {
  const reason = caught(
    () => void check(),
    PacketFilterError,
    (error) => (error instanceof UnknownConnection ? undefined : error.message),
  );
  return reason === undefined ? [] : [reason];
}
