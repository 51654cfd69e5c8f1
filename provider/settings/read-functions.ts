import type { z } from "zod";
import { connectionKey } from "../client/credentials";
import { NodeClient } from "../client/node-client";
import { DEFAULTS, isHeaderText, NO_HEADER } from "../client/options";
import { SignalingClient } from "../client/signaling-client";
import type { ListedValue } from "../model/entry";
import { MARK_TYPES, type Mark, type Profile, type Rule } from "../model/mark";
import { issuePath, schema, zod } from "../model/schema";
import type { Settings } from "./settings";
import { SharedMarks } from "./shared-marks";

/** Arguments of each function, as programs of any language give them. */
const argumentSchemas = schema(() => {
  const z = zod();
  const ofArena = z.strictObject({ arena: z.string(), node: z.unknown().optional() });
  const ofProfile = ofArena.extend({ profile: z.string() });
  return {
    getProfiles: ofArena,
    getRules: ofProfile,
    getMarks: ofProfile.extend({
      type: z.enum(MARK_TYPES),
      userArena: z.string().refine(isHeaderText, { error: NO_HEADER }).optional(),
    }),
    getPrefixSet: ofArena.extend({ profile: z.string().optional(), set: z.string() }),
    getSignalings: z.strictObject({ receiver: z.unknown().optional() }),
  };
});

/** Lists of marks are shared by all callers in a process. */
const sharedMarks = new SharedMarks();

export async function getProfiles(settings: Settings, args: unknown): Promise<Profile[]> {
  const { arena, node } = checkedArguments("getProfiles", argumentSchemas().getProfiles, args);
  return withNode(settings, node, (client) => client.listProfiles(arena));
}

export async function getRules(settings: Settings, args: unknown): Promise<Rule[]> {
  const { arena, profile, node } = checkedArguments("getRules", argumentSchemas().getRules, args);
  return withNode(settings, node, (client) => client.listRules(arena, profile));
}

/** The marks of one table. Calls for one table share an answer until the node's `markPauseMs` after it. */
export async function getMarks(settings: Settings, args: unknown): Promise<Mark[]> {
  const { arena, profile, type, userArena, node } = checkedArguments("getMarks", argumentSchemas().getMarks, args);
  const { options } = settings.node(node);
  const key = JSON.stringify([arena, profile, type, userArena, connectionKey(options)]);
  const call = userArena === undefined ? {} : { userArena };
  return sharedMarks.read(key, options.markPauseMs ?? DEFAULTS.markPauseMs, () =>
    withNode(settings, node, (client) => client.listMarks(arena, profile, type, call)),
  );
}

/** Entries of a set, canonical prefix to value. */
export async function getPrefixSet(settings: Settings, args: unknown): Promise<Record<string, ListedValue>> {
  const { arena, profile, set, node } = checkedArguments("getPrefixSet", argumentSchemas().getPrefixSet, args);
  const url = { kind: "prefixset" as const, arena, set, ...(profile === undefined ? {} : { profile }) };
  return withNode(settings, node, async (client) => Object.fromEntries((await client.set(url).observe()).values));
}

/** The prefixes with active signaling, canonical. */
export async function getSignalings(settings: Settings, args: unknown): Promise<string[]> {
  const { receiver } = checkedArguments("getSignalings", argumentSchemas().getSignalings, args);
  const client = new SignalingClient(settings.receiver(receiver).options);
  try {
    return (await client.status()).map(String);
  } finally {
    await client.close();
  }
}

/** @throws {Error} with a sentence for each argument that is wrong */
export function checkedArguments<T>(name: string, argumentsOf: z.ZodType<T>, args: unknown): T {
  const result = argumentsOf.safeParse(args);
  if (result.success) return result.data;
  const problems = result.error.issues.map(
    ({ path, message }) => `${[issuePath(path), message].filter(Boolean).join(": ")}.`,
  );
  throw new Error(`${name}: ${problems.join(" ")}`);
}

async function withNode<R>(settings: Settings, node: unknown, read: (client: NodeClient) => Promise<R>): Promise<R> {
  const client = new NodeClient(settings.node(node).options);
  try {
    return await read(client);
  } finally {
    await client.close();
  }
}
