import { createRequire } from "node:module";
import type { ResourceValidationPolicy } from "@pulumi/policy";

// Exported for tests, but not declared.
const { unknownCheckingProxy } = createRequire(__filename)("@pulumi/policy") as {
  unknownCheckingProxy(properties: object): Record<string, unknown>;
};

const TYPE = "pulumi-nodejs:dynamic/packetfilter:PrefixSet";

export interface Violation {
  readonly message: string;
  readonly enforcementLevel?: string;
}

/**
 * Asks a policy as `@pulumi/policy` does: a copy of the properties for each, behind the proxy that throws for unknown values.
 *
 * @param provider Configuration of the resource's provider.
 * @param providerType Type of the resource's provider: by default the one that serves the type.
 */
export function ask(
  policy: ResourceValidationPolicy,
  properties: object,
  type = TYPE,
  provider?: object,
  providerType = `pulumi:providers:${type.split(":")[0]}`,
): { violations: Violation[]; notApplicable?: string } {
  const violations: Violation[] = [];
  let notApplicable: string | undefined;
  const args = {
    type,
    props: unknownCheckingProxy(structuredClone(properties)),
    urn: `urn:pulumi:dev::infra::${type}::blocked`,
    name: "blocked",
    opts: { protect: false },
    provider: { type: providerType, props: unknownCheckingProxy(structuredClone(provider ?? {})) },
    isType: ({ __pulumiType }: { __pulumiType?: string }) => __pulumiType === type,
    getConfig: () => ({}),
    notApplicable: (reason: string) => {
      notApplicable = reason;
    },
  };
  const report = (one: string | Violation) => violations.push(typeof one === "string" ? { message: one } : one);
  (policy.validateResource as (args: unknown, report: unknown) => void)(args, report);
  return { violations, ...(notApplicable && { notApplicable }) };
}
