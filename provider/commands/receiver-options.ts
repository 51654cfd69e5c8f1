import type { Command } from "commander";
import { OptionsError, type ReceiverOptions, SignalingClient } from "../client";
import { type CliIo, UsageError } from "./cli-io";
import { requireOwnAddress } from "./node-options";
import { wrongUse } from "./wrong-use";

/** The options by which a command that speaks to a signaling receiver is told which one. */
export interface ReceiverFlags {
  readonly signalingUrl?: string;
  readonly clientId?: string;
}

/** Adds {@link ReceiverFlags} to a command. The secret key comes from the environment alone. */
export function addReceiverFlags(command: Command): Command {
  return command
    .option("--signaling-url <url>", "base url of the receiver; default: PACKETFILTER_SIGNALING_URL")
    .option("--client-id <id>", "client id at the receiver; default: PACKETFILTER_CLIENT_ID");
}

/** The receiver that flags and environment name. @throws {UsageError} naming what is missing */
export function receiverOptions(flags: ReceiverFlags, { env }: CliIo): ReceiverOptions {
  const url = flags.signalingUrl || env.PACKETFILTER_SIGNALING_URL;
  const clientId = flags.clientId || env.PACKETFILTER_CLIENT_ID;
  const secretKey = env.PACKETFILTER_SECRET_KEY;
  if (!url) throw new UsageError("Say which receiver: --signaling-url URL, or PACKETFILTER_SIGNALING_URL.");
  if (!clientId) throw new UsageError("Say as which client: --client-id ID, or PACKETFILTER_CLIENT_ID.");
  if (!secretKey) throw new UsageError("The secret key is read from the environment: set PACKETFILTER_SECRET_KEY.");
  requireOwnAddress(env, {
    variables: [...(flags.clientId ? [] : ["PACKETFILTER_CLIENT_ID"]), "PACKETFILTER_SECRET_KEY"],
    address: url,
    namedBy: "--signaling-url",
    variable: "PACKETFILTER_SIGNALING_URL",
  });
  return { url, clientId, secretKey };
}

/** A client of that receiver, checked before anything is sent. @throws {UsageError} */
export function signalingClient(flags: ReceiverFlags, io: CliIo): SignalingClient {
  return wrongUse(OptionsError, () => new SignalingClient(receiverOptions(flags, io)));
}
