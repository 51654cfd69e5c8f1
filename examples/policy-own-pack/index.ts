import type { ResourceValidationPolicy } from "@pulumi/policy";
import { PolicyPack, validateResourceOfType } from "@pulumi/policy";
import { PrefixSet } from "pulumi-packetfilter";
import { policiesOf, rules } from "pulumi-packetfilter/policies";
import { ticketFormat } from "./ticket-format";

// A policy as Pulumi knows it can stand beside the rules; what the program wrote is typed by the class.
const knownNode: ResourceValidationPolicy = {
  name: "known-node",
  description: "Nodes are named in the configuration of a stack, not written into programs.",
  enforcementLevel: "mandatory",
  validateResource: validateResourceOfType(PrefixSet, ({ node }, { name }, reportViolation) => {
    if (typeof node === "object") reportViolation(`PrefixSet "${name}": name a node of packetfilter:nodes.`);
  }),
};

new PolicyPack("our-packetfilter-policies", { policies: [...policiesOf([...rules, ticketFormat]), knownNode] });
