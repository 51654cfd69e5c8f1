// Puts a report under the merge request, in place of the one that an earlier run put there: node ci/comment.mjs report.md
//
// The report's first line is hidden and always the same for one stack; the comment that begins with it is the earlier one.
// Where, and who may write, come from the variables of GitHub Actions or GitLab CI.

import { readFile } from "node:fs/promises";

const PER_PAGE = 100;

/** The comments of this merge request: their address, the method that changes one, and the header with the token. */
function platform(env) {
  if (env.GITHUB_API_URL !== undefined) {
    // In a run for a pull request the ref is its number and "/merge".
    const [number] = needed(env, "GITHUB_REF_NAME").split("/");
    const repository = `${env.GITHUB_API_URL}/repos/${needed(env, "GITHUB_REPOSITORY")}`;
    return {
      list: `${repository}/issues/${number}/comments`,
      one: (id) => `${repository}/issues/comments/${id}`,
      change: "PATCH",
      headers: { accept: "application/vnd.github+json", authorization: `Bearer ${needed(env, "GITHUB_TOKEN")}` },
    };
  }
  const project = `${needed(env, "CI_API_V4_URL")}/projects/${needed(env, "CI_PROJECT_ID")}`;
  const list = `${project}/merge_requests/${needed(env, "CI_MERGE_REQUEST_IID")}/notes`;
  // A job's own token may not write notes.
  const headers = { "private-token": needed(env, "REVIEW_TOKEN") };
  return { list, one: (id) => `${list}/${id}`, change: "PUT", headers };
}

function needed(env, name) {
  if (!env[name])
    throw new Error(`${name} is not set: this runs for merge requests only, with a token that may comment.`);
  return env[name];
}

async function call(method, url, headers, body) {
  const answer = await fetch(url, {
    method,
    headers: { ...headers, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** The comment of an earlier run, however many others there are. */
async function earlier({ list, headers }, key) {
  for (let page = 1; ; page++) {
    const comments = await call("GET", `${list}?per_page=${PER_PAGE}&page=${page}`, headers);
    const found = comments.find(({ body }) => body?.split(/\r?\n/, 1)[0] === key);
    if (found !== undefined || comments.length < PER_PAGE) return found;
  }
}

try {
  const body = await readFile(process.argv[2] ?? "report.md", "utf8");
  const [key] = body.split("\n", 1);
  if (!/^<!--.*-->$/.test(key)) throw new Error("The report does not begin with a hidden line: make it with --key.");
  const here = platform(process.env);
  const found = await earlier(here, key);
  if (found === undefined) await call("POST", here.list, here.headers, { body });
  else await call(here.change, here.one(found.id), here.headers, { body });
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
