import { PolicyConfigError } from "./config/errors";
import { toIssues } from "./config/load";
import type { Level, PolicyConfig } from "./config/schema";
import type { Rule } from "./rule";

/** The level that the configuration file gives a rule, else the rule's own. `--policy-pack-config` overrides it in the engine. */
export function levelOf(rule: Rule, config: Pick<PolicyConfig, "rules">): Level {
  const own = config.rules[rule.name];
  return typeof own === "object" ? (own.level ?? rule.level) : (own ?? rule.level);
}

/**
 * The settings of a rule: those of the command line over those of the file over the defaults, member by member.
 *
 * @throws {PolicyConfigError} for settings of the command line that are not as the schema says.
 * @example
 * ```ts
 * const settings = settingsOf(rule, loadPolicyConfig(rules));
 * ```
 */
export function settingsOf(rule: Rule, config: Pick<PolicyConfig, "rules">, commandLine: object = {}): object {
  const own = config.rules[rule.name];
  const { level: _, ...file } = typeof own === "object" ? own : {};
  const result = rule.config.strict().safeParse({ ...file, ...commandLine });
  if (!result.success) throw new PolicyConfigError(`--policy-pack-config for ${rule.name}`, toIssues(result.error));
  return result.data;
}
