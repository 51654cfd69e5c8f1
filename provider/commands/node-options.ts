import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import { z } from "zod";
import { NodeClient, type NodeOptions, nodeOptionsSchema, OptionsError } from "../client";
import { parseOptions } from "../client/options";
import { type CredentialUse, type Environment, strayCredentials } from "../resources/environment-credentials";
import { type CliIo, UsageError } from "./cli-io";
import { wrongUse } from "./wrong-use";

/** The options by which every command that speaks to a node is told which one. */
export interface NodeFlags {
  readonly endpoint?: string;
  readonly header: readonly string[];
  readonly userArena?: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly settings?: string;
  readonly markPauseMs?: string;
  readonly markPace?: string;
}

/** Adds {@link NodeFlags} to a command. */
export function addNodeFlags(command: Command): Command {
  return command
    .option("--endpoint <url>", "base url of the node; default: PACKETFILTER_ENDPOINT")
    .option("--header <header>", 'header to send, as "Name: value"; also PACKETFILTER_HEADERS', collect, [])
    .option("--user-arena <name>", "value of the header User-Arena; default: the arena")
    .option("--ca <file>", "certificates to trust, PEM")
    .option("--cert <file>", "client certificate, PEM")
    .option("--key <file>", "key of the client certificate, PEM")
    .option(
      "--settings <file>",
      "further members of the node in JSON (answers, absentSet, …), as probe --out writes them",
    )
    .option("--mark-pause-ms <ms>", "from the end of one list of marks to the start of the next; default: 3000")
    .option("--mark-pace <table|node|off>", "whether that pause is kept for each table, or for all of the node");
}

/**
 * The node that flags, environment and settings file name, in this order, checked.
 *
 * @throws {UsageError} when they name none, or say something that cannot be read
 */
export async function nodeOptions(flags: NodeFlags, io: CliIo): Promise<NodeOptions> {
  const { env } = io;
  const { endpoint: written, headers, ...settings } = await settingsOf(flags.settings, io);
  const endpoint = flags.endpoint ?? env.PACKETFILTER_ENDPOINT ?? written;
  if (!endpoint) throw new UsageError("Say which node: --endpoint URL, or PACKETFILTER_ENDPOINT.");
  requireOwnAddress(env, {
    variables: env.PACKETFILTER_HEADERS ? ["PACKETFILTER_HEADERS"] : [],
    address: endpoint,
    namedBy: flags.endpoint === undefined ? `--settings ${flags.settings}` : "--endpoint",
    variable: "PACKETFILTER_ENDPOINT",
  });
  const [ca, cert, key] = await Promise.all(
    [flags.ca, flags.cert, flags.key].map((file) => file && readFile(file, "utf8")),
  );
  const tls = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  const given = {
    ...settings,
    endpoint,
    headers: { ...headers, ...headersOf(env.PACKETFILTER_HEADERS), ...Object.fromEntries(flags.header.map(headerOf)) },
    ...(flags.userArena !== undefined && { userArena: flags.userArena }),
    ...(Object.keys(tls).length > 0 && { tls }),
    ...(flags.markPauseMs !== undefined && { markPauseMs: flags.markPauseMs }),
    ...(flags.markPace !== undefined && { markPace: flags.markPace }),
  };
  return wrongUse(OptionsError, () => parseOptions(nodeOptionsSchema, given, "node"));
}

/** @throws {UsageError} where credentials of the environment would go to another address than theirs */
export function requireOwnAddress(env: Environment, use: CredentialUse): void {
  const problem = strayCredentials(env, use);
  if (problem !== undefined) throw new UsageError(problem);
}

/** A client of that node, checked before anything is sent. @throws {UsageError} */
export async function nodeClient(flags: NodeFlags, io: CliIo): Promise<NodeClient> {
  const options = await nodeOptions(flags, io);
  return wrongUse(OptionsError, () => new NodeClient(options));
}

const settings = z.looseObject({
  endpoint: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
});

/** The members of a node in a file: alone, or under `node` beside other things. */
async function settingsOf(file: string | undefined, { folder = "." }: CliIo): Promise<z.output<typeof settings>> {
  if (file === undefined) return {};
  const text = await readFile(resolve(folder, file), "utf8");
  try {
    const content: unknown = JSON.parse(text);
    const { node } = z.looseObject({ node: z.unknown().optional() }).parse(content);
    return settings.parse(node ?? content);
  } catch {
    throw new UsageError(`--settings ${file} must be a JSON object with members of a node, alone or under "node".`);
  }
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
