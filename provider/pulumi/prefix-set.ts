import * as pulumi from "@pulumi/pulumi";
import { typeToken } from "../model/resource-kind";
import { declareOptional, type Kind } from "./registration";
import { isOf, registered } from "./resource";
import type { EntriesInput, Given, Inputs, NodeInput, PrefixInput, ShortestPrefix } from "./types";

/** Arguments of a {@link PrefixSet}. */
export interface PrefixSetArgs {
  /** Arena that the set belongs to. */
  arena: pulumi.Input<string>;
  /** Profile of a local set; without it the set is global (docs/contributing/contract.md#resource-addresses). */
  profile?: pulumi.Input<string>;
  /** Name of the set, which exists on the node: sets are not created through the API. */
  set: pulumi.Input<string>;
  /**
   * Entries of the set: a map by prefix of numbers or of `{ value, reason, ticket, expires }`, or a list of prefixes, each with the
   * value 1, or of `{ prefix, value, reason, ticket, expires }`.
   */
  entries: EntriesInput;
  /** `true` (default): entries that are not declared are drift. `false`: only declared entries are managed. */
  exclusive?: pulumi.Input<boolean>;
  /** Reaction to entries of others that a create would remove or change, or an update change: `"fail"` (default) or `"adopt"`. */
  onExisting?: pulumi.Input<"fail" | "adopt">;
  /**
   * On destroy: `"remove"` (default) removes all entries, `"keep"` leaves them, `"created"` removes only those that this resource
   * inserted, and leaves what was there before it.
   */
  onDestroy?: pulumi.Input<"remove" | "keep" | "created">;
  /** `"reject"` (default): `192.0.2.1/24` fails with the corrected value. `"mask"`: it is corrected. */
  hostBits?: pulumi.Input<"reject" | "mask">;
  /** No entry may overlap one of these, in either direction of containment. */
  forbiddenPrefixes?: pulumi.Input<PrefixInput[]>;
  /** Each of these must be covered by an entry. */
  requiredPrefixes?: pulumi.Input<PrefixInput[]>;
  /**
   * Shorter prefixes fail. By default the default route does, and so do entries that together cover more than a quarter of a
   * family; `{ ipv4: 1 }` allows them, `{ ipv4: 0 }` the default route, too.
   */
  shortestPrefix?: pulumi.Input<Inputs<ShortestPrefix>>;
  /** More entries fail; no default. */
  maxEntries?: pulumi.Input<number>;
  /**
   * More removals at once fail: a number, or percent of what the state holds; default `"50%"`. 20 are always allowed.
   * The environment variable `PACKETFILTER_ALLOW=<url>` lifts the limit for one run.
   */
  maxRemovals?: pulumi.Input<number | string>;
  /**
   * More entries that get another value at once fail: a number, or percent of what the state holds; no default. 20 are always
   * allowed. The environment variable `PACKETFILTER_ALLOW=<url>` lifts the limit for one run.
   */
  maxChanges?: pulumi.Input<number | string>;
  /** A set that had entries may become empty; default `false`. */
  allowEmpty?: pulumi.Input<boolean>;
  /** Default: the node of the configuration or of the environment. */
  node?: NodeInput;
}

/** Arguments that are optional, except the node. */
export const PREFIX_SET_OPTIONS: readonly string[] = [
  "profile",
  "exclusive",
  "onExisting",
  "onDestroy",
  "hostBits",
  "forbiddenPrefixes",
  "requiredPrefixes",
  "shortestPrefix",
  "maxEntries",
  "maxRemovals",
  "maxChanges",
  "allowEmpty",
];

const KIND: Kind = {
  type: "PrefixSet",
  required: ["arena", "set", "entries"],
  identity: ["arena", "profile", "set"],
  optional: PREFIX_SET_OPTIONS,
  connection: "node",
  outputs: ["notes", "url", "count", "endpoint"],
  repeats: { argument: "entries", output: "notes" },
};

/** Outputs of a declared set, on one node or on many. Arguments are as they were given. */
export abstract class DeclaredSet extends pulumi.CustomResource implements Given<PrefixSetArgs> {
  declare readonly arena: pulumi.Output<string>;
  declare readonly profile: pulumi.Output<string | undefined>;
  declare readonly set: pulumi.Output<string>;
  /** Canonical prefix to value. */
  declare readonly entries: pulumi.Output<Record<string, number>>;
  /** Canonical prefix to reason, ticket and expiry as JSON text; only entries that have one of them. */
  declare readonly notes: pulumi.Output<Record<string, string> | undefined>;
  declare readonly exclusive: pulumi.Output<boolean | undefined>;
  declare readonly onExisting: pulumi.Output<"fail" | "adopt" | undefined>;
  declare readonly onDestroy: pulumi.Output<"remove" | "keep" | "created" | undefined>;
  declare readonly hostBits: pulumi.Output<"reject" | "mask" | undefined>;
  declare readonly forbiddenPrefixes: pulumi.Output<string[] | undefined>;
  declare readonly requiredPrefixes: pulumi.Output<string[] | undefined>;
  declare readonly shortestPrefix: pulumi.Output<ShortestPrefix | undefined>;
  declare readonly maxEntries: pulumi.Output<number | undefined>;
  declare readonly maxRemovals: pulumi.Output<number | string | undefined>;
  declare readonly maxChanges: pulumi.Output<number | string | undefined>;
  declare readonly allowEmpty: pulumi.Output<boolean | undefined>;
  /** The set's url, for example `prefixset://edge/blocked`. */
  declare readonly url: pulumi.Output<string>;
}

/**
 * A whole prefix-set of a node: create, update and delete become inserts, deletes and one commit, refresh lists.
 * The id is the set's url. Arena, profile, set and the name of the node replace the resource, everything else is updated.
 *
 * @example
 * ```ts
 * const blocked = new PrefixSet("blocked", {
 *   arena: "edge",
 *   set: "blocked",
 *   entries: { "192.0.2.0/24": 1, "203.0.113.7/32": { value: 2, reason: "SYN flood", expires: "2030-01-31T18:00:00Z" } },
 * });
 * ```
 */
export class PrefixSet extends DeclaredSet {
  /** The type token by which policies recognise the resource. */
  static readonly __pulumiType = typeToken(KIND.type);

  /** True for an instance of this class, whichever copy of the package made it. */
  static override isInstance(object: unknown): object is PrefixSet {
    return isOf(PrefixSet, object);
  }

  /** The node as it was given. */
  declare readonly node: pulumi.Output<pulumi.Unwrap<NodeInput> | undefined>;
  /** Number of entries that this resource keeps; with `exclusive: false` the set may hold others. */
  declare readonly count: pulumi.Output<number>;
  /** The node's address in use, without secrets. */
  declare readonly endpoint: pulumi.Output<string>;

  /**
   * @param name The resource's name in the stack.
   * @throws {pulumi.RunError} for the option `import`, for paths of `ignoreChanges` that mean nothing, and where the program declares one
   * entry twice.
   */
  constructor(name: string, args: PrefixSetArgs, options?: pulumi.CustomResourceOptions) {
    const { token, props, accepted, whenRegistered } = registered(KIND, name, args, options);
    super(token, name, props, accepted);
    whenRegistered(this);
  }
}

declareOptional(PrefixSet, KIND);
