import type { JournalEntry } from "../../../provider/emulator/journal/entry";
import { failedAt, fileOf } from "../actors/operator";
import type { Act } from "../scenario";
import type { World } from "../simulation";
import { START } from "../world/machines";
import { canonical } from "./model";

type Command = Extract<Act, { actor: "operator" }>;

/** Removals that no limit counts, since they are few. */
const ALWAYS_ALLOWED = 20;

/** 13. A command changes no entry of another writer, obeys the settings of the stack, and goes where nothing is in its way; the file knows what it has put there, and what is over goes. */
export async function commandsObey(world: World): Promise<string[]> {
  const commands = world.acts.flatMap(({ act, at }, index) =>
    act.actor === "operator" ? [{ act, at, label: `operator ${index + 1}` }] : [],
  );
  const last = commands.at(-1);
  const found = commands.flatMap(({ act, label }) => [
    ...act.nodes.flatMap((node) => sentTo(world, act, node, label)),
    ...(act.isSound ? [...failedAt(world, act)].map(([node, why]) => `${act.command} fails at ${node}: ${why}`) : []),
  ]);
  return last ? [...found, ...(await leftBy(world, last))] : [];
}

/** Requests that a command sent to a node and should not have. */
function sentTo(world: World, { command, set }: Command, node: string, label: string): string[] {
  const { journal } = world.nodes.get(node) ?? { journal: [] };
  const settings: Readonly<Record<string, unknown>> = world.scenario.stacks[0]?.settings ?? {};
  let size = Object.keys(world.scenario.nodes.find(({ name }) => name === node)?.sets[set] ?? {}).length;
  return journal.flatMap((entry) => {
    const { inserted = {}, changed = {}, removed = {} } = (entry.url === set && entry.commit) || {};
    const [more, fewer] = [Object.keys(inserted).length, Object.keys(removed).length];
    size += more - fewer;
    if (entry.label !== label) return [];
    const isOthers = (prefix: string) => writerOf(journal, set, prefix, entry.index, label) === "colleague";
    const others = [...Object.keys(changed), ...Object.keys(removed)].filter(isOthers);
    const most = Math.max(ALWAYS_ALLOWED, Number(settings.maxRemovals ?? Number.NaN));
    return [
      ...others.map((prefix) => `${command} changes or removes ${prefix} at ${node}, which another writer put there`),
      ...(fewer > most && command !== "expire" ? [`${command} removes ${fewer} entries at ${node}, too many`] : []),
      ...(more > 0 && size > Number(settings.maxEntries ?? Number.NaN)
        ? [`${command} brings ${node} to ${size} entries, more than the stack allows`]
        : []),
    ];
  });
}

/** Who put an entry where a commit found it: the first word of the label. */
function writerOf(journal: readonly JournalEntry[], set: string, prefix: string, before: number, own?: string) {
  const last = journal.findLast(
    ({ cmd, url, index, data = [], label }) =>
      cmd === "insert" &&
      url === set &&
      index < before &&
      label !== own &&
      data.some((item) => canonical((item as { p?: unknown }).p) === prefix),
  );
  return last?.label?.split(" ")[0];
}

/** After the last command the file knows where its entries are, and nothing that is over is left where the command succeeded. */
async function leftBy(world: World, { act, at }: { readonly act: Command; readonly at: number }): Promise<string[]> {
  const { nodes, set, command } = act;
  const file = await fileOf(world);
  const asked = nodes.filter((node) => !failedAt(world, act).has(node));
  return asked.flatMap((node) => {
    const machine = world.nodes.get(node);
    const isOurs = (prefix: string) =>
      writerOf(machine?.journal ?? [], set, prefix, Number.POSITIVE_INFINITY) === "operator";
    const ours = Object.keys(machine?.held(set) ?? {}).filter(isOurs);
    return ours.flatMap((prefix) => {
      const entry = file[prefix as keyof typeof file];
      if (entry === undefined) return [`${node} has ${prefix} by a command, and the file does not say so`];
      const isOver = entry.expires !== undefined && Date.parse(entry.expires) <= START + at;
      return isOver && command === "expire" ? [`${node} has ${prefix} after expire, although it is over`] : [];
    });
  });
}
