import * as pulumi from "@pulumi/pulumi";
import { typeToken } from "../model/resource-kind";
import { declareOptional, type Kind } from "./registration";
import { isOf, registered } from "./resource";
import type { Given, Inputs, NodeInput, PrefixInput, ShortestPrefix } from "./types";

/** Arguments of a {@link PrefixSetEntry}. */
export interface PrefixSetEntryArgs {
  /** Arena that the set belongs to. */
  arena: pulumi.Input<string>;
  /** Profile of a local set; without it the set is global (docs/contributing/contract.md#resource-addresses). */
  profile?: pulumi.Input<string>;
  /** Name of the set, which exists on the node. */
  set: pulumi.Input<string>;
  /** The prefix or address. */
  prefix: PrefixInput;
  /** Integer from 0 to 2³²−1; default 1. */
  value?: pulumi.Input<number>;
  /** Reason of the entry; never sent. */
  reason?: pulumi.Input<string>;
  /** Reference into another system; never sent. */
  ticket?: pulumi.Input<string>;
  /** ISO 8601 time with zone, after which the entry is no longer wanted and the next `up` removes it. */
  expires?: pulumi.Input<string>;
  /** Places where `block --now` put the entry, from a prefix file: value, url of the set and addresses of nodes; default: none. No state keeps it. */
  sent?: pulumi.Input<string>;
  /** Reaction to an entry of others with another value: `"fail"` (default) or `"adopt"`. */
  onExisting?: pulumi.Input<"fail" | "adopt">;
  /** On destroy: `"remove"` (default), `"keep"`, or `"created"`: removed unless the set held it before this resource did. */
  onDestroy?: pulumi.Input<"remove" | "keep" | "created">;
  /** `"reject"` (default): `192.0.2.1/24` fails with the corrected value. `"mask"`: it is corrected. */
  hostBits?: pulumi.Input<"reject" | "mask">;
  /** The prefix may not overlap one of these, in either direction of containment. */
  forbiddenPrefixes?: pulumi.Input<PrefixInput[]>;
  /**
   * Shorter prefixes fail. By default the default route does, and so do entries that together cover more than a quarter of a
   * family; `{ ipv4: 1 }` allows them, `{ ipv4: 0 }` the default route, too.
   */
  shortestPrefix?: pulumi.Input<Inputs<ShortestPrefix>>;
  /** Default: the node of the configuration or of the environment. */
  node?: NodeInput;
}

const KIND: Kind = {
  type: "PrefixSetEntry",
  required: ["arena", "set", "prefix"],
  identity: ["arena", "profile", "set", "prefix"],
  optional: [
    "profile",
    "value",
    "reason",
    "ticket",
    "expires",
    "sent",
    "onExisting",
    "onDestroy",
    "hostBits",
    "forbiddenPrefixes",
    "shortestPrefix",
  ],
  connection: "node",
  outputs: ["url", "endpoint"],
};

/**
 * One entry of a set that others also write to. Entries that are created together are sent and committed together.
 * The id is `<url>#<prefix>`. Arena, profile, set, prefix and the name of the node replace the resource.
 *
 * @example
 * ```ts
 * new PrefixSetEntry("scanner", { arena: "edge", set: "partners", prefix: "203.0.113.4", value: 7 });
 * ```
 */
export class PrefixSetEntry extends pulumi.CustomResource implements Given<PrefixSetEntryArgs> {
  /** The type token by which policies recognise the resource. */
  static readonly __pulumiType = typeToken(KIND.type);

  /** True for an instance of this class, whichever copy of the package made it. */
  static override isInstance(object: unknown): object is PrefixSetEntry {
    return isOf(PrefixSetEntry, object);
  }

  declare readonly arena: pulumi.Output<string>;
  declare readonly profile: pulumi.Output<string | undefined>;
  declare readonly set: pulumi.Output<string>;
  /** Canonical: RFC 5952, with the length written out. */
  declare readonly prefix: pulumi.Output<string>;
  declare readonly value: pulumi.Output<number | undefined>;
  declare readonly reason: pulumi.Output<string | undefined>;
  declare readonly ticket: pulumi.Output<string | undefined>;
  declare readonly expires: pulumi.Output<string | undefined>;
  declare readonly onExisting: pulumi.Output<"fail" | "adopt" | undefined>;
  declare readonly onDestroy: pulumi.Output<"remove" | "keep" | "created" | undefined>;
  declare readonly hostBits: pulumi.Output<"reject" | "mask" | undefined>;
  declare readonly forbiddenPrefixes: pulumi.Output<string[] | undefined>;
  declare readonly shortestPrefix: pulumi.Output<ShortestPrefix | undefined>;
  /** The node as it was given. */
  declare readonly node: pulumi.Output<pulumi.Unwrap<NodeInput> | undefined>;
  /** The url of the set. */
  declare readonly url: pulumi.Output<string>;
  /** The node's address in use, without secrets. */
  declare readonly endpoint: pulumi.Output<string>;

  /**
   * @param name The resource's name in the stack.
   * @throws {pulumi.RunError} for the option `import`, and where the program declares the entry twice.
   */
  constructor(name: string, args: PrefixSetEntryArgs, options?: pulumi.CustomResourceOptions) {
    const { token, props, accepted, whenRegistered } = registered(KIND, name, args, options);
    super(token, name, props, accepted);
    whenRegistered(this);
  }
}

declareOptional(PrefixSetEntry, KIND);
