import type { JsonObject } from "../model/json";
import { unknownKeys } from "../settings/config-keys";

/** Members that the engine adds to a provider's configuration for itself. */
const ENGINE_KEYS: readonly string[] = ["version", "pluginDownloadURL", "pluginChecksums", "__internal"];

/** A key of a provider's configuration that nothing reads is an error with the key that was likely meant. */
export function configProblems(config: JsonObject): { property: string; reason: string }[] {
  const keys = Object.keys(config).filter((key) => !ENGINE_KEYS.includes(key));
  const { refused, passed } = unknownKeys(keys.map((key) => `packetfilter:${key}`));
  return [...refused, ...passed].map((reason) => ({ property: "", reason }));
}
