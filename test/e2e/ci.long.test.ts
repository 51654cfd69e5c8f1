import { execFile, execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { chmod, cp, readFile, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { root } from "../support/markdown";
import { startComments } from "./support/comments";
import { SECRETS_PROVIDER, TestStack, TYPES_ARE_CHECKED } from "./support/stack";
import {
  actions,
  assigned,
  githubRights,
  githubSteps,
  githubTexts,
  gitlabSteps,
  type Happening,
} from "./support/templates";
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
  "merge request of a fork": request("contributor/edge", "43"),
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

/** A review has ended; GitHub then begins another workflow, and in GitLab the schedule comes by. */
const reviewed = (repository: string): Happening => ({
  github: {
    event_name: "workflow_run",
    ref: "refs/heads/main",
    repository: "example/edge",
    event: { workflow_run: { event: "pull_request", head_repository: { full_name: repository } } },
  },
  gitlab: happenings.schedule.gitlab,
});
const COMMENT = ["npm ci --ignore-scripts", "node ci/comment.mjs"];

describe("the templates", () => {
  it.each(Object.entries(happenings))("do the same on both platforms at a %s", (name, happening) => {
    // GitHub says when a review has ended; in GitLab the schedule looks.
    const more = name === "schedule" ? COMMENT : [];
    expect([...githubSteps(happening), ...more]).toEqual(gitlabSteps(happening));
  });

  it("apply main when it changes, on a schedule also look for drift, and change nothing for anything else", () => {
    expect(githubSteps(happenings["push to main"])).toEqual(["npm ci --ignore-scripts", "ci/apply.sh"]);
    expect(githubSteps(happenings.schedule)).toEqual(["npm ci --ignore-scripts", "ci/apply.sh", "ci/drift.sh"]);
    expect(githubSteps(happenings["push to a branch"])).toEqual([]);
  });

  it("review a merge request, a fork's too, with scripts and policies of the target branch", () => {
    const own = githubSteps(happenings["merge request"]);
    expect(own).toEqual([
      expect.stringMatching(
        /git -C "\$\{CHANGE:-\.\}" archive "origin\/\$\{GITHUB_BASE_REF:-\$CI_MERGE_REQUEST_TARGET_BRANCH_NAME\}" \| tar/,
      ),
      "npm ci --ignore-scripts --prefix .target",
      expect.stringMatching(/^\.target\/ci\/review\.sh "\$\{CHANGE:-\.\}"$/),
    ]);
    expect(githubSteps(happenings["merge request of a fork"])).toEqual(own);
    expect(githubSteps(happenings["merge request"], true)).toEqual([]);
  });

  it("comment on a review that has ended, but not for a fork", () => {
    expect(githubSteps(reviewed("example/edge"))).toEqual(COMMENT);
    expect(githubSteps(reviewed("contributor/edge"))).toEqual([]);
  });

  it("give a job that runs the code of a change no secret, and no right but reading", () => {
    const onlyRead = { name: "review", permissions: { contents: "read" }, secrets: [] };
    expect(githubRights(happenings["merge request"])).toEqual([onlyRead]);
    expect(githubRights(reviewed("example/edge"))).toEqual([
      {
        name: "comment",
        permissions: { contents: "read", actions: "read", "pull-requests": "write" },
        secrets: ["github.token"],
      },
    ]);
    // In GitLab variables are given to branches and environments: the token is where no merge request is.
    expect(gitlabSteps(happenings["merge request"]).join("\n")).not.toContain("comment.mjs");
    expect(gitlabSteps(happenings["push to a branch"])).toEqual([]);
  });

  it("use actions at one commit each, with the version beside it", () => {
    expect(actions.map((action) => action.split("@")[0])).toEqual([
      "actions/checkout",
      "actions/setup-node",
      "pulumi/actions",
      "actions/upload-artifact",
    ]);
    const lines = githubTexts
      .join("\n")
      .split("\n")
      .filter((line) => line.includes("uses:"));
    expect(lines.filter((line) => !/uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  it("take secrets from variables of the platform only", () => {
    const literal = assigned.filter((one) => !/=(\$\{\{ (secrets|vars|github)\.\w+ \}\}|\$\w+)$/.test(one));
    expect(literal).toEqual(["CHANGE=change", "GIT_DEPTH=0", "GIT_STRATEGY=clone", "GIT_CHECKOUT=false"]);
    expect(assigned.filter((one) => one.startsWith("PACKETFILTER_ALLOW"))).toEqual([]);
    // What GitHub hands to a step only by name; in GitLab every step has all variables.
    const handed = ["PULUMI_BACKEND_URL", "PULUMI_CONFIG_PASSPHRASE", "PACKETFILTER_ENDPOINT", "PACKETFILTER_HEADERS"];
    // Without the variable of the platform they are an empty text, with which credentials go nowhere.
    const hosts = assigned.filter((one) => one.startsWith("PACKETFILTER_CREDENTIAL_HOSTS="));
    expect(hosts.map((one) => one.replace(/^.*(vars\.|\$)/, ""))).toEqual([
      "PACKETFILTER_HOSTS }}",
      "PACKETFILTER_HOSTS",
    ]);
    expect(assigned.map((one) => one.split("=")[0])).toEqual(expect.arrayContaining([...handed, "GITHUB_TOKEN"]));
  });
});

/** A clone of the example with a stack `prod`, its main as `origin/main`; `npm` only notes how it is called. */
async function clone(variables: Record<string, string>) {
  const stack = await TestStack.create({ program: "", language: "typescript" });
  await cp(join(root, "examples", "ci-stack"), stack.folder, { recursive: true });
  await rename(join(stack.folder, "gitignore"), join(stack.folder, ".gitignore"));
  const npm = `#!/bin/sh\n[ "$3" != --prefix ] || ln -s "${stack.folder}/node_modules" "$4/node_modules"\necho "npm $*"\n`;
  await stack.write("node_modules/.bin/npm", npm);
  await chmod(join(stack.folder, "node_modules/.bin/npm"), 0o755);
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
  const step = async (text: string, env: Record<string, string>, folder = ".") => {
    const options = { cwd: join(stack.folder, folder), env: { ...env, CI: "true" } };
    const run = promisify(execFile)("bash", ["-eo", "pipefail", "-c", text], options);
    return run.then(
      ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
      ({ code, stdout, stderr }) => ({ code, text: stdout + stderr }),
    );
  };
  const must = async (text: string, env: Record<string, string> = runner, folder = ".") => {
    const { code, text: said } = await step(text, env, folder);
    expect(code, `${text}\n${said}`).toBe(0);
    return said;
  };
  await must("git init -q -b main && printf '/.home\\n/.backend\\n/.main\\n/.job\\n' >> .git/info/exclude");
  await must(`pulumi stack init prod ${SECRETS_PROVIDER}`, prod);
  await must("git add . && git commit -qm main");
  await must("git update-ref refs/remotes/origin/main HEAD");
  // Where comments are made: the default branch, on a machine of its own.
  await must("mkdir .main && git archive main | tar -x -C .main && ln -s ../node_modules .main/node_modules");
  const tracked = (clone: string) =>
    `git -C ${clone} update-ref refs/remotes/origin/main $(git rev-parse refs/remotes/origin/main)`;
  /** A new job of a platform for the commit that is checked out; resolves to how the review ended. */
  const review = async (platform: "github" | "gitlab", env: Record<string, string> = {}) => {
    const clone = platform === "github" ? ".job/change" : ".job";
    const checkout = platform === "github" ? "" : "--no-checkout";
    await must(`rm -rf .job && mkdir .job && git clone -q ${checkout} . ${clone} && ${tracked(clone)}`);
    const own = {
      github: { CHANGE: "change", GITHUB_BASE_REF: "main" },
      gitlab: {
        CI_COMMIT_SHA: (await must("git rev-parse HEAD")).trim(),
        CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
      },
    }[platform] satisfies Record<string, string> as Record<string, string>;
    const steps = githubSteps(happenings["merge request"]);
    for (const text of steps.slice(0, -1)) await must(text, { ...runner, ...own, ...env }, ".job");
    return step(steps.at(-1) ?? "", { ...runner, ...own, ...env }, ".job");
  };
  return { stack, step, must, runner, prod, review, [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose]() };
}

it("a merge request is judged on a copy of the node, main is applied, drift fails the schedule", async () => {
  const sets = { blocked: {}, partners: {} };
  await using node = await startEmulator({ state: { arenas: { edge: { sets } } }, auth: { bearer: "from-ci" } });
  await using repository = await clone({
    PACKETFILTER_ENDPOINT: node.endpoint,
    PACKETFILTER_HEADERS: '{"authorization":"Bearer from-ci"}',
    PACKETFILTER_CREDENTIAL_HOSTS: "http://127.0.0.1",
  });
  const { stack, step, must, runner, prod, review } = repository;
  const BLOCKED = "prefixset://edge/blocked";
  const [, comment = ""] = githubSteps(reviewed("example/edge"));

  // What the platforms say of merge request 7, and what its review left. On GitHub there are more comments than a page has.
  let touched: string[] = [];
  let links: string[] = [];
  let count = () => touched.length;
  const sha = "5".repeat(40);
  const link = "https://ci.example.com/runs/11";
  const left = (name: string) => () => readFileSync(join(stack.folder, name));
  const results = ".job/review-results";
  const zip = () => {
    const files = ["preview.json", "policies.ndjson"];
    execFileSync("python3", ["-m", "zipfile", "-c", "../../.main/review.zip", ...files], {
      cwd: join(stack.folder, results),
    });
    return left(".main/review.zip")();
  };
  // Every user may write the key of the report; another app or a person of the bot's name is not the job.
  const KEY = "<!-- pulumi-packetfilter report: edge-sets/prod -->";
  const bot = {
    user: { login: "github-actions[bot]", type: "Bot" },
    performed_via_github_app: { slug: "github-actions" },
  };
  const forged = (author: object) => ({ ...author, body: `${KEY}\nNo changes` });
  const others = [
    forged({ user: { login: "contributor", type: "User" } }),
    forged({ ...bot, performed_via_github_app: { slug: "another-app" } }),
    forged({ ...bot, performed_via_github_app: null }),
    ...Array.from({ length: 147 }, (_, index) => ({ ...bot, body: `comment ${index}` })),
  ];
  const api = "/repos/example/edge";
  const issues = `${api}/issues`;
  await using github = await startComments(
    {
      list: `${issues}/7/comments`,
      one: `${issues}/comments`,
      change: "PATCH",
      authorized: ({ authorization }) => authorization === "Bearer job-token",
      author: bot,
    },
    others,
    {
      [`${api}/pulls/7`]: () => ({ head: { sha }, changed_files: count() }),
      [`${api}/git/trees/${sha}`]: () => ({ tree: links.map((path) => ({ path, mode: "120000" })), truncated: false }),
      [`${api}/pulls/7/files`]: () => touched.map((filename) => ({ filename })),
      [`${api}/actions/runs/11/artifacts`]: () => ({ artifacts: [{ id: 5 }] }),
      [`${api}/actions/artifacts/5/zip`]: zip,
    },
  );
  const project = "/projects/42";
  const notes = `${project}/merge_requests/7/notes`;
  await using gitlab = await startComments(
    {
      list: notes,
      one: notes,
      change: "PUT",
      authorized: (headers) => headers["private-token"] === "review-token",
      author: { author: { id: 77 } },
    },
    [forged({ author: { id: 78 } })],
    {
      "/user": () => ({ id: 77 }),
      // Another comes from a fork, of which nothing is asked.
      [`${project}/merge_requests`]: () => [
        { iid: 8, sha, source_project_id: 43 },
        { iid: 7, sha, source_project_id: 42 },
      ],
      [`${project}/merge_requests/7/pipelines`]: () => [
        { id: 4, sha: "4".repeat(40), status: "success" },
        { id: 3, sha, status: "failed" },
      ],
      [`${project}/merge_requests/7`]: () => ({ changes_count: String(count()) }),
      [`${project}/merge_requests/7/diffs`]: () =>
        touched.map((path) => ({ new_path: path, old_path: path, b_mode: links.includes(path) ? "120000" : "100644" })),
      [`${project}/pipelines/3/jobs`]: () => [{ id: 9, name: "review", web_url: link }],
      [`${project}/jobs/9/artifacts/review-results/preview.json`]: left(`${results}/preview.json`),
      [`${project}/jobs/9/artifacts/review-results/policies.ndjson`]: left(`${results}/policies.ndjson`),
    },
  );
  const event = {
    repository: { default_branch: "main" },
    workflow_run: {
      id: 11,
      head_sha: sha,
      html_url: link,
      pull_requests: [
        { number: 7, base: { ref: "main" } },
        { number: 9, base: { ref: "other" } },
      ],
    },
  };
  await stack.write(".main/event.json", JSON.stringify(event));
  const onGithub = {
    ...runner,
    GITHUB_EVENT_PATH: "event.json",
    GITHUB_REPOSITORY: "example/edge",
    GITHUB_API_URL: github.url,
    GITHUB_TOKEN: "job-token",
  };
  const onGitlab = {
    ...runner,
    CI_API_V4_URL: gitlab.url,
    CI_PROJECT_ID: "42",
    CI_DEFAULT_BRANCH: "main",
    REVIEW_TOKEN: "review-token",
  };
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
  touched = ["blocked.yaml"];
  const allowed = await review("github");
  expect(allowed.code, allowed.text).toBe(0);
  await must(comment, onGithub, ".main");
  await must(comment, onGitlab, ".main");
  const preview = JSON.parse(await readFile(join(stack.folder, results, "preview.json"), "utf8"));
  const changed = preview.steps.filter(({ op }: { op: string }) => op !== "same");
  expect(changed.map(({ op, urn }: { op: string; urn: string }) => [op, urn.split("::").at(-1)])).toEqual([
    ["update", "blocked"],
  ]);
  // Inputs are the entries of blocked.yaml, with their notes.
  const written = (prefix: string) => ({
    "2001:db8:bad::/48": { value: 1, reason: "scanner", ticket: "INC-4712" },
    [prefix]: { value: 1, reason: "SYN flood", ticket: "INC-4711" },
  });
  expect(changed[0].oldState.inputs.entries).toEqual(written("203.0.113.0/25"));
  expect(changed[0].newState.inputs.entries).toEqual(written("203.0.113.0/26"));

  const [first = ""] = github.added();
  expect(first.split("\n")[0]).toBe(KEY);
  expect(first).toContain("203.0.113.0/26");
  expect(first).toMatch(/No finding of \d+ policies\.\n/);
  expect(first).not.toContain("touches what judges it");
  expect(gitlab.added()).toEqual([first]);

  // One that they forbid, and that would switch them off: GitLab names the commit that it is compared with. Policies and scripts
  // are those of the target branch, and the report takes the place of the first one.
  const base = (await must("git rev-parse HEAD")).trim();
  await stack.write("blocked.yaml", file.replace("203.0.113.0/25", "198.51.100.0/26"));
  await stack.write("packetfilter-policies.yaml", "rules: { protected-prefixes: disabled }\n");
  await stack.write("ci/review.sh", "#!/bin/sh\nexit 0\n");
  await stack.write(
    "index.ts",
    (await stack.read("index.ts")).replace("entries });", 'entries, maxRemovals: "100%" });'),
  );
  // It brings links under the names of what a review writes, which lead to what judges it and out of the checkout.
  const victim = join(stack.folder, ".home", "victim");
  await stack.write(".home/victim", "kept\n");
  for (const name of ["policies.ndjson", "preview.json"])
    await symlink(".target/packetfilter-policies.yaml", join(stack.folder, name));
  for (const name of ["Pulumi.review.yaml", "review-results"]) {
    await rm(join(stack.folder, name), { recursive: true, force: true });
    await symlink(victim, join(stack.folder, name));
  }
  links = ["policies.ndjson", "preview.json", "Pulumi.review.yaml", "review-results"];
  // And files that the CLI, npm, the language host, version managers and git find by their names: none of them acts.
  const pwned = join(stack.folder, ".home", "pwned");
  const strike = `require("node:fs").writeFileSync(${JSON.stringify(pwned)}, "");`;
  const shell = `#!/bin/sh\ntouch ${pwned}\n`;
  const acting = {
    "Pulumi.json": JSON.stringify({
      name: "edge-sets",
      runtime: { name: "nodejs", options: { nodeargs: "--require ./strike.cjs" } },
      plugins: { languages: [{ name: "nodejs", path: "./bin" }] },
    }),
    "bin/pulumi-language-nodejs": shell,
    "strike.cjs": strike,
    "index.js": strike,
    "tsconfig.json": '{ "ts-node": { "require": ["./strike.cjs"] } }',
    "npm-shrinkwrap.json": '{ "lockfileVersion": 3, "packages": {} }',
    "package.json":
      '{ "main": "strike.cjs", "scripts": { "preinstall": "node strike.cjs", "prepare": "node strike.cjs" } }',
    ".npmrc": "git=./bin/pulumi-language-nodejs\nnode-options=--require ./strike.cjs\n",
    ".nvmrc": "0.10\n",
    ".node-version": "0.10\n",
    ".gitattributes": "* export-ignore\n",
    ".target/ci/review.sh": shell,
    "node_modules/typescript/index.js": strike,
    "ci/strike.ts": strike,
  };
  await must("rm node_modules/typescript");
  for (const [name, text] of Object.entries(acting)) await stack.write(name, text);
  await must("chmod +x bin/* .target/ci/review.sh");
  await must(`git add -f ${[...links, ...Object.keys(acting)].join(" ")} && git commit -qam ours`);
  await must(`git rm -rq --cached node_modules && rm -r node_modules/typescript`);
  await symlink(join(root, "node_modules", "typescript"), join(stack.folder, "node_modules", "typescript"));
  const ours = ["blocked.yaml", "index.ts", "packetfilter-policies.yaml", "ci/review.sh"];
  touched = [...ours, ...links, ...Object.keys(acting)];
  const forbidden = await review("gitlab", { CI_MERGE_REQUEST_DIFF_BASE_SHA: base });
  expect(forbidden.code, forbidden.text).not.toBe(0);
  expect(forbidden.text).toContain("Policies that forbid it:\n  protected-prefixes: ");
  expect(forbidden.text).toContain("198.51.100.0/26 (lies in the owned prefix 198.51.100.0/24)");

  expect(await readFile(victim, "utf8")).toBe("kept\n");
  await expect(readFile(pwned)).rejects.toThrow("ENOENT");
  expect(await stack.read(".job/.target/packetfilter-policies.yaml")).toContain("unknownSets: mandatory");
  await must(comment, onGithub, ".main");
  await must(comment, onGitlab, ".main");
  const [second = ""] = github.added();
  expect(second.split("\n")[0]).toBe(KEY);
  expect(second).toContain("198.51.100.0/26 (lies in the owned prefix 198.51.100.0/24)");
  expect(second).toContain(
    "This change touches what judges it: policies, limits and settings of stacks, scripts and pipelines, dependencies, settings of Node and TypeScript, files that the review does not try, symbolic links.",
  );
  expect(second).toContain("> **Limits of resources: new: maxRemovals (1).**\n");
  expect([github.added(), gitlab.added()]).toEqual([[second], [second]]);
  expect(github.written).toEqual([`POST ${issues}/7/comments`, `PATCH ${issues}/comments/150`]);
  expect(gitlab.written).toEqual([`POST ${notes}`, `PUT ${notes}/1`]);

  // What a review left is data: where it is none that can be read, the comment says so, and shows nothing of it.
  await stack.write(`${results}/policies.ndjson`, "@everyone <img src=https://example.com/x>\n");
  await must(comment, onGithub, ".main");
  const [third = ""] = github.added();
  expect(third).toContain(`The review left nothing that can be reported: [its run](<${link}>) says why.`);
  expect(third).not.toContain("everyone");

  // One that no reader gets to the end of takes nothing from what the platform says, nor do more files than it lists. What
  // judges may be a link on the default branch: then what it leads to judges.
  await stack.write(`${results}/policies.ndjson`, '{"rules":1}\n');
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  const inputs = `{"inputs":{"maxRemovals":${deep}}}`;
  await stack.write(
    `${results}/preview.json`,
    `{"changeSummary":{},"steps":[{"op":"update","urn":"urn:pulumi:prod::p::t::n","oldState":${inputs},"newState":${inputs}}]}`,
  );
  await symlink("rules", join(stack.folder, ".main/policy-config.yaml"));
  touched = ["rules/prod.yaml"];
  links = [];
  count = () => 3_001;
  await must(comment, onGithub, ".main");
  await must(comment, onGitlab, ".main");
  const [fourth = ""] = github.added();
  expect(fourth).toContain("This change touches what judges it: policies, more files than the platform lists.");
  expect(gitlab.added()).toEqual([fourth]);

  const refused = await step(comment, { ...onGithub, GITHUB_TOKEN: "wrong-token" }, ".main");
  expect([refused.code, refused.text]).toEqual([1, expect.stringMatching(/^GET \S+: 401 /)]);
  expect(refused.text).not.toContain("wrong-token");

  // Neither left a trace in the repository, nor asked the real node anything.
  expect(await must("git status --short -- :^node_modules")).toBe("");
  expect(node.journal.length).toBe(asked);

  // Another writer changes the node: the gate fails, and nothing is sent.
  await must("git checkout -q main~2");
  node.change(BLOCKED, { insert: { "192.0.2.64/26": 9 } });
  const sent = since(node);
  const gate = await step(drift, prod);
  expect(gate.code, gate.text).not.toBe(0);
  expect(gate.text).toContain("192.0.2.64/26");
  expect(sent()).toEqual([]);
});
