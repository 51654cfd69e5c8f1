import type { PolicyConfigSchema } from "@pulumi/policy";
import { z } from "zod";
import type { Rule } from "../rule";

/**
 * The configuration of a rule as the engine validates it. Defaults are left out: the engine would fill them in, and
 * they would then hide what the configuration file says.
 */
export function configSchema(rule: Rule): PolicyConfigSchema | undefined {
  const { properties = {} } = z.toJSONSchema(rule.config, { io: "input" });
  if (Object.keys(properties).length === 0) return undefined;
  return {
    properties: JSON.parse(JSON.stringify(properties, (key, value) => (key === "default" ? undefined : value))),
  };
}
