import { z } from "zod";
import type { Meaning } from "../config/meaning";
import { setPattern } from "../config/values";
import { matchesAny } from "../pattern";
import type { SetResource } from "../resources";

/** Settings of a rule that is for sets with some roles. */
export const rolesSettings = {
  roles: z
    .array(z.enum(["block", "allow"]))
    .default(["block"])
    .describe("Roles of sets to which the rule applies (default block)."),
  except: z
    .array(setPattern)
    .default([])
    .describe("Patterns of sets to which the rule does not apply, such as a list of bogons."),
};

/** True if the rule applies to a set. @throws {NotConfigured} if the set has no role */
export function appliesTo(
  { url }: SetResource,
  { roles, except }: z.output<z.ZodObject<typeof rolesSettings>>,
  meaning: Meaning,
): boolean {
  return roles.includes(meaning.role(url)) && !matchesAny(except, url);
}
