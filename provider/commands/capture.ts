import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { z } from "zod";
import { captureNode } from "../capture/capture";
import type { NodeOptions } from "../client";
import type { EmulatorState } from "../emulator/state/state";
import { toYaml } from "../emulator/state/state-file";
import { type CliIo, UsageError } from "./cli-io";

interface Flags {
  readonly endpoint?: string;
  readonly marks: string;
  readonly output: string;
  readonly header: readonly string[];
  readonly userArena?: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Adds `capture` to the command line. */
export function register(program: Command, io: CliIo): void {
  program
    .command("capture")
    .description("write profiles, rules, marks and sets of a node to stdout, as a state that an emulator starts from")
    .argument("<resource...>", "arenas (arena://edge or edge) and prefix-sets (prefixset://edge/blocked)")
    .option("--endpoint <url>", "base url of the node; default: PACKETFILTER_ENDPOINT")
    .option("--marks <all|none>", "whether to read the mark tables, each once", "all")
    .option("--output <yaml|json>", "form of the state", "yaml")
    .option("--header <header>", 'header to send, as "Name: value"; also PACKETFILTER_HEADERS', collect, [])
    .option("--user-arena <name>", "value of the header User-Arena; default: the arena")
    .option("--ca <file>", "certificates to trust, PEM")
    .option("--cert <file>", "client certificate, PEM")
    .option("--key <file>", "key of the client certificate, PEM")
    .action((resources: string[], flags: Flags) => run(resources, flags, io));
}

async function run(resources: readonly string[], flags: Flags, io: CliIo): Promise<void> {
  const { marks, output } = flags;
  if (marks !== "all" && marks !== "none")
    throw new UsageError(`--marks is "all" or "none", not ${JSON.stringify(marks)}.`);
  if (output !== "yaml" && output !== "json") {
    throw new UsageError(`--output is "yaml" or "json", not ${JSON.stringify(output)}.`);
  }
  const node = await nodeOptions(flags, io);
  const warn = (message: string) => io.err(`${message}\n`);
  let state: EmulatorState;
  try {
    state = await captureNode(node, { resources, marks, warn });
  } catch (error) {
    throw error instanceof TypeError ? new UsageError(error.message) : error;
  }
  io.out(output === "json" ? `${JSON.stringify(state, null, 2)}\n` : await toYaml(state));
}

async function nodeOptions(flags: Flags, { env }: CliIo): Promise<NodeOptions> {
  const endpoint = flags.endpoint ?? env.PACKETFILTER_ENDPOINT;
  if (!endpoint) throw new UsageError("Say which node: --endpoint URL, or PACKETFILTER_ENDPOINT.");
  const [ca, cert, key] = await Promise.all(
    [flags.ca, flags.cert, flags.key].map((file) => file && readFile(file, "utf8")),
  );
  const tls = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  return {
    endpoint,
    headers: { ...headersOf(env.PACKETFILTER_HEADERS), ...Object.fromEntries(flags.header.map(headerOf)) },
    ...(flags.userArena !== undefined && { userArena: flags.userArena }),
    ...(Object.keys(tls).length > 0 && { tls }),
  };
}

function headersOf(text: string | undefined): Record<string, string> {
  if (!text) return {};
  try {
    return z.record(z.string(), z.string()).parse(JSON.parse(text));
  } catch {
    throw new UsageError("PACKETFILTER_HEADERS must be a JSON object of texts.");
  }
}

function headerOf(text: string): [name: string, value: string] {
  const colon = text.indexOf(":");
  if (colon <= 0) throw new UsageError('--header is written "Name: value".');
  return [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
}

function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}
