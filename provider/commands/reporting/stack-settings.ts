import { SECRET_MARK } from "../../engine/secret-names";
import { isObject, type JsonObject } from "../../model/json";
import { jsonIn } from "../../model/readable";
import { type ReadConfig, unnamedAddress } from "../../settings/config-keys";
import { readSettings, type Settings } from "../../settings/settings";
import type { CliIo } from "../cli-io";
import { printedConfig } from "../printed-config";
import { readProject } from "../project";

/**
 * Reads the stack's configuration from a preview, which hides secrets, or from a file with the output of
 * `pulumi config --show-secrets --json`; the environment supplies the rest, as in the program. A proposed change
 * controls its preview: credentials of the environment go to an address of the preview only if the environment, or the stack
 * in the working folder, names that address as well.
 *
 * @throws {UsageError} if the file holds something else
 */
export async function stackSettings(preview: JsonObject, file: string | undefined, io: CliIo): Promise<Settings> {
  const config = file === undefined ? preview : await printedConfig(file, io);
  const of: ReadConfig = (key) => readable(config[`packetfilter:${key}`]);
  const { PACKETFILTER_HEADERS: headers, ...env } = io.env;
  if (headers === undefined || file !== undefined || (await isOwnAddress(unnamedAddress("node", of)?.address, io)))
    return readSettings(of, io.env);
  io.err(
    "PACKETFILTER_HEADERS is not sent: only the preview names the address of the node. Set PACKETFILTER_ENDPOINT or PACKETFILTER_CREDENTIAL_HOSTS, or run this in the folder of the stack.\n",
  );
  return readSettings(of, env);
}

/** True if the environment, which is checked later, or the stack in the folder names an address of a preview. */
async function isOwnAddress(endpoint: unknown, io: CliIo): Promise<boolean> {
  const { PACKETFILTER_ENDPOINT, PACKETFILTER_CREDENTIAL_HOSTS } = io.env;
  if (endpoint === undefined || PACKETFILTER_ENDPOINT || PACKETFILTER_CREDENTIAL_HOSTS !== undefined) return true;
  const project = await readProject({ isOptional: true }, io).catch(() => undefined);
  return project?.folder !== undefined && project.unnamed("node").address === endpoint;
}

/** Removes hidden secrets from a value. */
function readable(value: unknown): unknown {
  if (value === SECRET_MARK) return undefined;
  if (typeof value === "string") return value.includes(SECRET_MARK) ? readable(jsonIn(value)) : value;
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, member]): [string, unknown] => [key, readable(member)]);
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}
