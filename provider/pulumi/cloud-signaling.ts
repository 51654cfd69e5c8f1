import * as pulumi from "@pulumi/pulumi";
import { typeToken } from "../model/resource-kind";
import { declareOptional, type Kind } from "./registration";
import { isOf, registered } from "./resource";
import type { Given, PrefixInput, ReceiverInput } from "./types";

/** Arguments of a {@link CloudSignaling}. */
export interface CloudSignalingArgs {
  /** Recipient prefixes to protect; at least one. */
  prefixes: pulumi.Input<PrefixInput[]>;
  /**
   * Signalings that a destroy, or a shorter list, stops: `"started"` (default) only those that this resource started, `"all"`, or `"none"`.
   * A receiver does not show who started a signaling: `"started"` also stops one that another client stopped and started again
   * in between.
   */
  stops?: pulumi.Input<"started" | "all" | "none">;
  /** Why; never sent. */
  reason?: pulumi.Input<string>;
  /** Reference into another system; never sent. */
  ticket?: pulumi.Input<string>;
  /** `"reject"` (default): `198.51.100.7/24` fails with the corrected value. `"mask"`: it is corrected. */
  hostBits?: pulumi.Input<"reject" | "mask">;
  /** Default: the receiver of the configuration or of the environment. */
  receiver?: ReceiverInput;
}

const KIND: Kind = {
  type: "CloudSignaling",
  required: ["prefixes"],
  identity: [],
  optional: ["stops", "reason", "ticket", "hostBits"],
  connection: "receiver",
  outputs: ["started", "endpoint"],
  repeats: { argument: "prefixes", output: "started" },
};

/**
 * Moves recipient prefixes to the profile that holds rules, for as long as the resource exists
 * (docs/contributing/contract.md#signaling-states).
 * What is active already is adopted; a changed list starts new prefixes first and stops the removed ones last.
 *
 * @example
 * ```ts
 * new CloudSignaling("attack-4711", { prefixes: ["198.51.100.7"], reason: "UDP flood" });
 * ```
 */
export class CloudSignaling extends pulumi.CustomResource implements Given<CloudSignalingArgs> {
  /** The type token by which policies recognise the resource. */
  static readonly __pulumiType = typeToken(KIND.type);

  /** True for an instance of this class, whichever copy of the package made it. */
  static override isInstance(object: unknown): object is CloudSignaling {
    return isOf(CloudSignaling, object);
  }

  /** Canonical and in order. */
  declare readonly prefixes: pulumi.Output<string[]>;
  /** Those that this resource started. */
  declare readonly started: pulumi.Output<string[]>;
  declare readonly stops: pulumi.Output<"started" | "all" | "none" | undefined>;
  declare readonly reason: pulumi.Output<string | undefined>;
  declare readonly ticket: pulumi.Output<string | undefined>;
  declare readonly hostBits: pulumi.Output<"reject" | "mask" | undefined>;
  /** The receiver as it was given. */
  declare readonly receiver: pulumi.Output<pulumi.Unwrap<ReceiverInput> | undefined>;
  /** The receiver's address in use, without client id and secret. */
  declare readonly endpoint: pulumi.Output<string>;

  /**
   * @param name The resource's name in the stack.
   * @throws {pulumi.RunError} for the option `import`.
   */
  constructor(name: string, args: CloudSignalingArgs, options?: pulumi.CustomResourceOptions) {
    const { token, props, accepted, whenRegistered } = registered(KIND, name, args, options);
    super(token, name, props, accepted);
    whenRegistered(this);
  }
}

declareOptional(CloudSignaling, KIND);
