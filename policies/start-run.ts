import { loadPolicyConfig } from "./config/load";
import { Meaning } from "./config/meaning";
import type { PolicyConfig } from "./config/schema";
import { FindingsFile } from "./findings-file";
import type { Run } from "./judge";
import type { Rule } from "./rule";

/** Options of a run; the defaults come from this process. */
export interface RunOptions {
  /** The configuration. Default: that of `packetfilter-policies.yaml`. */
  readonly config?: PolicyConfig;
  /** When the run begins; default: the time of the machine. */
  readonly now?: Date;
  /** Variables; default: those of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/**
 * Starts a run: reads the configuration and begins to remember notices. `PACKETFILTER_POLICIES_EMERGENCY` sets `emergency`
 * for it.
 *
 * @example
 * ```ts
 * const run = startRun(rules, { now: new Date("2026-12-01T00:00:00Z") });
 * ```
 */
export function startRun(rules: readonly Rule[], options: RunOptions = {}): Run {
  const { environment = process.env, now = new Date() } = options;
  const { config, findings } = opened(rules, options.config, environment);
  findings.write({ rules: rules.length });
  return { config, meaning: new Meaning(config), rules, now, environment, findings, noticed: new Set() };
}

/** Reads the configuration before it writes anything; a wrong one still empties the file of findings. */
function opened(rules: readonly Rule[], given: PolicyConfig | undefined, environment: Run["environment"]) {
  let config: PolicyConfig;
  try {
    config = given ?? loadPolicyConfig(rules, { environment });
  } catch (error) {
    FindingsFile.open(environment);
    throw error;
  }
  const emergency = environment.PACKETFILTER_POLICIES_EMERGENCY;
  if (emergency?.trim()) config = { ...config, emergency };
  return { config, findings: FindingsFile.open(environment) };
}
