import type { Command } from "commander";
import { formatUrl } from "../../client";
import { messageOf } from "../../model/errors";
import type { LockedFile } from "../../prefixes/edit/edit-file";
import { type CliIo, waiting } from "../cli-io";
import { printed } from "../listing/output";
import { inParallel } from "../parallel";
import type { NowTarget, Workplace } from "./common";
import { sendNow, type Wanted } from "./now";

/** How the set of one target was left. */
interface Outcome extends NowTarget {
  /** The sentence of the error; `undefined`: the node answered. */
  readonly failure?: string;
  readonly sent?: Awaited<ReturnType<typeof sendNow>>;
}

/** The command that is carried out, and what it says otherwise when it is given again. */
interface Given {
  readonly command: Command;
  readonly arguments: readonly string[];
  /** Options that are said in another way: a time in place of a span. */
  readonly instead?: Readonly<Record<string, string | undefined>>;
}

/**
 * With --now: sends what was written to every target, and says of each how it ended. A target that fails keeps no other from
 * being done.
 *
 * @returns sentences about what is not as the command says, and the command that finishes the rest
 */
export async function send(
  { targets, project }: Workplace,
  file: LockedFile,
  wanted: (target: NowTarget) => Wanted,
  given: Given,
  io: CliIo,
): Promise<readonly string[]> {
  const outcomes = await inParallel(targets, async (target): Promise<Outcome> => {
    try {
      const work = () => sendNow({ ...target, project, file }, wanted(target), io);
      return { ...target, sent: await waiting(io, `sending to ${target.client.endpoint}`, work) };
    } catch (error) {
      return { ...target, failure: messageOf(error) };
    }
  });
  if (outcomes.length > 1) io.out(table(outcomes));
  else for (const { sent } of outcomes) if (sent) io.out(`${sent.done}\n`);
  const failed = outcomes.filter(({ failure }) => failure !== undefined);
  const problems = outcomes.flatMap(({ failure, sent }) =>
    failure === undefined ? (sent?.problems ?? []) : [failure],
  );
  if (outcomes.length < 2 || failed.length === 0) return problems;
  const rest = `${failed.length} of ${outcomes.length} failed. What finishes the rest:`;
  return [...problems, `${rest}\n  ${finishing(failed, given)}`];
}

function table(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ node, client, url, failure, sent }) => ({
    node: node ?? client.endpoint,
    set: formatUrl(url),
    changed: sent?.changed ?? 0,
    outcome: failure !== undefined ? "failed" : sent && sent.problems.length > 0 ? "not all" : "done",
  }));
  const count = rows.filter(({ outcome }) => outcome === "done").length;
  return printed(
    { columns: ["node", "set", "changed", "outcome"], rows, summary: `${count} of ${rows.length} done.` },
    "table",
  );
}

/** The same command for the nodes and sets that failed. */
function finishing(failed: readonly Outcome[], { command, arguments: words, instead }: Given): string {
  const named = failed.flatMap(({ node }) => node ?? []);
  const addressed = failed.flatMap(({ node, client }) => (node === undefined ? client.endpoint : []));
  const options = {
    allNodes: undefined,
    node: named.length > 0 ? [[...new Set(named)].join(",")] : undefined,
    endpoint: addressed.length > 0 ? [...new Set(addressed)] : undefined,
    now: [...new Set(failed.map(({ url }) => formatUrl(url)))],
    ...instead,
  };
  return commandLine(command, words, options);
}

/** Options whose value may be a secret: the words of a command that is shown do not have it. */
const SECRET = new Set(["header"]);

/**
 * A command as it can be typed into a shell: what was given, with some options said otherwise.
 *
 * @param words Its arguments.
 * @param instead By an option's name in code: its values, or `undefined` for one that is left out.
 */
function commandLine(
  command: Command,
  words: readonly string[],
  instead: Readonly<Record<string, string | readonly string[] | undefined>>,
): string {
  const given = command.options.flatMap((option) => {
    const name = option.attributeName();
    const isSaid = name in instead;
    if (!isSaid && command.getOptionValueSource(name) !== "cli") return [];
    const value: unknown = isSaid ? instead[name] : command.getOptionValue(name);
    if (value === undefined) return [];
    const flag = option.long ?? option.short ?? "";
    if (value === true) return [flag];
    return [value].flat().flatMap((one) => [flag, SECRET.has(name) ? `${String(one).split(":")[0]}: …` : String(one)]);
  });
  const names = [];
  for (let one: Command | null = command; one?.parent; one = one.parent) names.unshift(one.name());
  return ["pulumi-packetfilter", ...names, ...words, ...given].map(quoted).join(" ");
}

/** As a POSIX shell takes it for one word. */
function quoted(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
