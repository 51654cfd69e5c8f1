import * as pulumi from "@pulumi/pulumi";
import { unknownKeys } from "../settings/config-keys";
import type { Environment } from "../settings/environment-credentials";
import { ConfigError, readSettings, type Settings } from "../settings/settings";

/** Settings of the running program: stack configuration and environment. */
export function programSettings(env: Environment = process.env): Settings {
  const config = new pulumi.Config("packetfilter");
  return readSettings((key) => config.get(key), env);
}

/** Address that the engine serves for the run of this program; `undefined` without an engine. */
export function engineAddress(): string | undefined {
  // Of a program that is a function (Automation API) no variable of the process has it.
  type OnChannel = { readonly getChannel?: () => { getTarget(): string } };
  const engine: (object & OnChannel) | undefined = pulumi.runtime.getEngine();
  return engine?.getChannel?.().getTarget();
}

/** Folder of Pulumi, if it is not the usual one. A program of the Automation API may give the engine another one. */
export function pulumiHome(env: Environment = process.env): string | undefined {
  return env.PULUMI_HOME;
}

/** Sentences about keys in the stack's configuration that nothing reads. @throws {ConfigError} for a likely limit */
export function unreadKeys(): readonly string[] {
  const { refused, passed } = unknownKeys(Object.keys(pulumi.runtime.allConfig()));
  if (refused.length > 0) throw new ConfigError(refused.join(" "));
  return passed;
}
