import type { JournalEntry } from "../../../provider/emulator/journal/entry";
import type { Step } from "../engine/deployment";
import type { CommandRecord, World } from "../simulation";
import { entriesIn } from "./events";
import { canonical, claimsOf, declaredAt, lastChange, lastInsert, requestsOf } from "./model";
import { isOfColleague, isOther } from "./no-exposure";
import type { Promised } from "./promise";

/** An `up` removes, changes and stops nothing that its preview did not show; a preview sends nothing that changes anything. */
export const previewShows: Promised = {
  number: 2,
  name: "up does only what its preview showed",
  judge: ({ world, record: { done, preview, run }, before, now }) => {
    if (run.command !== "up" || !preview || done === preview) return [];
    // A line about secret prefixes names none.
    const isHidden = preview.printed.some((line) => line.includes("[secret]"));
    const shown = (prefix: string) => isHidden || mentions(preview, prefix);
    // Of a node that leaves a group, a line counts what is removed.
    const isLeaving = (machine: string) =>
      preview.printed.some((line) => {
        const [, node = ""] = / on (\S+): it leaves the group, and .*up clears /.exec(line) ?? [];
        return world.nodes.get(node)?.name === machine;
      });
    const own = done.before.resources.flatMap(({ outputs }) =>
      [outputs.started, outputs.unsettled, outputs.stops === "all" ? outputs.prefixes : []].flat(),
    );
    const state = claimsOf(done.before.resources.map(({ type, name, inputs }) => ({ type, name, args: inputs })));
    // What a run that failed or was killed has sent may be sent again.
    const isOpen =
      done.before.resources.some(({ failed, outputs }) => failed || outputs.unsettled !== undefined) ||
      world.records.some((it) => it.run.stack === run.stack && (it.done.wasKilled || it.done.wasCancelled));
    // Where a list shows an older set, or a node comes back with one after the list, no client can know what is there.
    const isMisled =
      run.meanwhile.some((it) => it.kind === "fault" && it.fault.kind === "stale-list") ||
      done.acts.some((act) => act.actor === "node" && act.restart === "older");
    return [...world.machines.keys()].flatMap((machine) =>
      requestsOf(world, done, machine).flatMap(({ commit, op, url = machine, data = [], index }) => {
        if (commit === undefined && op === undefined) return [];
        const removed = isLeaving(machine)
          ? []
          : Object.keys(commit?.removed ?? {}).map((prefix) => [prefix, "removes"]);
        // Bringing back the value of the last program, or of the state after a kill, is a restoration, which may begin after the preview.
        const [was, is, stated] = [before, now, state].map((claims) => declaredAt(claims, world, machine, url));
        const changed = Object.entries(commit?.changed ?? {})
          .filter(([prefix, { from, to }]) => {
            if (isMisled) return false;
            const isRestored = (was?.[prefix] === to || stated?.[prefix] === to) && is?.[prefix] === to;
            const value = { machine, url, prefix, from, since: preview.from[machine] ?? 0, by: index };
            // A line names the first ones of many.
            const areMany = preview.printed.some((line) => line.includes(`${url} `) && /and \d+ more/.test(line));
            if (isRestored)
              return (
                !isOpen && !areMany && !done.steps.some((step) => shows(step, prefix)) && isListed(world, done, value)
              );
            return !isNews(world, done, value);
          })
          .map(([prefix]) => [prefix, "changes"]);
        const stopped = op === "stop" ? data.map((prefix) => [String(prefix), "stops"]) : [];
        if (op === "start") own.push(...data);
        const foreign = stopped.filter(([prefix]) => !own.includes(prefix));
        if (foreign.length > 0)
          return foreign.map(
            ([prefix]) => `request ${index} to ${machine}: the up stops ${prefix}, which others started`,
          );
        return (
          [...removed, ...changed, ...stopped]
            .filter(([prefix = "", verb]) => !shown(prefix) && !isOfOthers(world, machine, index, url, prefix, verb))
            .filter(
              ([prefix = "", verb]) =>
                verb !== "removes" || !isOfDeleted(world, preview, { machine, index, url, prefix }),
            )
            // The refresh of the up itself found it, and the preview could not.
            .filter(
              ([prefix = "", verb]) =>
                verb !== "removes" ||
                !run.options.refresh ||
                !cameSince(world, { machine, url, prefix, since: preview.from[machine] ?? 0, by: index }, done.label),
            )
            .map(
              ([prefix, verb]) =>
                `request ${index} to ${machine}: the up ${verb} ${prefix} of ${url}, which its preview did not show`,
            )
        );
      }),
    );
  },
};

/** True for the effect of what another writer had staged or committed meanwhile. */
function isOfOthers(world: World, machine: string, index: number, url: string, prefix: string, verb = ""): boolean {
  if (verb === "removes") return isOfColleague(world, machine, index, url, prefix);
  const { journal } = world.machines.get(machine) ?? { journal: [] };
  return isOther(
    lastInsert(journal, url, prefix, index),
    journal.find(({ index: at }) => at === index),
  );
}

/**
 * True for what a killed run inserted for a resource whose delete the preview shows: no state has it, and the engine asks no provider about a
 * delete before it is carried out. It goes with its resource.
 */
function isOfDeleted(world: World, preview: CommandRecord, { machine, index, url, prefix }: Removal): boolean {
  const { journal } = world.machines.get(machine) ?? { journal: [] };
  const last = lastInsert(journal, url, prefix, index);
  const by = world.records.find(({ done }) => done.wasKilled && done.label === last?.label);
  const deleted = preview.steps.flatMap(({ op, name }) => (op === "delete" ? name : []));
  const its = claimsOf((by?.run.program ?? []).filter(({ name }) => deleted.includes(name)));
  return prefix in declaredAt(its, world, machine, url);
}

interface Removal {
  readonly machine: string;
  /** Index of the commit in the journal. */
  readonly index: number;
  readonly url: string;
  readonly prefix: string;
}

interface Value {
  readonly machine: string;
  readonly url: string;
  readonly prefix: string;
  readonly from: number;
  /** Index in the journal at which the preview began, and that of the commit. */
  readonly since: number;
  readonly by: number;
}

/** True where a list of the run showed the other value before it was overwritten. */
function isListed(world: World, done: CommandRecord, { machine, url, prefix, from, by }: Value): boolean {
  const { journal = [] } = world.machines.get(machine) ?? {};
  const sent = lastChange(journal, url, prefix, by)?.index ?? by;
  return requestsOf(world, done, machine).some(
    (it) => it.cmd === "list" && it.url === url && it.index < sent && entriesIn(it).get(prefix) === from,
  );
}

/** True where another writer's value was published after the preview: the API has no write that depends on what is there. A second write of a run begins with a list of its own. */
function isNews(world: World, done: CommandRecord, { machine, url, prefix, from, since, by }: Value): boolean {
  const { journal } = world.machines.get(machine) ?? { journal: [] };
  const requests = requestsOf(world, done, machine).filter((it) => it.url === url && it.index < by);
  const before = requests.findLast(({ cmd }) => cmd === "commit");
  const lists = requests.filter(({ cmd, index }) => cmd === "list" && index > (before?.index ?? 0));
  const isOneProcess = world.stacks.every(({ plan }) => plan.instances === 0);
  // A commit of another set may have published this one, too.
  const isSecond = requests.some(({ cmd, index }) => isWrite(cmd) && index < (before?.index ?? 0));
  if (isSecond && isOneProcess && lists.length < 2) return false;
  const isIts = ({ url: of, commit }: JournalEntry) =>
    of === url && (commit?.inserted[prefix] ?? commit?.changed[prefix]?.to) === from;
  const published = journal.find((entry) => entry.index >= since && entry.index < by && isIts(entry));
  return isOther(
    lastInsert(journal, url, prefix, published?.index ?? 0),
    journal.find(({ index }) => index === by),
  );
}

const isWrite = (cmd?: string) => cmd === "insert" || cmd === "delete";

/** True where another writer inserted a prefix after the preview. */
function cameSince(world: World, { machine, url, prefix, since, by }: Omit<Value, "from">, label: string): boolean {
  const { journal } = world.machines.get(machine) ?? { journal: [] };
  return journal.some(
    (entry) =>
      entry.cmd === "insert" &&
      entry.url === url &&
      entry.index >= since &&
      entry.index < by &&
      entry.label !== label &&
      entry.data?.some((item) => canonical((item as { p?: unknown }).p) === prefix),
  );
}

/** True where a preview names a prefix: in a line, or as a difference of a step. */
function mentions({ steps, printed }: CommandRecord, prefix: string): boolean {
  return namesIn(printed.join("\n"), prefix) || steps.some((step) => shows(step, prefix));
}

/** True where a text has a prefix, in one of the spellings of an address. */
export function namesIn(text: string, prefix: string): boolean {
  const bare = prefix.replace(/\/(32|128)$/, "");
  return (
    text.includes(prefix) ||
    (bare !== prefix && new RegExp(`(?<![\\d.:a-f])${bare.replaceAll(".", "\\.")}(?![\\d/:a-f])`).test(text))
  );
}

function shows({ op, old, inputs = {} }: Step, prefix: string): boolean {
  const before = old?.inputs ?? {};
  if (op === "delete" || op === "replace")
    return namesIn(canonicalText(before), prefix) || namesIn(JSON.stringify(old?.outputs ?? {}), prefix);
  // A new resource shows what it adds. What it removes or changes, a line has to say, or the delete of another resource.
  if (op === "create") return false;
  // An entry of its own is its prefix: whatever differs, differs there.
  if (canonical(inputs.prefix) === prefix) return true;
  const names = new Set([...Object.keys(before), ...Object.keys(inputs)]);
  return [...names].some((name) => {
    const [was, is] = [before[name], inputs[name]];
    if (JSON.stringify(was) === JSON.stringify(is)) return false;
    if (name === "nodes") return true;
    const [one, other] = [members(was), members(is)];
    return one.get(prefix) !== other.get(prefix) || (typeof is === "string" && namesIn(is, prefix));
  });
}

/** Members of an argument by canonical prefix. */
function members(value: unknown): Map<string, string> {
  if (Array.isArray(value)) return new Map(value.map((each) => [canonical(each) ?? String(each), ""]));
  if (typeof value === "object" && value !== null)
    return new Map(Object.entries(value).map(([key, each]) => [canonical(key) ?? key, JSON.stringify(each)]));
  const only = canonical(value);
  return new Map(only === undefined ? [] : [[only, ""]]);
}

function canonicalText(inputs: object): string {
  const { entries = {}, prefix, prefixes = [] } = inputs as { entries?: object; prefix?: unknown; prefixes?: unknown };
  return [...members(entries).keys(), ...members(prefixes).keys(), canonical(prefix) ?? ""].join(" ");
}
