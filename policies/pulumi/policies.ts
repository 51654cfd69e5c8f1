import type {
  Policies,
  PolicyProviderResource,
  ReportViolation,
  ResourceValidationArgs,
  ResourceValidationPolicy,
  StackValidationPolicy,
} from "@pulumi/policy";
import { isNative, kindOf, REFUSED_KEY, type ResourceKind, typeToken } from "../../provider/model/resource-kind";
import { rules as allRules } from "../all-rules";
import { context, judgeResource, judgeStack, type Report, type Run } from "../judge";
import { NotConfigured } from "../not-configured";
import { NotYetKnown } from "../not-yet-known";
import { ResourceCache } from "../resource-cache";
import { type ResourceMeta, readResource, SetResource, SignalingResource } from "../resources";
import { isResourceRule, kindsOf, type ResourceRule, type Rule, type StackRule } from "../rule";
import { readable } from "../rules/readable";
import { levelOf, settingsOf } from "../settings";
import { type RunOptions, startRun } from "../start-run";
import { configSchema } from "./config-schema";
import { membersOf, targetOf, unwrap, unwrapDeep } from "./unwrap";

/**
 * Rules as policies of Pulumi, for `new PolicyPack("…", { policies })`. Default: all rules of this package, configured by
 * `packetfilter-policies.yaml`.
 *
 * @throws {PolicyConfigError} if the configuration does not match the schema.
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
  const ours = ({ type, props, provider }: Pick<ResourceValidationArgs, "type" | "props" | "provider">) => {
    const kind = kindOf(type, unwrap(props), provider?.type);
    return kind !== undefined && kinds.includes(kind) ? kind : undefined;
  };
  const judged = (args: ResourceValidationArgs) => (isRefused(unwrap(args.props)) ? undefined : ours(args));
  const notForIt = ({ props }: Pick<ResourceValidationArgs, "props">) =>
    isRefused(unwrap(props)) ? REFUSED : `This policy is for ${kinds.map(typeToken).join(", ")}`;
  return {
    ...headOf(rule, run),
    ...(rule.remediate && {
      remediateResource: (args) => {
        const kind = judged(args);
        if (kind === undefined) return args.notApplicable(notForIt(args));
        // Not cached, since the properties are about to change.
        const resource = readResource(metaOf(kind, args, run), unwrapDeep(args.props) as Record<string, unknown>);
        const changes = ifKnown(() => rule.remediate?.(resource, context(settings(args), run)));
        return changes && Object.assign(args.props, withMembers(args.props, changes));
      },
    }),
    validateResource: (args, report) => {
      const kind = judged(args);
      const unjudged = rule.name === readable.name && isRefused(unwrap(args.props)) ? ours(args) : undefined;
      if (unjudged !== undefined) return send([refused(unjudged, args)], rule, run, report);
      if (kind === undefined) return args.notApplicable(notForIt(args));
      const resources = cache.read(metaOf(kind, args, run), unwrap(args.props), rule);
      send(judgeResource(rule, resources, settings(args), run), rule, run, report);
    },
  };
}

function headOf(rule: Rule, { config }: Run) {
  const schema = configSchema(rule);
  const { name, description } = rule;
  return { name, description, enforcementLevel: levelOf(rule, config), ...(schema && { configSchema: schema }) };
}

function stackPolicy(rule: StackRule, run: Run, cache: ResourceCache): StackValidationPolicy {
  const settings = settingsReader(rule, run);
  return {
    ...headOf(rule, run),
    validateStack: (args, report) => {
      const resources = args.resources.flatMap((resource) => {
        const properties = unwrap(resource.props);
        const kind = isRefused(properties) ? undefined : kindOf(resource.type, properties, resource.provider?.type);
        return kind ? cache.read(metaOf(kind, resource, run), properties, rule) : [];
      });
      const sets = resources.filter((resource) => resource instanceof SetResource);
      const signalings = resources.filter((resource) => resource instanceof SignalingResource);
      send(judgeStack(rule, { sets, signalings }, settings(args), run), rule, run, report);
    },
  };
}

/** The changes of a remediation, in which a list is what it adds to that of the resource. */
function withMembers(properties: object, changes: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const own = targetOf(properties) as Readonly<Record<string, unknown>>;
  const changed = ([name, value]: [string, unknown]) =>
    [name, Array.isArray(value) ? [...membersOf(own[name]), ...value] : value] as const;
  return Object.fromEntries(Object.entries(changes).map(changed));
}

const REFUSED = "The resource's own check refused it: its message says why";

/** True for unparsed inputs, which the resource's check refused. */
function isRefused(properties: Readonly<Record<string, unknown>>): boolean {
  return properties[REFUSED_KEY] === true;
}

/** Reports an unjudged resource: its check failed the run, unless the program wrote the marker itself to avoid rules. */
function refused(kind: ResourceKind, { name, urn }: Pick<Asked, "name" | "urn">): Report {
  return {
    message: `${kind} "${name}": no rule judges it, since its own check refused it. Correct the mistake that the check reports, and remove an argument ${REFUSED_KEY}. Rule ${readable.name}, configured by \`rules.${readable.name}\` in packetfilter-policies.yaml.`,
    urn,
  };
}

// The configuration of a policy does not change while a pack runs, and there may be thousands of resources.
function settingsReader(rule: Rule, run: Run): (args: { getConfig<T extends object>(): T }) => object {
  let read: object | undefined;
  return (args) => {
    read ??= settingsOf(rule, run.config, args.getConfig());
    return read;
  };
}

function metaOf(
  kind: ResourceKind,
  { type, urn, name, opts, provider }: Asked,
  { environment }: Pick<Run, "environment">,
): ResourceMeta {
  return {
    kind,
    urn,
    name,
    protect: opts.protect,
    environment,
    ...(provider && { config: configOf(type, provider) }),
  };
}

/** The engine gives the plugin's own provider the keys of its configuration without their namespace. */
function configOf(type: string, provider: PolicyProviderResource): Readonly<Record<string, unknown>> {
  const config = unwrap(provider.props);
  if (!isNative(type, provider.type)) return config;
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [`packetfilter:${key}`, value]));
}

type Asked = Pick<ResourceValidationArgs, "type" | "urn" | "name" | "opts" | "provider">;

function ifKnown<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    // The validation that follows reports unknown properties and missing settings.
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
      // `@pulumi/policy` also takes an object here, the only way to set the level of one message. Its types lack it; a
      // test checks it.
      const violation = { message: `${rule.description}\n${message}`, enforcementLevel: level, urn };
      (report as unknown as (violation: object) => void)(violation);
    }
  }
}
