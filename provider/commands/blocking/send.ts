import type { Command } from "commander";
import { formatUrl } from "../../client";
import { addTo, groupBy } from "../../model/group";
import type { CanonicalPrefix } from "../../model/prefix";
import { type Decide, type Edited, edited } from "../../prefixes/edit/edit-file";
import type { CliIo } from "../cli-io";
import { inParallel } from "../parallel";
import { commandLine } from "./command-line";
import type { NowTarget, Workplace } from "./common";
import type { Outcome } from "./outcome";
import { failures, problemsOf } from "./problems";
import { type Intent, sendNow } from "./send-to-set";
import { namesOf, outcomeLine, type Watching, watchOutcomes } from "./watching";

/** The command that is carried out. */
export interface Given {
  readonly command: Command;
  readonly arguments: readonly string[];
  /** Options that differ if the command is repeated: a time in place of a span. */
  readonly instead?: Readonly<Record<string, string | undefined>>;
}

/** A change of the file, and with --now of sets at nodes. */
export interface Change extends Pick<Intent, "isForced" | "isExpired" | "reason"> {
  /** The prefixes to change at a target. */
  names(target: NowTarget): readonly CanonicalPrefix[];
  /** The edit of the file. */
  readonly decide: Decide;
  /** Called once the file is written. */
  written(edit: Edited): void;
}

export interface Ended {
  readonly edit: Edited;
  readonly outcomes: readonly Outcome[];
  readonly problems: readonly string[];
  /** Commands that finish the rest. */
  readonly finish: readonly string[];
}

/** Thrown if nothing was changed, neither in the file nor at a node. */
export class NothingDone extends Error {
  override readonly name = "NothingDone";

  constructor(
    message: string,
    readonly outcomes: readonly Outcome[],
  ) {
    super(message);
  }
}

/**
 * Makes the change in the file and, with --now, sends it to all targets at once. The file is written as soon as one node has
 * listed its set, or at the end if all are silent. If a target refuses and none lists its set, as with a mistyped set, the file
 * stays as it is. A target that fails or is silent does not stop the others.
 *
 * @throws {NothingDone}
 */
export async function carryOut(place: Workplace, change: Change, given: Given, io: CliIo): Promise<Ended> {
  const { editor, targets } = place;
  const { names, decide, written, ...how } = change;
  let known = edited(await editor.read(), decide);
  let writing: Promise<Edited> | undefined;
  let watch: Watching | undefined;
  const write = () => {
    writing ??= editor.edit(decide).then((made) => {
      known = made;
      if (watch) watch.above(() => written(made));
      else written(made);
      return made;
    });
    return writing;
  };
  if (targets.length === 0) return { edit: await write(), outcomes: [], problems: [], finish: [] };
  watch = watchOutcomes(targets, io);
  place.notes.say = (text) => (watch ? watch.above(() => io.err(text)) : io.err(text));
  const noticed = new Map<string, NowTarget[]>();
  const send = async (target: NowTarget): Promise<Outcome> => {
    const notice = (text: string) => addTo(noticed, text, target);
    const intent: Intent = { names: names(target), known: () => known, write, notice, ...how };
    const outcome = await sendNow(target, place, intent, io);
    watch?.ended(target);
    // A terminal has a progress line, a pipe one line for each target.
    if (targets.length > 1 && !io.terminal && place.output === "text") io.out(outcomeLine(outcome));
    return outcome;
  };
  const outcomes = await eachNode(targets, send).finally(() => {
    watch?.close();
    watch = undefined;
  });
  for (const [sentence, those] of noticed) io.err(`${namesOf(those, targets)}: ${sentence}\n`);
  // If the file cannot be written, the whole command fails.
  if (writing === undefined && (outcomes.some(isRefusal) || io.stop.aborted)) throw nothingDone(outcomes, change);
  const edit = await write();
  const open = groupBy(
    outcomes.filter(({ isPassing }) => isPassing),
    ({ project }) => project.stack,
  );
  const finish = [...open.values()].map((some) => finishing(some, given));
  return { edit, outcomes, problems: problemsOf(outcomes, finish, editor.isWritten), finish };
}

/** Sends to all nodes at once, and to the sets of each one after the other, so that a node holds one socket at most. */
async function eachNode(
  targets: readonly NowTarget[],
  send: (target: NowTarget) => Promise<Outcome>,
): Promise<Outcome[]> {
  const nodes = groupBy(targets, ({ client }) => client.endpoint);
  const outcomes = await inParallel([...nodes.values()], async (sets) => {
    const ended: Outcome[] = [];
    for (const target of sets) ended.push(await send(target));
    for (const client of new Set(sets.map((it) => it.client))) await client.close();
    return ended;
  });
  return outcomes.flat();
}

/** True for a failure that would repeat, as with a wrong set or wrong credentials. */
function isRefusal({ outcome, isPassing }: Outcome): boolean {
  return outcome === "not sent" && !isPassing;
}

function nothingDone(outcomes: readonly Outcome[], { isExpired = false }: Change): NothingDone {
  const alone = isExpired ? "" : ": without --now the file alone is written";
  return new NothingDone(`${failures(outcomes).join("\n")}\nNothing was changed, the file neither${alone}.`, outcomes);
}

/** The same command for the remaining nodes and sets of one stack. */
function finishing(open: readonly Outcome[], { command, arguments: words, instead }: Given): string {
  const named = open.flatMap(({ node }) => node ?? []);
  const unnamed = open.flatMap(({ node, client }) => (node === undefined ? client.endpoint : []));
  const isAddressed = command.getOptionValueSource("endpoint") === "cli";
  // The unnamed node of a stack or of the environment is chosen by no option: its address alone would lose its other members.
  const isNamed = named.length > 0 && (isAddressed || unnamed.length === 0);
  const stack = command.getOptionValueSource("stack") === "cli" || command.getOptionValue("allStacks") === true;
  const options = {
    allNodes: undefined,
    allStacks: undefined,
    create: undefined,
    stack: stack ? open[0]?.project.stack : undefined,
    config: configOf(command, open[0]?.project.stack),
    node: isNamed ? [[...new Set(named)].join(",")] : undefined,
    endpoint: isAddressed ? [...new Set(unnamed)] : undefined,
    now: command.getOptionValue("now") === true || [...new Set(open.map(({ url }) => formatUrl(url)))],
    ...instead,
  };
  return commandLine(command, words, options);
}

/** The file of --config for one of several stacks. */
function configOf(command: Command, stack = ""): readonly string[] {
  const given: readonly string[] = command.getOptionValue("config");
  const own = given.filter((text) => text.split("=")[0]?.split("/").at(-1) === stack);
  return given.length > 1 || own.length > 0 ? own : given;
}
