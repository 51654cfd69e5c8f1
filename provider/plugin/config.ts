import type { JsonObject } from "../model/json";
import { unknownKeys } from "../settings/config-keys";
import { configValueProblems } from "../settings/config-value-problems";

/** Members that the engine adds to a provider's configuration for itself. */
const ENGINE_KEYS: readonly string[] = ["version", "pluginDownloadURL", "pluginChecksums", "__internal"];

/**
 * Mistakes in a provider's configuration, before any resource uses it: those that are refused, and the keys that nothing reads
 * and that are passed with a warning. What is unknown in a preview is not judged.
 */
export function configProblems(config: JsonObject): { readonly refused: string[]; readonly passed: string[] } {
  const keys = Object.keys(config).filter((key) => !ENGINE_KEYS.includes(key));
  const { refused, passed } = unknownKeys(keys.map((key) => `packetfilter:${key}`));
  return { refused: [...refused, ...configValueProblems(config)], passed };
}
