import { PolicyPack } from "@pulumi/policy";
import { policiesOf } from "./pulumi/policies";

// Entry point of `pulumi … --policy-pack node_modules/pulumi-packetfilter/policies`.
new PolicyPack("pulumi-packetfilter", { policies: policiesOf() });
