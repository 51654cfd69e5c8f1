import { Argument, type Command } from "commander";
import { formatUrl } from "../client";
import type { CliIo } from "./cli-io";
import { oneOf } from "./helping/suggesting";
import { stackSets } from "./listing/stack-sets";
import { readProject, type StackFlags, stackNames } from "./project";

const KINDS = ["nodes", "receivers", "sets", "stacks"] as const;

export type NameKind = (typeof KINDS)[number];

/**
 * Names that every shell takes as they stand, at the start of a word and within it. A commit may bring any other, such as a stack
 * `$(rm -r .)`: it is left out, so that neither TAB nor Enter after it runs anything.
 */
const PLAIN = /^[\p{L}\p{N}_.:/%@+][\p{L}\p{N}_.:/%@+=-]*$/u;

/** Adds `names`, which the scripts of `completion` call: it prints a plain name a line, and nothing if that fails. */
export function register(program: Command, io: CliIo): void {
  program
    .command("names")
    .addArgument(new Argument("<kind>").choices(KINDS).argParser((kind: string) => oneOf(KINDS, kind)))
    .option("--stack <name>", "stack whose Pulumi.<name>.yaml is read; default: the selected one, else the only one")
    .action(async (kind: NameKind, flags: StackFlags) => {
      // A completion shows no errors of the project: the completed command will.
      const names = await namesOf(kind, flags, io).catch(() => []);
      io.out(names.flatMap((name) => (PLAIN.test(name) ? `${name}\n` : [])).join(""));
    });
}

async function namesOf(kind: NameKind, { stack }: StackFlags, io: CliIo): Promise<readonly string[]> {
  if (kind === "stacks") return stackNames([io.folder ?? process.cwd()]);
  const project = await readProject({ stack }, io);
  if (kind !== "sets") return project[kind];
  const { known } = await stackSets(project, undefined, io);
  return [...new Set(known.map(({ url }) => formatUrl(url)))].sort();
}
