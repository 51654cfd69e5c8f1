import type { Command } from "commander";
import { OptionsError, type ReceiverOptions, SignalingClient } from "../client";
import { parseEndpoint } from "../client/endpoint";
import { parseOptions, receiverSchema } from "../client/options";
import { ConfigError } from "../settings/settings";
import { type CliIo, UsageError } from "./cli-io";
import { requireOwnAddress } from "./node-options";
import { wrongUse } from "./option-values";
import { type Project, readProject, type StackFlags } from "./project";
import { readSettingsFile } from "./settings-file";

export interface ReceiverFlags extends StackFlags {
  readonly receiver?: string;
  readonly signalingUrl?: string;
  readonly clientId?: string;
  /** A file with further members under `receiver`. */
  readonly settings?: string;
}

/** Options that concern a receiver alone. */
export const OF_RECEIVERS = ["--receiver", "--signaling-url", "--client-id"];

/** Adds {@link ReceiverFlags} to a command that has those of the stack. The secret key comes from stack or environment alone. */
export function addReceiverFlags(command: Command): Command {
  return command
    .optionsGroup("Receiver:")
    .option("--receiver <name>", "name in packetfilter:receivers of the stack")
    .option(
      "--signaling-url <url>",
      "base url of the receiver; default: that of the stack, else PACKETFILTER_SIGNALING_URL",
    )
    .option("--client-id <id>", "client id at the receiver; default: PACKETFILTER_CLIENT_ID")
    .optionsGroup("");
}

/** The receiver that flags, stack and environment name. @throws {UsageError} naming the missing part */
export async function receiverOptions(flags: ReceiverFlags, io: CliIo): Promise<ReceiverOptions> {
  const ofStack = flags.signalingUrl ? undefined : await receiverOfStack(flags, io);
  const { receiver } = await readSettingsFile(flags.settings, io);
  const chosen = ofStack ?? receiverOfFlags(flags, io);
  const { url = chosen.url, ...members } = receiver;
  const placeOf = (at: unknown) => wrongUse(OptionsError, () => parseEndpoint(String(at), "url").shown);
  const isOther = placeOf(url) !== placeOf(chosen.url);
  const odd = isOther ? "url" : ["clientId", "secretKey"].find((name) => name in members);
  if (odd !== undefined)
    throw new UsageError(
      `--settings: the file cannot choose the receiver. Remove "${odd}": stack, options or environment have it.`,
    );
  const given = { ...chosen, ...members };
  return wrongUse(OptionsError, () => parseOptions(receiverSchema(), given, "receiver"));
}

async function receiverOfStack(flags: ReceiverFlags, io: CliIo): Promise<ReceiverOptions | undefined> {
  const { receiver, stack, config } = flags;
  const isOptional = receiver === undefined && io.env.PACKETFILTER_SIGNALING_URL !== undefined;
  const project = await readProject({ stack, config, isOptional }, io);
  const { isConfigured } = project.unnamed("receiver");
  const hidden = project.hiddenIn("receiver", receiver);
  if (receiver === undefined && !isConfigured && (hidden === undefined || isOptional)) return undefined;
  if (hidden !== undefined) {
    if (receiver === undefined && isOptional && isOfEnvironment(project, io)) return undefined;
    throw new UsageError(hidden);
  }
  const { options } = wrongUse(ConfigError, () => project.settings.receiver(receiver));
  return flags.clientId ? { ...options, clientId: flags.clientId } : options;
}

/** True if the environment names the same receiver, and so supplies the secrets of the stack. */
function isOfEnvironment({ unnamed }: Project, { env }: CliIo): boolean {
  return unnamed("receiver").address === env.PACKETFILTER_SIGNALING_URL && env.PACKETFILTER_SECRET_KEY !== undefined;
}

function receiverOfFlags(flags: ReceiverFlags, { env }: CliIo): ReceiverOptions {
  const url = flags.signalingUrl || env.PACKETFILTER_SIGNALING_URL;
  const clientId = flags.clientId || env.PACKETFILTER_CLIENT_ID;
  const secretKey = env.PACKETFILTER_SECRET_KEY;
  if (!url)
    throw new UsageError(
      "Name the receiver: --signaling-url URL, packetfilter:signalingUrl of the stack, or PACKETFILTER_SIGNALING_URL.",
    );
  if (!clientId) throw new UsageError("Name the client: --client-id ID, or PACKETFILTER_CLIENT_ID.");
  if (!secretKey) throw new UsageError("The secret key is read from the environment: set PACKETFILTER_SECRET_KEY.");
  requireOwnAddress(env, {
    variables: [...(flags.clientId ? [] : ["PACKETFILTER_CLIENT_ID"]), "PACKETFILTER_SECRET_KEY"],
    address: url,
    namedBy: "--signaling-url",
    variable: "PACKETFILTER_SIGNALING_URL",
  });
  return { url, clientId, secretKey };
}

/** A client of that receiver. @throws {UsageError} */
export async function signalingClient(flags: ReceiverFlags, io: CliIo): Promise<SignalingClient> {
  const options = await receiverOptions(flags, io);
  return wrongUse(OptionsError, () => new SignalingClient(options));
}
