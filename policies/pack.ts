import { PolicyPack } from "@pulumi/policy";
import { RunError } from "@pulumi/pulumi";
import { PolicyConfigError } from "./config/errors";
import { policiesOf } from "./pulumi/policies";

// What `pulumi … --policy-pack node_modules/pulumi-packetfilter/policies` runs.
try {
  new PolicyPack("pulumi-packetfilter", { policies: policiesOf() });
} catch (error) {
  // For a RunError the Pulumi runtime shows the message without a stack.
  throw error instanceof PolicyConfigError ? new RunError(error.message) : error;
}
