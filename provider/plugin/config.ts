import type { JsonObject } from "../model/json";
import { unknownKeys } from "../settings/config-keys";
import { configValueProblems } from "../settings/config-value-problems";

/** Members that the engine adds to a provider's configuration for itself. */
const ENGINE_KEYS: readonly string[] = ["version", "pluginDownloadURL", "pluginChecksums", "__internal"];

/**
 * Mistakes in a provider's configuration, before any resource uses it: a key that nothing reads, with the key that was likely
 * meant; a limit, switch, node or receiver that cannot be read. What is unknown in a preview is not judged.
 */
export function configProblems(config: JsonObject): string[] {
  const keys = Object.keys(config).filter((key) => !ENGINE_KEYS.includes(key));
  const { refused, passed } = unknownKeys(keys.map((key) => `packetfilter:${key}`));
  return [...refused, ...passed, ...configValueProblems(config)];
}
