import { visible } from "../provider/model/foreign-text";
import { matches } from "../provider/model/wildcard";
import type { Meaning } from "./config/meaning";
import type { Exception, PolicyConfig } from "./config/schema";
import type { FindingsFile } from "./findings-file";
import { findingMessage, notConfiguredMessage, unknownMessage, urlOf } from "./message";
import { NotConfigured } from "./not-configured";
import { NotYetKnown } from "./not-yet-known";
import type { Resource } from "./resources";
import type { Context, Finding, LeftOut, Offender, ResourceRule, Rule, StackRule, StackView } from "./rule";

/** One message of a rule. */
export interface Report {
  /** The mistake and its remedy, for people. */
  readonly message: string;
  /** The level of this message. Default: that of the rule. */
  readonly level?: "advisory" | "mandatory";
  /** The resource of the message. Default: the whole stack. */
  readonly urn?: string;
}

/** State of one run of a pack; it gives each notice once. */
export interface Run {
  /** The shared configuration. */
  readonly config: PolicyConfig;
  /** Meaning of sets and prefixes in the configuration. */
  readonly meaning: Meaning;
  /** The rules that judge. */
  readonly rules: readonly Rule[];
  /** When the run began. */
  readonly now: Date;
  /** Variables of the process, which may lift a limit for one run. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** File for the findings. @internal */
  readonly findings: FindingsFile;
  /** Notices given so far, by subject. @internal */
  readonly noticed: Set<string>;
}

/**
 * Judges one resource by one rule. A missing property or setting is reported, never thrown.
 *
 * @param resources The resource, or several for the nodes of one group: a finding in the first one is not repeated for the
 * others.
 * @example
 * ```ts
 * const run = startRun(rules, { config });
 * const reports = judgeResource(rule, resource, settingsOf(rule, config), run);
 * ```
 */
export function judgeResource(
  rule: ResourceRule,
  resources: Resource | readonly Resource[],
  settings: object,
  run: Run,
): Report[] {
  const told = new Set<string>();
  return [resources].flat().flatMap((resource) => {
    const findings = () => untold(rule.judge(resource as never, context(settings, run)), told);
    return reportsOf(rule, run, { resource, hidesPrefixes: resource.hidesPrefixes }, findings);
  });
}

/** Findings without those already reported for another resource. */
function* untold(findings: Iterable<Finding>, told: Set<string>): Generator<Finding> {
  const isNews = (text: string) => !told.has(text) && told.add(text);
  for (const finding of findings) {
    const { problem, offenders } = finding;
    const left = offenders?.filter(({ prefix, detail }) => isNews(`${problem} ${prefix} ${detail}`));
    if (left ? left.length > 0 : isNews(problem)) yield left ? { ...finding, offenders: left } : finding;
  }
}

/**
 * Judges a whole stack by one rule.
 *
 * @example
 * ```ts
 * const run = startRun(rules, { config });
 * const reports = judgeStack(rule, { sets, signalings: [] }, settingsOf(rule, config), run);
 * ```
 */
export function judgeStack(rule: StackRule, stack: StackView, settings: object, run: Run): Report[] {
  // A finding is about several resources, and each names the prefixes of the others.
  const hidesPrefixes = [...stack.sets, ...stack.signalings].some((resource) => resource.hidesPrefixes);
  return reportsOf(rule, run, { hidesPrefixes }, () => rule.judge(stack, context(settings, run)));
}

/** The facts that a rule may use. */
export function context<S>(settings: object, { meaning, now, environment }: Run): Context<S> {
  return { settings: settings as S, meaning, now, environment };
}

/** Subject of a judgement: a resource, or a whole stack. */
interface Judged {
  readonly resource?: Resource;
  /** True if messages must not name a prefix. */
  readonly hidesPrefixes: boolean;
}

function reportsOf(
  rule: Rule,
  run: Run,
  { resource, hidesPrefixes }: Judged,
  findings: () => Iterable<Finding | LeftOut>,
): Report[] {
  const reports: Report[] = [];
  try {
    for (const finding of findings()) {
      if ("leftOut" in finding) reports.push(...leaveOut(rule, finding.leftOut, finding.resource, run));
      else reports.push(...applyExceptions(rule, { ...(resource && { resource }), ...finding }, run, hidesPrefixes));
    }
  } catch (error) {
    // Findings up to here count; the rest cannot be judged.
    if (!(error instanceof NotYetKnown || error instanceof NotConfigured)) throw error;
    reports.push(...leaveOut(rule, error, resource, run));
  }
  const { emergency } = run.config;
  // Names, reasons and settings in a message are texts of others.
  const shown = reports.map((report) => ({ ...report, message: visible(report.message) }));
  if (emergency === undefined) return shown;
  return shown.map((report) => ({
    ...report,
    message: visible(`Emergency ${emergency}, mandatory rules only warn. ${report.message}`),
    level: "advisory",
  }));
}

function leaveOut(rule: Rule, why: NotYetKnown | NotConfigured, resource: Resource | undefined, run: Run): Report[] {
  if (why instanceof NotConfigured) return notice(why, run);
  const message = unknownMessage(rule, why.property, resource);
  return [{ message, level: "advisory", ...(resource && { urn: resource.urn }) }];
}

function* applyExceptions(rule: Rule, finding: Finding, run: Run, hidesPrefixes: boolean): Generator<Report> {
  const messageOf = (offenders?: readonly Offender[]) => findingMessage(rule, finding, offenders, hidesPrefixes);
  const exceptions = run.config.exceptions.filter((exception) => exception.rule === rule.name);
  const urn = finding.resource?.urn;
  const standing: Offender[] = [];
  const expired = new Map<Exception, Offender[]>();
  // A finding without prefixes is treated as one offender without a prefix.
  for (const offender of finding.offenders ?? [undefined]) {
    const applying = exceptions.filter((exception) => applies(exception, offender, finding));
    if (applying.some(({ until }) => run.now <= until.moment)) continue;
    const ended = applying[0];
    if (ended && run.config.expiredExceptions === "advisory") {
      expired.set(ended, [...(expired.get(ended) ?? []), ...(offender ? [offender] : [])]);
    } else if (offender) {
      standing.push(offender);
    } else {
      yield { message: messageOf(), ...(urn && { urn }) };
    }
  }
  if (standing.length > 0) yield { message: messageOf(standing), ...(urn && { urn }) };
  for (const [exception, offenders] of expired) {
    const message = messageOf(finding.offenders && offenders);
    yield {
      message: `${message} The exception for it (${exception.reason}) ended ${exception.until.text}: renew or remove it under \`exceptions\`.`,
      level: "advisory",
      ...(urn && { urn }),
    };
  }
}

function applies(exception: Exception, offender: Offender | undefined, finding: Finding): boolean {
  if (exception.prefix && !(offender && exception.prefix.contains(offender.prefix))) return false;
  if (exception.set === undefined) return true;
  const pattern = exception.set;
  const sets = offender?.sets ?? [urlOf(finding.resource)];
  return sets.some((set) => set !== undefined && matches(pattern, set));
}

function notice({ need, set }: NotConfigured, run: Run): Report[] {
  const key = `${need} ${set ?? ""}`;
  if (run.noticed.has(key)) return [];
  run.noticed.add(key);
  const needing = run.rules.filter((rule) => rule.needs.includes(need) && isSwitchedOn(rule, run.config));
  return [
    {
      message: notConfiguredMessage(
        need,
        set,
        needing.map(({ name }) => name),
      ),
      level: need === "role" ? run.config.unknownSets : "advisory",
    },
  ];
}

function isSwitchedOn(rule: Rule, config: PolicyConfig): boolean {
  const own = config.rules[rule.name];
  return (typeof own === "string" ? own : own?.level) !== "disabled";
}
