import { formatUrl, NodeClient } from "../../../provider/client";
import type { NowTarget } from "../../../provider/commands/blocking/common";
import { type Intent, sendNow } from "../../../provider/commands/blocking/send-to-set";
import { withdrawn } from "../../../provider/commands/blocking/sent";
import type { CliIo } from "../../../provider/commands/cli-io";
import { NO_NOTES } from "../../../provider/deployment/sent-before";
import { sentPlace } from "../../../provider/model/entry";
import type { CanonicalPrefix } from "../../../provider/model/prefix";
import { type PrefixSetUrl, parseUrl } from "../../../provider/model/resource-url";
import type { EntryChange } from "../../../provider/prefixes/edit/edit";
import { type Decide, edited, type PrefixFileEditor } from "../../../provider/prefixes/edit/edit-file";
import type { PrefixEntries } from "../../../provider/prefixes/entries";
import { isExpired } from "../../../provider/reconcile/entries";
import { readSettings } from "../../../provider/settings/settings";
import type { Act } from "../scenario";
import { originOf, type World } from "../simulation";
import { memoryFile } from "./on-call";

type Command = Extract<Act, { actor: "operator" }>;

/** Default of `--timeout`, in milliseconds. */
const COMMAND_MS = 15_000;

/** The prefix file of each world. */
const files = new WeakMap<World, PrefixFileEditor>();

/** Nodes at which each command of a world failed, and why it said so. */
const failed = new WeakMap<World, Map<Act, Map<string, string>>>();

export const failedAt = (world: World, command: Act): ReadonlyMap<string, string> =>
  failed.get(world)?.get(command) ?? new Map();

/** The prefix file of a world, as the commands have left it. */
export async function fileOf(world: World): Promise<PrefixEntries> {
  return (await files.get(world)?.read()) ?? {};
}

/** A command on a prefix file and nodes, by the functions of the command. */
export async function operate(command: Command, world: World): Promise<void> {
  const { nodes, set } = command;
  const process = world.process(`operator ${world.acts.length}`);
  const stopping = new AbortController();
  process.after(COMMAND_MS, () => stopping.abort(new Error("no answer within 15 s (--timeout)")));
  const io: CliIo = { out() {}, err() {}, env: {}, stop: stopping.signal, clock: process, now: process.wall };
  const editor = files.get(world) ?? memoryFile({});
  files.set(world, editor);
  const url = parseUrl(set) as PrefixSetUrl;
  const settings: Readonly<Record<string, unknown>> = world.scenario.stacks[0]?.settings ?? {};
  const project = { settings: readSettings((key) => settings[key] as string, {}) };
  const before = await editor.read();
  const isOver = ([, { expires }]: [string, { expires?: string }]) => isExpired(expires, process.wall());
  const expired = Object.entries(before).filter(isOver);
  const names = command.command === "expire" ? expired.map(([prefix]) => prefix) : command.prefixes;
  const decide = decideOf(command, process.wall());
  let known = edited(before, decide);
  const failures = new Map<string, string>();
  failed.set(world, new Map([...(failed.get(world) ?? []), [command, failures]]));
  if (command.fault) for (const node of nodes) world.nodes.get(node)?.emulator.fail(command.fault);
  for (const node of names.length > 0 ? nodes : []) {
    const client = new NodeClient({ endpoint: originOf(node), ...(settings.node as object) }, process, node);
    const target = { client, url, node, project } as unknown as NowTarget;
    const intent: Intent = {
      names: names as readonly CanonicalPrefix[],
      known: () => known,
      write: async () => {
        known = await editor.edit(decide);
        return known;
      },
      isForced: false,
      isExpired: command.command === "expire",
      notice: (text) => world.story.note("operator", text),
    };
    const deadline = { ms: COMMAND_MS, stop: stopping.signal, close() {} };
    const { done, problems, reason } = await sendNow(target, { editor, deadline, sent: NO_NOTES }, intent, io);
    if (done === undefined) failures.set(node, reason ?? "");
    world.story.note("operator", [done ?? `${node} ${formatUrl(url)}: ${reason ?? ""}`, ...problems].join(" "));
  }
  if (command.fault) world.clearFaults();
}

function decideOf({ command, prefixes, value = 1, ms, nodes, set }: Command, now: number): Decide {
  if (command === "expire") return () => new Map();
  const places = nodes.map((node) => sentPlace(originOf(node), set));
  const expires = ms === undefined ? null : new Date(now + ms).toISOString();
  return (entries) => {
    const changes = (prefixes as readonly CanonicalPrefix[]).flatMap(
      (prefix): [CanonicalPrefix, EntryChange | undefined][] => {
        if (command === "block") return [[prefix, { value, reason: "SYN flood", expires }]];
        const entry = entries[prefix];
        return entry ? [[prefix, withdrawn(entry, places, now)]] : [];
      },
    );
    return new Map(changes);
  };
}
