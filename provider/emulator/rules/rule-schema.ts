import { z } from "zod";
import { MAX_VALUE } from "../../model/entry";
import { nearest } from "../../model/nearest";
import { resourceIn } from "../../model/readable";
import { nameProblem, type PrefixSetUrl } from "../../model/resource-url";
import { portSchema, protocolSchema, tcpFlagSchema } from "../packet/packet";
import { MARK_ACTIONS, MARK_NAME, MARK_NAMES, type MarkName, markType } from "../validation/mark-type";
import { prefixText } from "../validation/strict";
import type { MatchSpec } from "./schema-types";

/** Rules of a profile in a state file. The schema only checks them and returns them unchanged. */

const number = z.int().min(0).max(MAX_VALUE);

const prefix = prefixText.describe("an address or a prefix");

function checkName(text: string, context: z.RefinementCtx): void {
  const problem = nameProblem(text);
  if (problem) context.addIssue({ code: "custom", message: `the name ${JSON.stringify(text)} ${problem}` });
}

/** A set by its name, or a global one of any arena by its address. */
const setName = z
  .string()
  .superRefine((text, context) => {
    if (!text.includes("://")) return checkName(text, context);
    if (globalSet(text) === undefined) {
      context.addIssue({ code: "custom", message: `${JSON.stringify(text)} is not prefixset://ARENA/SET` });
    }
  })
  .describe("a set of the profile or of its arena, or prefixset://ARENA/SET: a global one of any arena");

/** The global set that an address names; `undefined` for any other text. */
export function globalSet(text: string): PrefixSetUrl | undefined {
  const url = resourceIn(text);
  return url?.kind === "prefixset" && url.profile === undefined ? url : undefined;
}

const oneOrMore = <Item extends z.ZodType>(item: Item) => z.union([item, z.array(item).min(1)]);

const portRange = z.string().regex(/^\d{1,5}-\d{1,5}$/, 'a range of ports is written as "1024-65535"');
const ports = oneOrMore(z.union([portSchema, portRange])).superRefine((given, context) => {
  for (const each of [given].flat()) {
    const [from = 0, to = 0] = String(each).split("-").map(Number);
    if (from > 65535 || to > 65535 || (typeof each === "string" && from > to)) {
      context.addIssue({ code: "custom", message: `"${each}" is not a range of ports from 0 to 65535` });
    }
  }
});

const comparison = z
  .union([
    number,
    z
      .strictObject({
        eq: number.describe("equal to this"),
        ne: number.describe("not equal to this"),
        lt: number.describe("below this"),
        le: number.describe("at most this"),
        gt: number.describe("above this"),
        ge: number.describe("at least this"),
      })
      .partial(),
  ])
  .meta({ id: "Comparison", description: "a number to equal, or conditions that must all hold" });

const flags = z
  .strictObject({
    set: z.array(tcpFlagSchema).optional().describe("flags that must be set"),
    unset: z.array(tcpFlagSchema).optional().describe("flags that must not be set"),
  })
  .refine(({ set, unset }) => !set?.some((flag) => unset?.includes(flag)), "a flag cannot be both set and unset")
  .describe("TCP flags that must be set or not set; never matches other protocols");

const length = z
  .strictObject({
    min: portSchema.optional().describe("least bytes"),
    max: portSchema.optional().describe("most bytes"),
  })
  .refine(({ min = 0, max = 65535 }) => min <= max, "`min` must not be above `max`")
  .describe("bounds of the packet's length in bytes, both included");

const rate = z
  .strictObject({
    above: z.int().min(0).max(1e12).describe("matches packets or bytes above this number in a window"),
    per: z
      .enum(["rule", "source", "destination", "pair", "connection"])
      .optional()
      .describe("key of separate counts; default source"),
    unit: z.enum(["packets", "bytes"]).optional().describe("default packets"),
    window: z.number().min(0.001).max(86_400).optional().describe("seconds, default 1"),
  })
  .describe("counts packets that all other matches accept; windows begin at multiples of their length");

const set = z
  .strictObject({
    name: setName,
    scope: z
      .enum(["local", "global"])
      .optional()
      .describe("default: the profile's own set of this name, else the global one"),
    of: z.enum(["source", "destination"]).optional().describe("default source"),
    value: comparison.optional().describe("value of the longest prefix of the set that contains the address"),
  })
  .describe("the address is in the applied entries of a prefix-set");

/** A mark table by any of its names, unchanged. */
const markName: z.ZodType<MarkName, MarkName> = z.union([
  z.enum(MARK_NAMES),
  z.string().regex(MARK_NAME, { abort: true }) as unknown as z.ZodType<MarkName, MarkName>,
]);

const mark = z
  .strictObject({
    type: markName.describe("the table, by any of its names"),
    id: number.optional().describe("id of the record; absent: any"),
    value: comparison.optional().describe("value of the record; absent: any"),
  })
  .describe("the packet has a live record in a mark table of this profile");

const members = z.strictObject({
  source: oneOrMore(prefix).optional().describe("in one of these prefixes"),
  destination: oneOrMore(prefix).optional().describe("in one of these prefixes"),
  protocol: oneOrMore(protocolSchema).optional().describe("one of these: names, or numbers from 0 to 255"),
  sourcePort: ports.optional().describe('one of these ports, or in one of these ranges such as "1024-65535"'),
  destinationPort: ports.optional().describe("likewise"),
  flags: flags.optional(),
  length: length.optional(),
  set: set.optional(),
  mark: mark.optional(),
  rate: rate.optional(),
});

const matchSchema: z.ZodType<MatchSpec, MatchSpec> = members
  .extend({
    not: z
      .lazy(() => matchSchema)
      .optional()
      .describe("matches if this does not"),
  })
  .refine((match) => Object.keys(match).length > 0, "a match needs a member, for example `protocol: tcp`")
  .meta({ id: "Match", description: "every given member must match; `rate` is evaluated last" });

const markAction = z
  .strictObject({
    id: number.optional().describe("id of the record; default: the id of the rule"),
    set: number.optional().describe("the value becomes this"),
    add: number.optional().describe("the value rises by this for every packet; default 1"),
    max: number.optional().describe("the value becomes at least this"),
    lifetime: z
      .number()
      .positive()
      .optional()
      .describe("seconds from this packet on; absent: unchanged, and a new record has no end"),
  })
  .refine(({ set, add, max }) => [set, add, max].filter((each) => each !== undefined).length <= 1, {
    message: "a mark action needs only one of `set`, `add` and `max`",
  })
  .meta({ id: "MarkAction", description: "change of value and lifetime of a record" });

/** Mark actions by any of their names, unchanged. */
const markActions = z
  .object(
    Object.fromEntries(Object.keys(MARK_ACTIONS).map((name) => [name, markAction])) as Record<
      keyof typeof MARK_ACTIONS,
      typeof markAction
    >,
  )
  .partial()
  .catchall(markAction)
  .superRefine((action, context) => {
    const names = Object.keys(action);
    for (const name of names.filter((name) => markType(name) === undefined)) {
      const near = nearest(name, Object.keys(MARK_ACTIONS));
      const advice = near === undefined ? "" : `; did you mean "${near}"?`;
      context.addIssue({ code: "custom", message: `there is no ${JSON.stringify(name)}${advice}` });
    }
    if (names.length === 1) return;
    context.addIssue({ code: "custom", message: "an action is one of hmark, dhmark (or dmark), sdhmark and connmark" });
  })
  // The check of names, for users of the JSON Schema.
  .meta({ propertyNames: { pattern: MARK_NAME.source } }) as z.ZodType<MarkActions, MarkActions>;

type MarkActions = Partial<Record<keyof typeof MARK_ACTIONS, z.infer<typeof markAction>>>;

const actionSchema = z
  .union(
    [z.enum(["accept", "drop", "count"]), markActions],
    'an action is "accept", "drop", "count", or one of { hmark }, { dhmark } (or { dmark }), { sdhmark } and { connmark }',
  )
  .meta({ id: "Action", description: "accept and drop end the evaluation of the rules; all other actions continue" });

/**
 * A rule: if all its matches match, its actions are carried out in order.
 *
 * @example
 * ```yaml
 * rules:
 *   - id: 70001
 *     name: SYN flood
 *     match:
 *       - { protocol: tcp, flags: { set: [syn], unset: [ack] } }
 *       - { not: { set: { name: partners } } }
 *       - { rate: { above: 100 } }
 *     actions: [{ hmark: { add: 1, lifetime: 3600 } }, drop]
 * ```
 */
export const ruleSchema = z
  .strictObject({
    id: number.optional().describe("unique in the profile; the default id of the marks that it makes"),
    name: z.string().optional().describe("name for readers"),
    match: z.array(matchSchema).optional().describe("all must match; none: every packet"),
    actions: z.array(actionSchema).optional().describe("in order; none: the rule does nothing"),
    extra: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("further members of another node's rule record, listed unchanged and without effect"),
  })
  .superRefine((rule, context) => {
    const actions = rule.actions ?? [];
    const verdict = actions.findIndex((action) => action === "accept" || action === "drop");
    if (verdict >= 0 && verdict < actions.length - 1) {
      const message = `"${actions[verdict]}" ends the rule: no action can follow it`;
      context.addIssue({ code: "custom", path: ["actions", verdict + 1], message });
    }
    actions.forEach((action, index) => {
      if (typeof action === "string" || rule.id !== undefined) return;
      if (Object.values(action).some((each) => each?.id === undefined)) {
        context.addIssue({ code: "custom", path: ["actions", index], message: "needs an `id`: the rule has none" });
      }
    });
  })
  .meta({ id: "Rule", description: "if all matches match, the actions are carried out in order" });

export const rulesSchema = z.array(ruleSchema).superRefine((rules, context) => {
  const ids = new Set<number>();
  rules.forEach(({ id }, index) => {
    if (id !== undefined && ids.has(id)) {
      context.addIssue({ code: "custom", path: [index, "id"], message: `the id ${id} is used twice in this profile` });
    }
    if (id !== undefined) ids.add(id);
  });
});

export type { ActionSpec, ComparisonSpec, MarkActionSpec, MatchSpec, RuleSpec } from "./schema-types";
export type RateSpec = NonNullable<MatchSpec["rate"]>;
export type SetReference = Pick<NonNullable<MatchSpec["set"]>, "name" | "scope">;
