import { execFile } from "node:child_process";
import { chmod, cp, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { root } from "../support/markdown";
import { startComments } from "./support/comments";
import { TestStack, TYPES_ARE_CHECKED } from "./support/stack";
import { actions, assigned, githubSteps, githubText, gitlabSteps, type Happening } from "./support/templates";
import { since } from "./support/world";

const onMain = { CI_COMMIT_BRANCH: "main", CI_DEFAULT_BRANCH: "main" };
const request = (repository: string, project: string) => ({
  github: {
    event_name: "pull_request",
    ref: "refs/pull/7/merge",
    repository: "example/edge",
    event: { pull_request: { head: { repo: { full_name: repository } } } },
  },
  gitlab: {
    CI_PIPELINE_SOURCE: "merge_request_event",
    CI_DEFAULT_BRANCH: "main",
    CI_PROJECT_ID: "42",
    CI_MERGE_REQUEST_SOURCE_PROJECT_ID: project,
  },
});
const happenings = {
  "merge request": request("example/edge", "42"),
  "merge request of a fork": request("somebody/edge", "43"),
  "push to main": {
    github: { event_name: "push", ref: "refs/heads/main" },
    gitlab: { CI_PIPELINE_SOURCE: "push", ...onMain },
  },
  schedule: {
    github: { event_name: "schedule", ref: "refs/heads/main" },
    gitlab: { CI_PIPELINE_SOURCE: "schedule", ...onMain },
  },
  "push to a branch": {
    github: { event_name: "workflow_dispatch", ref: "refs/heads/topic" },
    gitlab: { CI_PIPELINE_SOURCE: "push", CI_COMMIT_BRANCH: "topic", CI_DEFAULT_BRANCH: "main" },
  },
} satisfies Record<string, Happening>;

describe("the templates", () => {
  it.each(Object.entries(happenings))("do the same on both platforms at a %s", (_, happening) => {
    expect(githubSteps(happening)).toEqual(gitlabSteps(happening));
    expect(githubSteps(happening, true)).toEqual(gitlabSteps(happening, true));
  });

  it("apply main when it changes, check drift on a schedule, and change nothing otherwise", () => {
    expect(githubSteps(happenings["push to main"])).toEqual(["npm ci", "ci/apply.sh"]);
    expect(githubSteps(happenings.schedule)).toEqual(["npm ci", "ci/apply.sh", "ci/drift.sh"]);
    expect(githubSteps(happenings["push to a branch"])).toEqual([]);
  });

  it("review a merge request unapplied, comment on a failed one too, and skip forks", () => {
    const own = happenings["merge request"];
    const fork = happenings["merge request of a fork"];
    expect(githubSteps(own)).toEqual(["npm ci", "ci/review.sh", "node ci/comment.mjs report.md"]);
    expect(githubSteps(own, true)).toEqual(["node ci/comment.mjs report.md"]);
    expect(githubSteps(fork)).toEqual(["npm ci", "ci/review.sh"]);
  });

  it("use actions at one commit each, with the version beside it", () => {
    expect(actions.map((action) => action.split("@")[0])).toEqual([
      "actions/checkout",
      "actions/setup-node",
      "pulumi/actions",
    ]);
    const lines = githubText.split("\n").filter((line) => line.includes("uses:"));
    expect(lines.filter((line) => !/uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  it("take secrets from variables of the platform only", () => {
    const literal = assigned.filter((one) => !/=(\$\{\{ (secrets|vars|github)\.\w+ \}\}|\$\w+)$/.test(one));
    expect(literal).toEqual(["GIT_DEPTH=0"]);
    // What GitHub hands to a step only by name; in GitLab every step has all variables.
    const handed = ["PULUMI_BACKEND_URL", "PULUMI_CONFIG_PASSPHRASE", "PACKETFILTER_ENDPOINT", "PACKETFILTER_HEADERS"];
    expect(assigned.map((one) => one.split("=")[0])).toEqual(expect.arrayContaining([...handed, "GITHUB_TOKEN"]));
  });
});

/** A clone of the example with a stack `prod`, its main as `origin/main`; `npm` only notes how it is called. */
async function clone(variables: Record<string, string>) {
  const stack = await TestStack.create({ program: "", language: "typescript" });
  await cp(join(root, "examples", "ci-stack"), stack.folder, { recursive: true });
  await stack.write("node_modules/.bin/npm", '#!/bin/sh\necho "npm $*"\n');
  await chmod(join(stack.folder, "node_modules/.bin/npm"), 0o755);
  const bin = join(root, "dist/provider/cli.js");
  await symlink(bin, join(stack.folder, "node_modules/.bin/pulumi-packetfilter"));
  // The review has a copy of the program elsewhere, with this folder as its own.
  for (const name of ["@pulumi", "@types", "typescript"])
    await symlink(join(root, "node_modules", name), join(stack.folder, "node_modules", name));
  const identity = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@example.com" };
  const committer = { GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@example.com" };
  const { PULUMI_BACKEND_URL = "", PULUMI_CONFIG_PASSPHRASE = "", PULUMI_STACK: _, ...machine } = stack.variables;
  const path = `${join(stack.folder, "node_modules/.bin")}:${machine.PATH}`;
  const runner = { ...machine, PATH: path, ...identity, ...committer, ...TYPES_ARE_CHECKED };
  // The first run of the program, on main, checks its types.
  const { PULUMI_NODEJS_TRANSPILE_ONLY: _types, ...checking } = runner;
  const prod = { ...checking, ...variables, PULUMI_BACKEND_URL, PULUMI_CONFIG_PASSPHRASE };

  /** The text of one step, run as both platforms do: by bash, which ends at the first failure. */
  const step = async (text: string, env: Record<string, string>) => {
    const options = { cwd: stack.folder, env: { ...env, CI: "true" } };
    const run = promisify(execFile)("bash", ["-eo", "pipefail", "-c", text], options);
    return run.then(
      ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
      ({ code, stdout, stderr }) => ({ code, text: stdout + stderr }),
    );
  };
  const must = async (text: string, env: Record<string, string> = runner) => {
    const { code, text: said } = await step(text, env);
    expect(code, `${text}\n${said}`).toBe(0);
    return said;
  };
  await must("git init -q -b main && printf '/.home\\n/.backend\\n' >> .git/info/exclude");
  await must("pulumi stack init prod", prod);
  await must("git add . && git commit -qm main");
  await must("git update-ref refs/remotes/origin/main HEAD");
  return { stack, step, must, runner, prod, [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose]() };
}

it("a merge request is judged on a copy of the node, main is applied, drift fails the schedule", async () => {
  const sets = { blocked: {}, partners: {} };
  await using node = await startEmulator({ state: { arenas: { edge: { sets } } }, auth: { bearer: "from-ci" } });
  await using repository = await clone({
    PACKETFILTER_ENDPOINT: node.endpoint,
    PACKETFILTER_HEADERS: '{"authorization":"Bearer from-ci"}',
  });
  const { stack, step, must, runner, prod } = repository;
  const BLOCKED = "prefixset://edge/blocked";
  const review = githubSteps(happenings["merge request"]);
  const [comment = ""] = githubSteps(happenings["merge request"], true);

  // The comments of merge request 7; on GitHub there are more than a page of them.
  const others = Array.from({ length: 150 }, (_, index) => `comment ${index}`);
  const issues = "/repos/example/edge/issues";
  await using github = await startComments(
    {
      list: `${issues}/7/comments`,
      one: `${issues}/comments`,
      change: "PATCH",
      authorized: ({ authorization }) => authorization === "Bearer job-token",
    },
    others,
  );
  const notes = "/projects/42/merge_requests/7/notes";
  await using gitlab = await startComments(
    { list: notes, one: notes, change: "PUT", authorized: (headers) => headers["private-token"] === "review-token" },
    ["comment"],
  );
  const onGithub = {
    ...runner,
    GITHUB_BASE_REF: "main",
    GITHUB_REF_NAME: "7/merge",
    GITHUB_REPOSITORY: "example/edge",
    GITHUB_API_URL: github.url,
    GITHUB_TOKEN: "job-token",
  };
  const onGitlab = {
    ...runner,
    CI_API_V4_URL: gitlab.url,
    CI_PROJECT_ID: "42",
    CI_MERGE_REQUEST_IID: "7",
    REVIEW_TOKEN: "review-token",
  };
  const KEY = "<!-- pulumi-packetfilter report: edge-sets/prod -->";
  const drift = githubSteps(happenings.schedule).at(-1) ?? "";

  // On main, and on the schedule when nothing has happened.
  for (const text of githubSteps(happenings.schedule)) await must(text, prod);
  const main = { "2001:db8:bad::/48": 1, "203.0.113.0/25": 1 };
  expect(node.prefixSet(BLOCKED).applied).toEqual(main);

  // A merge request that the policies allow; GitHub's name of the branch says what it is compared with.
  const asked = node.journal.length;
  const file = await stack.read("blocked.yaml");
  await stack.write("blocked.yaml", file.replace("203.0.113.0/25", "203.0.113.0/26"));
  await must("git commit -qam narrower");
  for (const text of review) await must(text, onGithub);
  await must(comment, onGitlab);
  const preview = JSON.parse(await readFile(join(stack.folder, "preview.json"), "utf8"));
  const changed = preview.steps.filter(({ op }: { op: string }) => op !== "same");
  expect(changed.map(({ op, urn }: { op: string; urn: string }) => [op, urn.split("::").at(-1)])).toEqual([
    ["update", "blocked"],
  ]);
  expect(changed[0].oldState.inputs.entries).toEqual(main);
  expect(changed[0].newState.inputs.entries).toEqual({ "2001:db8:bad::/48": 1, "203.0.113.0/26": 1 });

  const [first = ""] = github.added();
  expect(first.split("\n")[0]).toBe(KEY);
  expect(first).toContain("203.0.113.0/26");
  expect(gitlab.added()).toEqual([first]);

  // One that they forbid: GitLab names the commit. The report takes the place of the first one.
  const base = (await must("git rev-parse HEAD")).trim();
  await stack.write("blocked.yaml", file.replace("203.0.113.0/25", "198.51.100.0/26"));
  await must("git commit -qam ours");
  const forbidden = await step("ci/review.sh", { ...onGitlab, CI_MERGE_REQUEST_DIFF_BASE_SHA: base });
  expect(forbidden.code, forbidden.text).not.toBe(0);
  expect(forbidden.text).toContain("[mandatory]  protected-prefixes");
  expect(forbidden.text).toContain("198.51.100.0/26 (lies in the owned prefix 198.51.100.0/24)");

  await must(comment, onGithub);
  await must(comment, onGitlab);
  const [second = ""] = github.added();
  expect(second).toContain("198.51.100.0/26");
  expect([github.added(), gitlab.added()]).toEqual([[second], [second]]);
  expect(github.written).toEqual([`POST ${issues}/7/comments`, `PATCH ${issues}/comments/150`]);
  expect(gitlab.written).toEqual([`POST ${notes}`, `PUT ${notes}/1`]);
  const refused = await step(comment, { ...onGithub, GITHUB_TOKEN: "wrong-token" });
  expect([refused.code, refused.text]).toEqual([1, expect.stringMatching(/^GET \S+: 401 /)]);
  expect(refused.text).not.toContain("wrong-token");

  // Neither left a trace in the clone, nor asked the real node anything.
  expect(await must("git worktree list | wc -l && git status --short")).toBe("1\n");
  expect(node.journal.length).toBe(asked);

  // Somebody else writes to the node: the gate fails, and nothing is sent.
  await must("git checkout -q main~2");
  node.change(BLOCKED, { insert: { "192.0.2.64/26": 9 } });
  const sent = since(node);
  const gate = await step(drift, prod);
  expect(gate.code, gate.text).not.toBe(0);
  expect(gate.text).toContain("192.0.2.64/26");
  expect(sent()).toEqual([]);
});
