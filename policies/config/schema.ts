import { z } from "zod";
import type { Level } from "./rule-settings";
import type { PolicyConfig } from "./schema-types";
import { prefix, setPattern, stackPattern, until, words } from "./values";

export type { Level } from "./rule-settings";

/** The members of a rule that the configuration uses. */
export interface Configurable<S extends z.ZodObject = z.ZodObject> {
  /** In kebab case; unique in a pack. */
  readonly name: string;
  /** The level without any configuration. */
  readonly level: "mandatory" | "advisory";
  /** Demand of the rule, as one sentence. */
  readonly description: string;
  /** The rule's own configuration. Every member has a default or is optional. */
  readonly config: S;
  /** Members that an exception from it may name; another one would set nothing aside. Default: both. */
  readonly exceptionsBy?: readonly ("prefix" | "set")[];
}

const setMeaning = z.strictObject({
  pattern: setPattern.describe("Pattern of sets: `*` stands for anything within one name, `**` for anything."),
  role: z.enum(["block", "allow"]).describe("Meaning of a match in the set for a packet."),
  direction: z
    .enum(["source", "destination"])
    .optional()
    .describe("Which address of a packet is looked up in the set."),
});

const exception = z
  .strictObject({
    rule: z.string().describe("The rule that does not apply."),
    prefix: prefix.optional().describe("The exception is for this prefix and prefixes within it."),
    set: setPattern.optional().describe("The exception is for sets that match."),
    until: until.describe("Last day (UTC) or last moment of the exception."),
    reason: words.describe("Reason, for later readers."),
  })
  .refine((value) => value.prefix !== undefined || value.set !== undefined, {
    message: "an exception is for a `prefix`, for a `set`, or for both: name at least one",
  });

const BOTH = ["prefix", "set"] as const;

const level: z.ZodType<Level, Level> = z.enum(["mandatory", "advisory", "remediate", "disabled"]);

/**
 * The schema of `packetfilter-policies.yaml` for a pack of these rules.
 *
 * @example
 * ```ts
 * const { success } = policyConfigSchema(rules).safeParse({ ownedPrefixes: ["198.51.100.0/24"] });
 * ```
 */
export function policyConfigSchema(rules: readonly Configurable[]) {
  const settings = Object.fromEntries(
    rules.map((rule) => [
      rule.name,
      z
        .union([level, rule.config.extend({ level: level.optional() }).strict()])
        .optional()
        .describe(`${rule.description} Default level: ${rule.level}.`),
    ]),
  );
  return z.strictObject({
    $schema: z.string().optional().describe("For editors; ignored."),
    sets: z.array(setMeaning).default([]).describe("Purpose of sets. The first pattern that matches counts."),
    unknownSets: z
      .enum(["advisory", "mandatory"])
      .default("advisory")
      .describe(
        "Treatment of a set for which no pattern gives a role: a notice that rules say nothing about it, or a failure.",
      ),
    ownedPrefixes: z.array(prefix).default([]).describe("Your own address blocks, which you protect."),
    managementPrefixes: z.array(prefix).default([]).describe("Networks from which nodes and routers are managed."),
    productionStacks: z
      .array(stackPattern)
      .default(["prod", "prod-*", "production"])
      .describe("Stacks that are in production, by pattern."),
    exceptions: z
      .array(
        exception.superRefine((value, { addIssue }) => {
          const rule = rules.find(({ name }) => name === value.rule);
          const refuse = (member: keyof typeof value, message: string) =>
            addIssue({ code: "custom", path: [member], message });
          if (!rule) {
            const names = rules.map(({ name }) => name).join(", ");
            return refuse("rule", `there is no rule ${JSON.stringify(value.rule)}: there are ${names}`);
          }
          const { name, exceptionsBy = BOTH } = rule;
          for (const member of BOTH) {
            if (value[member] === undefined || exceptionsBy.includes(member)) continue;
            refuse(member, `no finding of ${name} is about one ${member}: write its level or settings under \`rules\``);
          }
        }),
      )
      .default([])
      .describe("Findings that a rule must not report for a while."),
    expiredExceptions: z
      .enum(["advisory", "mandatory"])
      .default("advisory")
      .describe(
        "Level of a mandatory finding whose exception has ended: a warning, so that no nightly preview fails at midnight, or a failure.",
      ),
    emergency: words
      .optional()
      .describe("The name of an incident. While it is set, mandatory rules only warn, and every message names it."),
    rules: z.strictObject(settings).default({}).describe("Level and settings of single rules."),
  });
}

export type { PolicyConfigInput } from "./input-types";
export type { PolicyConfig } from "./schema-types";

/** An exception from a rule. */
export type Exception = PolicyConfig["exceptions"][number];
