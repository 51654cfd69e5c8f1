import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { root } from "../../support/markdown";

/** The files that people copy. */
const GITHUB = [".github/workflows/packetfilter.yml", ".github/workflows/packetfilter-comment.yml"];
const GITLAB = ".gitlab-ci.yml";

const text = (example: string, file: string) => readFileSync(join(root, "examples", example, file), "utf8");
export const githubTexts = GITHUB.map((file) => text("ci-github", file));

const variables = z.record(z.string(), z.string()).default({});
const optional = z.string().optional();
const step = z.object({ uses: optional, run: optional, if: optional, env: variables });
const workflow = z.object({
  on: z.record(z.string(), z.unknown()),
  permissions: variables,
  jobs: z.record(
    z.string(),
    z.object({ if: z.string(), permissions: variables.optional(), env: variables, steps: z.array(step.loose()) }),
  ),
});
const workflows = githubTexts.map((one) => workflow.parse(parse(one)));
const githubJobs = workflows.flatMap((one) =>
  Object.entries(one.jobs).map(([name, own]) => ({ name, on: Object.keys(one.on), ...own })),
);

const job = z.object({
  stage: z.string().optional(),
  extends: z.string().optional(),
  rules: z.array(z.strictObject({ if: z.string() })).optional(),
  script: z.array(z.string()).optional(),
  variables: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
});
const { default: _image, stages, ...rest } = z.record(z.string(), z.unknown()).parse(parse(text("ci-gitlab", GITLAB)));
const order = z.array(z.string()).parse(stages);
const jobs = z.record(z.string(), job).parse(rest);

/** Event on a platform; both describe it by variables. */
export interface Happening {
  readonly github: { readonly event_name: string; readonly ref: string; readonly [more: string]: unknown };
  readonly gitlab: Readonly<Record<string, string>>;
}

/** True when a condition holds. Those of both platforms that the templates use are JavaScript as they stand, but for `$`. */
function holds(condition: string | undefined, { github, gitlab }: Happening, failed = false): boolean {
  // GitHub takes a condition that does not ask how the steps before it ended to be one of their success.
  if (failed && !/\b(success|failure)\(\)/.test(condition ?? "")) return false;
  if (condition === undefined) return true;
  const expression = condition.replace(/\$(\w+)/g, "gitlab.$1");
  return new Function("github", "gitlab", "success", "failure", `return ${expression}`)(
    github,
    gitlab,
    () => !failed,
    () => failed,
  );
}

/** The jobs of GitHub when something happens, and the steps of each, or those that are left after one failed. */
function githubRun(happening: Happening, failed: boolean) {
  return githubJobs
    .filter((one) => one.on.includes(happening.github.event_name) && holds(one.if, happening))
    .map((one) => ({ ...one, steps: one.steps.filter((each) => holds(each.if, happening, failed)) }));
}

/** Commands that GitHub runs for an event, or after a failed step: the shell text of each step, in order. */
export function githubSteps(happening: Happening, failed = false): string[] {
  const steps = githubRun(happening, failed).flatMap((one) => one.steps);
  return steps.flatMap(({ run }) => (run === undefined ? [] : [run.trim()]));
}

/** Context that GitHub gives to jobs for an event: their rights, and the values of the platform that their steps see. */
export function githubRights(happening: Happening) {
  return githubRun(happening, false).map(({ name, permissions, env, steps }) => {
    const values = [env, ...steps.map((one) => one.env)].flatMap((one) => Object.values(one));
    return { name, permissions, secrets: values.flatMap((value) => /secrets\.\w+|github\.token/.exec(value) ?? []) };
  });
}

/** Commands that GitLab runs: the lines of each job's script, the jobs in the order of their stages. */
export function gitlabSteps(happening: Happening): string[] {
  return Object.values(jobs)
    .map((one) => ({ ...jobs[one.extends ?? ""], ...one }))
    .filter(({ rules = [] }) => rules.some((one) => holds(one.if, happening)))
    .sort((a, b) => order.indexOf(a.stage ?? "") - order.indexOf(b.stage ?? ""))
    .flatMap(({ script = [] }) => script);
}

/** The actions that the workflow uses, once each. */
export const actions = [
  ...new Set(githubJobs.flatMap(({ steps }) => steps.flatMap(({ uses }) => (uses === undefined ? [] : [uses])))),
];

/** Every value that a template gives to a variable. */
export const assigned = [
  ...githubJobs.flatMap(({ env, steps }) =>
    [env, ...steps.map((one) => one.env)].flatMap((one) => Object.entries(one)),
  ),
  ...Object.values(jobs).flatMap((one) => Object.entries(one.variables ?? {})),
].map(([name, value]) => `${name}=${value}`);
