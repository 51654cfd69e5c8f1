import { connectionKey } from "../client/credentials";
import { NodeClient } from "../client/node-client";
import { DEFAULTS } from "../client/options";
import { SignalingClient } from "../client/signaling-client";
import type { ListedValue } from "../model/entry";
import type { Mark, MarkType, Profile, Rule } from "../model/mark";
import type { Settings } from "./settings";
import { SharedMarks } from "./shared-marks";

/** Arena, and node: a name, an object, or nothing for the unnamed one. */
interface OfArena {
  readonly arena: string;
  readonly node?: unknown;
}

/** Lists of marks are shared by all callers in a process. */
const sharedMarks = new SharedMarks();

export function getProfiles(settings: Settings, { arena, node }: OfArena): Promise<Profile[]> {
  return withNode(settings, node, (client) => client.listProfiles(arena));
}

export function getRules(
  settings: Settings,
  { arena, profile, node }: OfArena & { readonly profile: string },
): Promise<Rule[]> {
  return withNode(settings, node, (client) => client.listRules(arena, profile));
}

/** The marks of one table. Calls for one table share an answer until the node's `markPauseMs` after it. */
export async function getMarks(
  settings: Settings,
  args: OfArena & { readonly profile: string; readonly type: MarkType; readonly userArena?: string },
): Promise<Mark[]> {
  const { arena, profile, type, userArena } = args;
  const { options } = settings.node(args.node);
  const key = JSON.stringify([arena, profile, type, userArena, connectionKey(options)]);
  const call = userArena === undefined ? {} : { userArena };
  return sharedMarks.read(key, options.markPauseMs ?? DEFAULTS.markPauseMs, () =>
    withNode(settings, args.node, (client) => client.listMarks(arena, profile, type, call)),
  );
}

/** Entries of a set, canonical prefix to value. */
export function getPrefixSet(
  settings: Settings,
  { arena, profile, set, node }: OfArena & { readonly profile?: string; readonly set: string },
): Promise<Record<string, ListedValue>> {
  const url = { kind: "prefixset" as const, arena, set, ...(profile === undefined ? {} : { profile }) };
  return withNode(settings, node, async (client) => {
    const list = await client.listPrefixSet(url);
    return Object.fromEntries(list.map(({ prefix, value }) => [prefix.toString(), value]));
  });
}

/** The prefixes with active signaling, canonical. */
export async function getSignalings(
  settings: Settings,
  { receiver }: { readonly receiver?: unknown },
): Promise<string[]> {
  const client = new SignalingClient(settings.receiver(receiver).options);
  try {
    return (await client.status()).map(String);
  } finally {
    await client.close();
  }
}

async function withNode<R>(settings: Settings, node: unknown, read: (client: NodeClient) => Promise<R>): Promise<R> {
  const client = new NodeClient(settings.node(node).options);
  try {
    return await read(client);
  } finally {
    await client.close();
  }
}
