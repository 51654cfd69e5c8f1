import type { JournalEntry } from "../../../provider/emulator/journal/entry";
import type { Step } from "../engine/deployment";
import type { Kept } from "../engine/state";
import type { Scenario } from "../scenario";
import type { CommandRecord, RunRecord, World } from "../simulation";
import { foreignAt } from "./converges";
import { claimsIn } from "./destroyed";
import { entriesIn } from "./events";
import { adoptedAt, type Claim, canonical, declaredAt, isSaidSilent, nodesOf, requestsOf } from "./model";
import { namesIn } from "./preview-shows";
import type { Promised } from "./promise";

/** An undisturbed green run names all that it leaves at a node or receiver although no program declares it. */
export const whatStaysIsNamed: Promised = {
  number: 12,
  name: "what stays is named",
  judge: ({ world, record, now }) => {
    if (!isGreen(world, record)) return [];
    const { done, preview } = record;
    const lines = [...done.printed, ...(preview?.printed ?? [])];
    const isNamed = (prefix: string) => lines.some((line) => namesIn(line, prefix));
    const after = record.run.command === "destroy" ? [] : now;
    const gone = done.steps.flatMap(({ op, old }) => (op === "delete" && old ? [old] : []));
    const ended = claimsIn(gone.filter(isCleared), done.began);
    const lost = claimsIn(gone.filter(isSettled), done.began).flatMap((claim) =>
      lostBefore(world, done, claim, after)
        .filter((prefix) => !isNamed(prefix))
        .map((prefix) => `${placeOf(claim)} had lost ${prefix} before its end, and no line of the run names it`),
    );
    const published = publishedBy(world, done, after)
      .filter((prefix) => !isNamed(prefix))
      .map((prefix) => `a commit publishes ${prefix}, which the run did not send, and no line of it names that`);
    // A line names the first ones of many.
    const areMany = ({ resource: { args } }: Claim) =>
      lines.some(
        (line) =>
          line.includes(`${args.arena}/${args.set} `) &&
          /undeclared|were there|left/.test(line) &&
          /and \d+ more/.test(line),
      );
    const staying = [...after, ...ended].flatMap((claim) =>
      left(world, claim, after)
        .filter((prefix) => !isNamed(prefix) && !areMany(claim) && isSeen(world, done, claim))
        .filter(
          (prefix) => !isAdopted(done, claim, prefix) && !(claim.kind === "set" && isLate(world, done, claim, prefix)),
        )
        .map((prefix) => `${placeOf(claim)} has ${prefix}, which nothing declares, and no line of the run names it`),
    );
    return [...staying, ...lost, ...published];
  },
};

/** True for a resource that a run clears, and whose state says that it has all that it declares. A failed update keeps the former arguments. */
function isSettled(kept: Kept): boolean {
  const open = ["unsettled", "absent", "unreached", "failed", "lost", "adopted", "differs"];
  const [declared, held] = [kept.inputs.entries, kept.outputs.entries].map((entries) => JSON.stringify(entries));
  return isCleared(kept) && declared === held && open.every((name) => kept.outputs[name] === undefined);
}

/** Entries of a state that no list of the run shows. */
function lostBefore(world: World, done: CommandRecord, claim: Claim, after: readonly Claim[]): string[] {
  if (claim.kind !== "set" || after.some((it) => it.kind === "set" && it.url === claim.url)) return [];
  const { name = "" } = world.nodes.get(claim.node) ?? {};
  const lists = requestsOf(world, done, name).filter(({ cmd, url }) => cmd === "list" && url === claim.url);
  const isShown = (prefix: string) => lists.some((list) => entriesIn(list).has(prefix));
  return lists.length === 0 ? [] : Object.keys(claim.entries).filter((prefix) => !isShown(prefix));
}

/** Changes by commits of a run that no request of it was about, and that are not as its program declares. */
function publishedBy(world: World, done: CommandRecord, now: readonly Claim[]): string[] {
  return [...world.machines.keys()].flatMap((machine) => {
    const requests = requestsOf(world, done, machine);
    return requests.flatMap(({ commit, url = "", index }) => {
      const declared = declaredAt(now, world, machine, url);
      const all = Object.values(commit ?? {}).flatMap((part) => Object.keys(Object(part)));
      const here = requests.filter((it) => it.url === url);
      // Some nodes list what is staged: no client can tell that from what is applied.
      const isListed = (prefix: string) =>
        here.some(
          (it) => it.index < index && it.cmd === "list" && entriesIn(it).get(prefix) === commit?.inserted[prefix],
        );
      return all
        .filter((prefix) => !here.some((it) => isAbout(it, prefix)))
        .filter((prefix) => !(prefix in (commit?.inserted ?? {}) && (prefix in declared || isListed(prefix))))
        .filter((prefix) => !(prefix in (commit?.inserted ?? {}) && isHidden(here, index, prefix)));
    });
  });
}

/** True where the run read lists of a set after a commit, and none of them shows an entry: the node shows commits late. */
function isHidden(here: readonly JournalEntry[], commit: number, prefix: string): boolean {
  const lists = here.filter(({ cmd, index, status }) => cmd === "list" && index > commit && status === 200);
  return lists.length > 0 && !lists.some((list) => entriesIn(list).has(prefix));
}

function isLate(world: World, done: CommandRecord, { node, url }: Claim & { kind: "set" }, prefix: string): boolean {
  const requests = requestsOf(world, done, world.nodes.get(node)?.name ?? "");
  const here = requests.filter((it) => it.url === url);
  return isHidden(here, here.findLast(({ commit }) => commit)?.index ?? Number.POSITIVE_INFINITY, prefix);
}

function isAbout({ data = [] }: JournalEntry, prefix: string): boolean {
  return data.some((it) => {
    const { p, a } = Object(it) as { p?: unknown; a?: unknown };
    return canonical(p ?? a ?? it) === prefix;
  });
}

/** The end of a resource takes what it has put there, and leaves what it was told to leave. */
export const endsAsTold: Promised = {
  number: 3,
  name: "a resource ends as it was told",
  judge: ({ world, record, now }) => {
    if (!isGreen(world, record)) return [];
    const { done, run } = record;
    const after = run.command === "destroy" ? [] : now;
    return done.steps.flatMap((step) => {
      const ended = step.op === "delete" ? step.old : step.op === "update" ? leaving(world, step) : undefined;
      return ended ? [...taken(world, done, ended), ...remaining(world, done, ended, after)] : [];
    });
  },
};

/** The part of a group at nodes that leave it, which ends as the program of the run says. */
function leaving(world: World, { old, inputs = {} }: Step): Kept | undefined {
  const staying = nodesOf(inputs).map((node) => world.nodes.get(node));
  const left = Object.keys(Object(old?.outputs.endpoints)).filter((node) => !staying.includes(world.nodes.get(node)));
  if (!old || left.length === 0) return undefined;
  const { onDestroy = "remove" } = inputs;
  return { ...old, inputs: { ...old.inputs, nodes: left, onDestroy }, outputs: {} };
}

/**
 * True for a green run of all resources, in a world with one stack in which each address is a machine of its own and no act disturbs.
 *
 * @param isFaulty True for one that may have faults.
 */
export function isGreen({ scenario, acts }: World, { run, done, isCalm }: RunRecord, isFaulty = false): boolean {
  const { targets, excludes } = run.options;
  const isWhole = targets === undefined && excludes === undefined && ["up", "destroy"].includes(run.command);
  const isOpen = done.errors.length > 0 || done.wasKilled || done.wasCancelled || done.acts.length > 0;
  const isPlain =
    scenario.stacks.length === 1 &&
    !hasSecrets(scenario) &&
    !scenario.nodes.some(({ aliases }) => aliases !== undefined);
  return (
    isWhole &&
    (isCalm || isFaulty) &&
    !isOpen &&
    isPlain &&
    !done.isPreview &&
    !acts.some(({ act }) => act.actor === "restore")
  );
}

/** True for programs whose prefixes no line may name. */
export function hasSecrets({ turns }: Scenario): boolean {
  const runs = turns.flatMap((turn) => (turn.kind === "runs" ? turn.runs : []));
  return runs.some(({ program }) => program.some(({ options }) => options?.secret !== undefined));
}

/** A resource that is told to keep everything names numbers alone. */
function isCleared({ inputs, retainOnDelete }: Kept): boolean {
  return inputs.onDestroy !== "keep" && !retainOnDelete;
}

function placeOf(claim: Claim): string {
  return claim.kind === "set" ? `${claim.node} ${claim.url}` : claim.receiver;
}

/** Entries at the place of a declaration, and those that it answers for, without the declared ones. */
function left(world: World, claim: Claim, declared: readonly Claim[]): string[] {
  if (claim.resource.options?.ignoreChanges) return [];
  if (claim.kind === "signal") {
    const wanted = declared.flatMap((it) => (it.kind === "signal" ? it.prefixes : []));
    return activeAt(world, claim.receiver).filter((it) => claim.prefixes.includes(it) && !wanted.includes(it));
  }
  const isHere = (it: Claim) => it.kind === "set" && it.url === claim.url && it.node === claim.node;
  const here = declared.filter(isHere);
  const isIn = (claims: readonly Claim[], prefix: string) =>
    claims.some((it) => it.kind === "set" && prefix in it.entries);
  const held = Object.keys(world.nodes.get(claim.node)?.held(claim.url) ?? {});
  return held.filter((prefix) => !isIn(here, prefix) && (claim.exclusive || isIn([claim], prefix)));
}

/** True if the run has seen a list of it. */
function isSeen(world: World, done: CommandRecord, claim: Claim): boolean {
  if (claim.kind === "signal") return true;
  if (isSaidSilent(done, claim.node)) return false;
  const { name = "" } = world.nodes.get(claim.node) ?? {};
  return requestsOf(world, done, name).some(({ cmd, url }) => cmd === "list" && url === claim.url);
}

/** A new declaration takes over nothing that it was not told to. */
export const takesNothingOver: Promised = {
  number: 2,
  name: "nothing is taken over without leave",
  judge: ({ world, record, now }) => {
    const { done, run } = record;
    if (run.command !== "up" || !isGreen(world, record)) return [];
    return addedIn(done, now).flatMap((claim) => {
      if (claim.kind !== "set" || claim.resource.args.onExisting === "adopt") return [];
      // What a refresh finds is in the state by then, and the preview shows its change.
      if (run.options.refresh && done.steps.some(({ op, name }) => op === "update" && name === claim.resource.name))
        return [];
      const there = foundBy(world, done, claim);
      const isInTheWay = ([prefix, value]: [string, number]) =>
        prefix in claim.entries ? claim.entries[prefix] !== value : claim.exclusive;
      return there
        .filter(isInTheWay)
        .map(
          ([prefix]) =>
            `${placeOf(claim)} had ${prefix}, and ${claim.resource.name} declares it without leave to take it over`,
        );
    });
  },
};

/** Declarations of the resources that a run has made, and what others newly declare: no state had it. */
function addedIn({ steps, before }: CommandRecord, now: readonly Claim[]): Claim[] {
  const namesOf = (what: string) => new Set(steps.flatMap(({ op, name }) => (op === what ? name : [])));
  const [made, updated] = [namesOf("create"), namesOf("update")];
  const known = JSON.stringify(before.resources.map(({ inputs, outputs }) => [inputs, outputs]));
  return now.flatMap((claim) => {
    if (made.has(claim.resource.name)) return [claim];
    if (claim.kind === "signal" || !updated.has(claim.resource.name)) return [];
    const entries = Object.fromEntries(
      Object.entries(claim.entries).filter(([prefix]) => !known.includes(`"${prefix}"`)),
    );
    return [{ ...claim, entries, exclusive: false }];
  });
}

/** A run names the entries that what it newly declares finds at its place. */
export const whatWasThereIsNamed: Promised = {
  number: 12,
  name: "what was there before is named",
  judge: ({ world, record, now }) => {
    const { done, preview, run } = record;
    if (run.command !== "up" || !isGreen(world, record)) return [];
    const text = [...done.printed, ...(preview?.printed ?? [])].join("\n");
    return addedIn(done, now).flatMap((claim) => {
      const declared = claim.kind === "set" ? Object.keys(claim.entries) : claim.prefixes;
      return foundBy(world, done, claim)
        .filter(([prefix]) => declared.includes(prefix) && !namesIn(text, prefix))
        .map(
          ([prefix]) =>
            `${placeOf(claim)} had ${prefix} before ${claim.resource.name}, and no line of the run names it`,
        );
    });
  },
};

/** Entries that the first answer of a run shows, and its stack has never sent. */
function foundBy(world: World, done: CommandRecord, claim: Claim): [prefix: string, value: number][] {
  const name = claim.kind === "set" ? (world.nodes.get(claim.node)?.name ?? "") : claim.receiver;
  const { journal = [] } = world.machines.get(name) ?? {};
  const own = done.label.split(" ")[0];
  const isIts = (entry: JournalEntry) => claim.kind === "signal" || entry.url === claim.url;
  const first = requestsOf(world, done, name).find((it) => isIts(it) && (it.cmd === "list" || it.op === "status"));
  const there = entriesIn(first ?? { answer: "" });
  const isSent = (prefix: string) =>
    journal.some(
      (it) => isIts(it) && it.label?.split(" ")[0] === own && it.index < (first?.index ?? 0) && isChangeOf(it, prefix),
    );
  return [...there].filter(([prefix]) => !isSent(prefix));
}

function isChangeOf({ cmd, op, data = [] }: JournalEntry, prefix: string): boolean {
  return (
    (cmd === "insert" || op === "start") && data.some((it) => canonical((it as { p?: unknown }).p ?? it) === prefix)
  );
}

export function activeAt({ machines }: World, receiver: string): readonly string[] {
  return machines.get(receiver)?.emulator.signalings["client-a"] ?? [];
}

/** Entries that a delete took although it was told to leave them. */
function taken(world: World, done: CommandRecord, old: Kept): string[] {
  if (!["keep", "created"].includes(String(old.inputs.onDestroy))) return [];
  const { resources } = done.before;
  return claimsIn([old], done.began).flatMap((claim) => {
    if (claim.kind !== "set") return [];
    const { name = "" } = world.nodes.get(claim.node) ?? {};
    // What an update of another resource removes is no part of this end.
    const shared = claimsIn(
      resources.filter((it) => it.urn !== old.urn),
      done.began,
    );
    if (shared.some((it) => it.kind === "set" && it.url === claim.url)) return [];
    const others = foreignAt(world, name, claim.url);
    const { journal = [] } = world.machines.get(name) ?? {};
    const own = done.label.split(" ")[0];
    const isOthers = (prefix: string) => {
      const put = journal.findLast(({ url, commit }) => url === claim.url && prefix in (commit?.inserted ?? {}));
      return others.has(prefix) && put?.label?.split(" ")[0] !== own;
    };
    const removed = requestsOf(world, done, name).flatMap(({ commit, url }) =>
      url === claim.url ? Object.keys(commit?.removed ?? {}) : [],
    );
    return removed
      .filter((prefix) => old.inputs.onDestroy === "keep" || isOthers(prefix))
      .map((prefix) => `the end of ${old.name} (${old.inputs.onDestroy}) removes ${prefix} at ${claim.node}`);
  });
}

/** Entries that a resource inserted, and that its end leaves. A line names what stays for another resource, and what one with `created` found of another. */
function remaining(world: World, done: CommandRecord, old: Kept, after: readonly Claim[]): string[] {
  if (!isCleared(old)) return [];
  const isNamed = (claim: Claim, prefix: string) => {
    const isCreated = old.inputs.onDestroy === "created" && wasElsewhere(world, done, { old, claim, prefix });
    const why = isCreated ? /\bleft\b|\bstays?\b/ : /\bstays?\b/;
    return done.printed.some((line) => why.test(line) && namesIn(line, prefix));
  };
  return claimsIn([old], 0).flatMap((claim) => {
    if (claim.kind !== "set") return [];
    const others = foreignAt(world, world.nodes.get(claim.node)?.name ?? "", claim.url);
    return left(world, claim, after)
      .filter((prefix) => prefix in claim.entries && !others.has(prefix) && !others.has("*") && !isNamed(claim, prefix))
      .filter((prefix) => !isAdopted(done, claim, prefix))
      .map((prefix) => `${claim.node} still holds ${prefix} of ${old.name}, which has ended`);
  });
}

/** True for an entry that a resource has adopted there in this run, which says so: the next run does what the program says. */
function isAdopted({ after, printed, steps }: CommandRecord, claim: Claim, prefix: string): boolean {
  if (claim.kind !== "set") return false;
  const isSaid = printed.some((line) => line.includes(`${claim.url} `) && line.includes(": adopted "));
  const written = steps.flatMap(({ op, name }) => (["create", "update", "replace"].includes(op) ? name : []));
  return (
    isSaid && after.resources.some((kept) => written.includes(kept.name) && adoptedAt(kept, claim).includes(prefix))
  );
}

interface Ended {
  readonly old: Kept;
  readonly claim: Claim;
  readonly prefix: string;
}

/** True where another resource of the stack, or a killed run, can have put an entry there before. */
function wasElsewhere({ records }: World, done: CommandRecord, { old, claim, prefix }: Ended): boolean {
  const has = (kept: Kept) =>
    claimsIn([kept]).some((it) => it.kind === "set" && placeOf(it) === placeOf(claim) && prefix in it.entries);
  return records.some(
    ({ done: it }) =>
      it.wasKilled ||
      it.after.resources.some((kept) => kept.name !== old.name && has(kept)) ||
      (it !== done && it.steps.some(({ op, old: was }) => op === "delete" && was && has(was))),
  );
}
