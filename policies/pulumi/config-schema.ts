import type { PolicyConfigSchema } from "@pulumi/policy";
import { z } from "zod";
import type { Rule } from "../rule";

/**
 * The schema by which the engine validates the configuration of a rule. It has no defaults: the engine would fill them in,
 * and they would override the configuration file.
 */
export function configSchema(rule: Rule): PolicyConfigSchema | undefined {
  const { properties = {} } = z.toJSONSchema(rule.config, { io: "input" });
  if (Object.keys(properties).length === 0) return undefined;
  return {
    properties: JSON.parse(JSON.stringify(properties, (key, value) => (key === "default" ? undefined : value))),
  };
}
