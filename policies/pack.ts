import { PolicyPack } from "@pulumi/policy";
import { policiesOf } from "./pulumi/policies";

// What `pulumi … --policy-pack node_modules/pulumi-packetfilter/policies` runs.
new PolicyPack("pulumi-packetfilter", { policies: policiesOf() });
