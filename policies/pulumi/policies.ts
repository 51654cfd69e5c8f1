import {
  type Policies,
  type ReportViolation,
  type ResourceRemediation,
  type ResourceValidation,
  type ResourceValidationArgs,
  type ResourceValidationPolicy,
  remediateResourceOfType,
  type StackValidationPolicy,
  validateResourceOfType,
} from "@pulumi/policy";
import { rules as allRules } from "../all-rules";
import { context, judgeResource, judgeStack, type Report, type Run } from "../judge";
import { NotConfigured } from "../not-configured";
import { NotYetKnown } from "../not-yet-known";
import { ResourceCache } from "../resource-cache";
import { type ResourceKind, type ResourceMeta, SetResource, SignalingResource } from "../resources";
import { isResourceRule, kindsOf, type ResourceRule, type Rule, type StackRule } from "../rule";
import { levelOf, settingsOf } from "../settings";
import { type RunOptions, startRun } from "../start-run";
import { CLASSES } from "./classes";
import { configSchema } from "./config-schema";
import { unwrap, unwrapDeep } from "./unwrap";

/**
 * Rules as policies of Pulumi, for `new PolicyPack("…", { policies })`: by default all of this package, configured by
 * `packetfilter-policies.yaml`.
 *
 * @throws {PolicyConfigError} when the configuration is not as the schema says.
 * @example
 * ```ts
 * new PolicyPack("our-policies", { policies: [...policiesOf(), ourOwnPolicy] });
 * ```
 */
export function policiesOf(rules: readonly Rule[] = allRules, options: RunOptions = {}): Policies {
  const run = startRun(rules, options);
  // Inputs and outputs of a resource differ: resource policies see the former, stack policies the latter.
  const [inputs, outputs] = [new ResourceCache(), new ResourceCache()];
  return rules.map((rule) =>
    isResourceRule(rule) ? resourcePolicy(rule, run, inputs) : stackPolicy(rule, run, outputs),
  );
}

function resourcePolicy(rule: ResourceRule, run: Run, cache: ResourceCache): ResourceValidationPolicy {
  const settings = settingsReader(rule, run);
  const kinds = kindsOf(rule);
  const validations = kinds.map((kind) =>
    validateResourceOfType(CLASSES[kind], (properties, args, report) => {
      const resources = cache.read(metaOf(kind, args), unwrap(properties), rule);
      send(judgeResource(rule, resources, settings(args), run), rule, run, report);
    }),
  );
  const remediations = kinds.map((kind) =>
    remediateResourceOfType(CLASSES[kind], (properties, args) => {
      // Not cached, since the properties are about to change.
      const resource = new (kind === "CloudSignaling" ? SignalingResource : SetResource)(
        metaOf(kind, args) as never,
        unwrapDeep(properties) as Record<string, unknown>,
      );
      const changes = ifKnown(() => rule.remediate?.(resource, context(settings(args), run)));
      return changes && Object.assign(properties, changes);
    }),
  );
  const schema = configSchema(rule);
  return {
    name: rule.name,
    description: rule.description,
    enforcementLevel: levelOf(rule, run.config),
    ...(schema && { configSchema: schema }),
    ...(rule.remediate && { remediateResource: firstOf<ResourceRemediation>(remediations) }),
    validateResource: firstOf<ResourceValidation>(validations),
  };
}

function stackPolicy(rule: StackRule, run: Run, cache: ResourceCache): StackValidationPolicy {
  const settings = settingsReader(rule, run);
  const schema = configSchema(rule);
  return {
    name: rule.name,
    description: rule.description,
    enforcementLevel: levelOf(rule, run.config),
    ...(schema && { configSchema: schema }),
    validateStack: (args, report) => {
      const resources = args.resources.flatMap((resource) => {
        const kind = KINDS.find((one) => resource.isType(CLASSES[one]));
        return kind ? cache.read(metaOf(kind, resource), unwrap(resource.props), rule) : [];
      });
      const sets = resources.filter((resource) => resource instanceof SetResource);
      const signalings = resources.filter((resource) => resource instanceof SignalingResource);
      send(judgeStack(rule, { sets, signalings }, settings(args), run), rule, run, report);
    },
  };
}

const KINDS = Object.keys(CLASSES) as ResourceKind[];

// One function for several classes: an array of functions would make `@pulumi/policy` read all properties once for each.
function firstOf<F extends (args: ResourceValidationArgs, report: ReportViolation) => unknown>(
  functions: readonly F[],
): F {
  const byType = new Map(functions.map((one) => [(one as { __pulumiType?: string }).__pulumiType, one]));
  return ((args: ResourceValidationArgs, report: ReportViolation) => {
    const one = byType.get(args.type);
    return one ? one(args, report) : args.notApplicable(`This policy is for ${[...byType.keys()].join(", ")}`);
  }) as F;
}

// The configuration of a policy does not change while a pack runs, and there may be thousands of resources.
function settingsReader(rule: Rule, run: Run): (args: { getConfig<T extends object>(): T }) => object {
  let read: object | undefined;
  return (args) => {
    read ??= settingsOf(rule, run.config, args.getConfig());
    return read;
  };
}

function metaOf(kind: ResourceKind, { urn, name, opts, provider }: Asked): ResourceMeta {
  return { kind, urn, name, protect: opts.protect, ...(provider && { config: unwrap(provider.props) }) };
}

type Asked = Pick<ResourceValidationArgs, "urn" | "name" | "opts" | "provider">;

function ifKnown<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    // The validation that follows says what is not known or not configured.
    if (error instanceof NotYetKnown || error instanceof NotConfigured) return undefined;
    throw error;
  }
}

function send(reports: readonly Report[], rule: Rule, run: Run, report: ReportViolation): void {
  const own = levelOf(rule, run.config) === "advisory" ? "advisory" : "mandatory";
  for (const { message, level, urn } of reports) {
    run.findings.write({ policy: rule.name, level: level ?? own, message, ...(urn !== undefined && { urn }) });
    if (level === undefined) {
      report(message, urn);
    } else {
      // `@pulumi/policy` also takes an object here, the only way to give one message a level of its own; its types
      // do not say so, a test holds it to that.
      const violation = { message: `${rule.description}\n${message}`, enforcementLevel: level, urn };
      (report as unknown as (violation: object) => void)(violation);
    }
  }
}
