import { PolicyConfigError } from "./config/errors";
import { toIssues } from "./config/load";
import type { Level, PolicyConfig } from "./config/schema";
import type { Rule } from "./rule";

/** Level of a rule in the configuration file, else the rule's own. In the engine, `--policy-pack-config` overrides it. */
export function levelOf(rule: Rule, config: Pick<PolicyConfig, "rules">): Level {
  const own = config.rules[rule.name];
  return typeof own === "object" ? (own.level ?? rule.level) : (own ?? rule.level);
}

/**
 * The settings of a rule. For each member as a whole, the command line precedes the file, and the file the default, as the engine
 * joins the configurations of a policy.
 *
 * @throws {PolicyConfigError} if settings of the command line do not match the schema.
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
