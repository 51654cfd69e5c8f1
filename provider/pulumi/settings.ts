import * as pulumi from "@pulumi/pulumi";
import { type ConfigKey, unknownKeys } from "../resources/config-keys";
import type { Environment } from "../resources/environment-credentials";
import { ConfigError, readSettings, type Settings } from "../resources/settings";

/** What the running program's stack configuration and the environment say. */
export function programSettings(env: Environment = process.env): Settings {
  const config = new pulumi.Config("packetfilter");
  return readSettings((key) => config.get(key), env);
}

/**
 * Whether a preview inspects the nodes: `auto` if they answer within two seconds, `off` never, `require` fails the preview
 * where something cannot be seen.
 */
export type PreviewReads = (typeof PREVIEW_READS)[number];

const PREVIEW_READS = ["auto", "off", "require"] as const;

/** The key `packetfilter:previewReads`. @throws {ConfigError} naming the values that it can have */
export function previewReads(): PreviewReads {
  const given = new pulumi.Config("packetfilter").get("previewReads" satisfies ConfigKey) ?? "auto";
  const found = PREVIEW_READS.find((reads) => reads === given);
  if (found) return found;
  throw new ConfigError('packetfilter:previewReads is none of "auto", "off", "require": set it to one of them.');
}

/** The address that the engine serves for this deployment; `undefined` where the SDK does not say it. */
export function engineAddress(env: Environment = process.env): string | undefined {
  return env.PULUMI_NODEJS_ENGINE;
}

/** What has been said in this process: the Automation API can run several programs, each with a configuration of its own. */
const said = new Set<string>();

/** Warns of keys of the stack's configuration that nothing reads, each once. */
export function warnOfUnknownKeys(): void {
  for (const sentence of unknownKeys(Object.keys(pulumi.runtime.allConfig()))) {
    if (said.has(sentence)) continue;
    said.add(sentence);
    void pulumi.log.warn(sentence);
  }
}
