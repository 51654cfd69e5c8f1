import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { z } from "zod";
import { NodeClient, type NodeOptions, OptionsError } from "../client";
import { type CliIo, UsageError } from "./cli-io";

/** The options by which every command that speaks to a node is told which one. */
export interface NodeFlags {
  readonly endpoint?: string;
  readonly header: readonly string[];
  readonly userArena?: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Adds {@link NodeFlags} to a command. */
export function addNodeFlags(command: Command): Command {
  return command
    .option("--endpoint <url>", "base url of the node; default: PACKETFILTER_ENDPOINT")
    .option("--header <header>", 'header to send, as "Name: value"; also PACKETFILTER_HEADERS', collect, [])
    .option("--user-arena <name>", "value of the header User-Arena; default: the arena")
    .option("--ca <file>", "certificates to trust, PEM")
    .option("--cert <file>", "client certificate, PEM")
    .option("--key <file>", "key of the client certificate, PEM");
}

/**
 * The node that flags and environment name.
 * @throws {UsageError} when they name none, or say something that cannot be read
 */
export async function nodeOptions(flags: NodeFlags, { env }: CliIo): Promise<NodeOptions> {
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

/** A client of that node, checked before anything is sent. @throws {UsageError} */
export async function nodeClient(flags: NodeFlags, io: CliIo): Promise<NodeClient> {
  const options = await nodeOptions(flags, io);
  try {
    return new NodeClient(options);
  } catch (error) {
    throw error instanceof OptionsError ? new UsageError(error.message) : error;
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
