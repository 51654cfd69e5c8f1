import { parseEndpoint } from "../client/endpoint";
import { attempt } from "../model/errors";
import { isObject, membersOf } from "../model/json";
import { structured } from "../model/readable";
import { USER_ARENA } from "../wire/node-command";
import { FLAT_MEMBERS, type ReadConfig } from "./config-keys";
import type { Environment } from "./environment-credentials";

/** Members that are a credential as a whole. */
const WHOLE: readonly string[] = ["secretKey", "key"];

/** Every credential of the configuration and of the environment, whether or not a connection takes it. */
export function knownCredentials(config: ReadConfig, env: Environment): string[] {
  const flat = Object.values(FLAT_MEMBERS).flatMap(({ address, credentials }) => [address, ...credentials]);
  const named = [config("nodes"), config("receivers")].flatMap((all) => Object.values(membersOf(structured(all))));
  return [
    ...flat.flatMap(({ member, key, variable }) => [config(key), env[variable]].flatMap((it) => within(member, it))),
    ...[config("node"), config("receiver"), ...named].flatMap((connection) => within("", connection)),
  ];
}

/** Credentials in a member of a connection. */
function within(name: string, value: unknown): string[] {
  if (value === undefined) return [];
  const given = structured(value);
  if (isObject(given)) {
    const members = Object.entries(given);
    if (name !== "headers") return members.flatMap(([member, own]) => within(member, own));
    return members.flatMap(([header, text]) => (header.toLowerCase() === USER_ARENA ? [] : String(text)));
  }
  if (WHOLE.includes(name)) return [String(value)];
  const { authorization, secrets = [] } = attempt(() => parseEndpoint(String(value), "endpoint")) ?? {};
  return authorization === undefined ? [] : [authorization, ...secrets];
}
