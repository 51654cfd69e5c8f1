import { formatUrl, NodeClient } from "../../../provider/client";
import type { NowTarget } from "../../../provider/commands/blocking/common";
import { type Intent, sendNow } from "../../../provider/commands/blocking/send-to-set";
import type { CliIo } from "../../../provider/commands/cli-io";
import { NO_NOTES } from "../../../provider/deployment/sent-before";
import type { CanonicalPrefix } from "../../../provider/model/prefix";
import { type PrefixSetUrl, parseUrl } from "../../../provider/model/resource-url";
import { edited, type PrefixFileEditor } from "../../../provider/prefixes/edit/edit-file";
import type { PrefixEntries } from "../../../provider/prefixes/entries";
import { readSettings } from "../../../provider/settings/settings";
import type { Act } from "../scenario";
import { originOf, type World } from "../simulation";

type Emergency = Extract<Act, { actor: "on-call" }>;

/** Default of `--timeout`, in milliseconds. */
const COMMAND_MS = 15_000;

/** The on-call engineer blocks or unblocks a prefix at nodes at once, by the function of the command. */
export async function emergency({ command, nodes, set, prefix }: Emergency, world: World): Promise<void> {
  const label = `on-call ${world.acts.length}`;
  const process = world.process(label);
  const stopping = new AbortController();
  process.after(COMMAND_MS, () => stopping.abort(new Error("no answer within 15 s (--timeout)")));
  const io: CliIo = {
    out: () => {},
    err: () => {},
    env: {},
    stop: stopping.signal,
    clock: process,
    now: process.wall,
  };
  const file = memoryFile(command === "block" ? {} : { [prefix]: { value: 1 } });
  const name = prefix as CanonicalPrefix;
  const decide = () => new Map([[name, command === "block" ? { value: 1 } : undefined]]);
  let known = edited(await file.read(), decide);
  const url = parseUrl(set) as PrefixSetUrl;
  const { commitUrl } = (world.scenario.stacks[0]?.settings.node ?? {}) as { commitUrl?: string };
  await Promise.all(
    nodes.map(async (node) => {
      const client = new NodeClient(
        { endpoint: originOf(node), ...(commitUrl !== undefined && { commitUrl }) },
        process,
        node,
      );
      const target = {
        client,
        url,
        node,
        project: { settings: readSettings(() => undefined, {}) },
      } as unknown as NowTarget;
      const intent: Intent = {
        names: [name],
        known: () => known,
        write: async () => {
          known = await file.edit(decide);
          return known;
        },
        isForced: false,
        notice: (text) => world.story.note("on-call", text),
      };
      const { done, problems, reason } = await sendNow(
        target,
        // At a machine of their own, which has no notes of the runs.
        { editor: file, deadline: { ms: COMMAND_MS, stop: stopping.signal, close() {} }, sent: NO_NOTES },
        intent,
        io,
      );
      world.story.note("on-call", done ?? `${node} ${formatUrl(url)}: ${reason ?? problems.join(" ")}`);
    }),
  );
}

/** A prefix file in memory. */
export function memoryFile(entries: Record<string, { value: number }>): PrefixFileEditor {
  let content = entries as PrefixEntries;
  return {
    isWritten: false,
    read: async () => content,
    edit: async (decide) => {
      const made = edited(content, decide);
      content = made.after;
      return made;
    },
  };
}
