import type { z } from "zod";
import type { Prefix } from "../provider/model/prefix";
import type { Meaning } from "./config/meaning";
import type { Configurable } from "./config/schema";
import type { Need, NotConfigured } from "./not-configured";
import type { NotYetKnown } from "./not-yet-known";
import type { Resource, ResourceKind, SetResource, SignalingResource } from "./resources";

/** One prefix that breaks a rule. */
export interface Offender {
  /** The prefix itself, in canonical form. */
  readonly prefix: Prefix;
  /** The mistake of this prefix, in a few words; must not contain a value of `node` or `receiver`. */
  readonly detail?: string;
  /** Its sets, in a finding without a resource: an exception for one of them applies. */
  readonly sets?: readonly string[];
}

/** One breach of a rule, found in one resource. */
export interface Finding {
  /** The mistake, without a full stop: a noun phrase if offenders and their count follow it, else a clause. */
  readonly problem: string;
  /** The prefixes that break the rule; absent if no single prefix does. */
  readonly offenders?: readonly Offender[];
  /** Number of judged elements, for "3 of 120". */
  readonly of?: number;
  /** Remedy, as a sentence. */
  readonly remedy: string;
  /** The resource, in findings of a stack rule; without it the finding is about the whole stack. */
  readonly resource?: Resource;
}

/** A resource that a stack rule does not judge, since a setting is missing or a property is not yet known. */
export interface LeftOut {
  /** Missing fact. */
  readonly leftOut: NotConfigured | NotYetKnown;
  /** The resource. */
  readonly resource: Resource;
}

/** Facts that a rule may use besides the resource. No rule reads a clock or the environment itself. */
export interface Context<S> {
  /** The rule's own configuration, with defaults. */
  readonly settings: S;
  /** The shared configuration. */
  readonly meaning: Meaning;
  /** When the run began. */
  readonly now: Date;
  /** Variables of the process. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

interface RuleBase<S extends z.ZodObject> extends Configurable<S> {
  /** Required settings of the shared configuration; without them the rule reports "not configured". */
  readonly needs: readonly Need[];
  /** Paths in the configuration file that change the rule's demand. */
  readonly configure: readonly string[];
  /** An example that breaks the rule; the documentation shows the resulting message. */
  readonly example: Example;
}

/** A rule that judges one resource by its inputs. */
export interface ResourceRule<S extends z.ZodObject = z.ZodObject, K extends ResourceKind = ResourceKind>
  extends RuleBase<S> {
  /** The kinds of resources that it judges; a rule for `PrefixSet` judges what the nodes of a `PrefixSetGroup` hold, too. */
  readonly on: readonly K[];
  /** Finds breaches of the rule in one resource. */
  judge(resource: ResourceOf<K>, context: Context<z.output<S>>): Iterable<Finding>;
  /**
   * Properties that replace the resource's own at the level `remediate`; a list holds what is added to that of the resource. They must
   * only ever make a stack safer.
   */
  remediate?(resource: ResourceOf<K>, context: Context<z.output<S>>): Readonly<Record<string, unknown>> | undefined;
}

/** A rule that judges all resources of a stack together. */
export interface StackRule<S extends z.ZodObject = z.ZodObject> extends RuleBase<S> {
  /** Finds breaches of the rule in the whole stack, and names the resources that it left out. */
  judge(stack: StackView, context: Context<z.output<S>>): Iterable<Finding | LeftOut>;
}

/** Any rule. */
export type Rule = ResourceRule | StackRule;

/** The resources of a stack that rules judge. */
export interface StackView {
  /** Whole sets and single entries. */
  readonly sets: readonly SetResource[];
  /** Cloud signalings. */
  readonly signalings: readonly SignalingResource[];
}

/** An example for the documentation: configuration and resources as a user writes them. */
interface Example {
  /** The shared configuration; default: none. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** The rule's own; default: none. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Name of the stack; default: any. */
  readonly stack?: string;
  /** Resources that the stack declares. */
  readonly resources: readonly ExampleResource[];
}

/** A resource of an {@link Example}, with its inputs in the form that they have after `check`. */
export interface ExampleResource {
  /** Its class. */
  readonly kind: ResourceKind;
  /** Another type than that of its kind. */
  readonly type?: string;
  /** Its name in the program. */
  readonly name: string;
  /** Its option of this name; default false. */
  readonly protect?: boolean;
  /** Its arguments. */
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** The class of each kind. */
type ResourceOf<K extends ResourceKind> = K extends "CloudSignaling" ? SignalingResource : SetResource;

/**
 * Types a resource rule from its `on` and `config`.
 *
 * @example
 * ```ts
 * export const noEmptySet = resourceRule({
 *   name: "no-empty-set",
 *   level: "advisory",
 *   description: "A set has an entry.",
 *   on: ["PrefixSet"],
 *   needs: [],
 *   configure: [],
 *   config: z.strictObject({}),
 *   example: { resources: [{ kind: "PrefixSet", name: "a", inputs: { arena: "edge", set: "a", entries: [] } }] },
 *   *judge({ entries }) {
 *     if (entries.length === 0) yield { problem: "a set without entries", remedy: "Declare one." };
 *   },
 * });
 * ```
 */
export function resourceRule<S extends z.ZodObject, K extends ResourceKind>(rule: ResourceRule<S, K>): ResourceRule {
  return rule as unknown as ResourceRule;
}

/**
 * Types a stack rule from its `config`.
 *
 * @example
 * ```ts
 * export const fewSets = stackRule({
 *   name: "few-sets",
 *   level: "advisory",
 *   description: "A stack has at most 100 sets.",
 *   needs: [],
 *   configure: [],
 *   config: z.strictObject({}),
 *   example: { resources: [] },
 *   *judge({ sets }) {
 *     if (sets.length > 100) yield { problem: "more than 100 sets", remedy: "Make a second stack." };
 *   },
 * });
 * ```
 */
export function stackRule<S extends z.ZodObject>(rule: StackRule<S>): StackRule {
  return rule as unknown as StackRule;
}

/** The kinds of resources that a rule is asked about. */
export function kindsOf({ on }: ResourceRule): readonly ResourceKind[] {
  return on.includes("PrefixSet") && !on.includes("PrefixSetGroup") ? [...on, "PrefixSetGroup"] : on;
}

/**
 * True for a rule that judges one resource at a time.
 *
 * @example
 * ```ts
 * const [single, whole] = [rules.filter(isResourceRule), rules.filter((rule) => !isResourceRule(rule))];
 * ```
 */
export function isResourceRule(rule: Rule): rule is ResourceRule {
  return "on" in rule;
}
