// Puts the report of a review under its merge request, in place of the one of an earlier review: node ci/comment.mjs
//
// Runs with a token that may comment, so with code of the target branch only. What a review left was made by a job that ran
// the code of the change: it is data, of bounded size, which the report of this branch reads; it names neither the merge
// request nor the files that the change touches. Those come from the platform.

import { execFile } from "node:child_process";
import { mkdtemp, readdir, readlink, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { ACTING, isOther } from "./files.mjs";
import { githubReviews } from "./github.mjs";
import { gitlabReviews } from "./gitlab.mjs";
import { limitsIn } from "./limits.mjs";

const STACK = "edge-sets/prod";
const KEY = `<!-- pulumi-packetfilter report: ${STACK} -->`;
const PER_PAGE = 100;

/** A request to the platform; a failure names method and address, never the token. */
async function call(method, url, headers, body) {
  const answer = await fetch(url, {
    method,
    headers: { ...headers, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${(await answer.text()).slice(0, 500)}`);
  return answer;
}

/** All pages of a list. */
async function all(url, headers) {
  const found = [];
  for (let page = 1; ; page++) {
    const more = await (
      await call("GET", `${url}${url.includes("?") ? "&" : "?"}per_page=${PER_PAGE}&page=${page}`, headers)
    ).json();
    found.push(...more);
    if (more.length < PER_PAGE) return found;
  }
}

/** The body of an answer, of so many bytes at most. */
async function bounded(answer, most) {
  const parts = [];
  let size = 0;
  for await (const part of answer.body) {
    size += part.length;
    if (size > most) throw new Error(`${answer.url.split("?")[0]} is larger than ${most} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** The report as this branch makes it; nothing of the review gets into a comment in another way. */
async function reportOf({ preview, policies }, link) {
  const folder = await mkdtemp(join(tmpdir(), "review-"));
  try {
    await writeFile(join(folder, "preview.json"), preview);
    await writeFile(join(folder, "policies.ndjson"), policies);
    const { GITHUB_TOKEN: _, REVIEW_TOKEN: __, ...env } = process.env;
    const args = ["report", "preview.json", "--policies", "policies.ndjson", "--key", STACK, "--link", link];
    const bin = join(process.cwd(), "node_modules/.bin/pulumi-packetfilter");
    // A report of a preview that failed ends with 1, and is one.
    const { stdout } = await promisify(execFile)(bin, args, { cwd: folder, env, timeout: 60_000 }).catch(
      (error) => error,
    );
    return stdout?.startsWith(`${KEY}\n`) ? stdout : undefined;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Which of what judges a change is a part of it, in words of this file: by what the platform lists alone, since all that the
 * review left is of the change's own making.
 *
 * @param files Paths that the change touches, and those of links that it brings; `whole` is false where the platform does not list all of it.
 */
async function touched({ paths, links, whole }) {
  // What judges may be a link on the default branch: then what it leads to judges.
  const judges = Object.entries(ACTING).map(([kind, pattern]) => ({ kind, judges: (path) => pattern.test(path) }));
  for await (const link of linksIn(".")) {
    const found = judges.find((one) => one.judges(link));
    const to = relative(process.cwd(), await realpath(link).catch(() => dangling(link)));
    if (found) judges.push({ kind: found.kind, judges: (path) => path === to || path.startsWith(`${to}/`) });
  }
  const others = paths.filter(
    (path) => isOther(path) && !links.includes(path) && !judges.some((one) => one.judges(path)),
  );
  return [
    ...new Set(judges.filter((one) => paths.some(one.judges)).map(({ kind }) => kind)),
    ...(others.length > 0 ? ["files that the review does not try"] : []),
    ...(links.length > 0 ? ["symbolic links"] : []),
    ...(whole ? [] : ["more files than the platform lists"]),
  ];
}

/** Target of a link that does not exist yet. */
async function dangling(link) {
  return resolve(dirname(link), await readlink(link));
}

async function* linksIn(folder) {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) yield path;
    else if (entry.isDirectory() && !["node_modules", ".git"].includes(entry.name)) yield* linksIn(path);
  }
}

async function bodyOf(review) {
  let left;
  try {
    left = await review.artefacts();
  } catch (error) {
    console.error(error.message);
  }
  const report = left && (await reportOf(left, review.link));
  const kinds = await touched(await review.files());
  const words =
    report?.slice(KEY.length + 1) ??
    `### Packet filter\n\nThe review left nothing that can be reported: [its run](<${review.link}>) says why.\n`;
  const notice =
    kinds.length === 0
      ? ""
      : `> **This change touches what judges it: ${kinds.join(", ")}.** The review used those of the target branch, so it says nothing about these files: look at them first.\n\n`;
  return `${KEY}\n${notice}${report ? limitsIn(left.preview) : ""}${words}`;
}

try {
  const reviews = process.env.GITHUB_API_URL === undefined ? gitlabReviews : githubReviews;
  // One that cannot be commented on does not keep the others from it.
  for await (const review of reviews(process.env, { call, all, bounded })) await comment(review).catch(failed);
} catch (error) {
  failed(error);
}

async function comment(review) {
  const { list, one, change, headers, isOwn } = review.comments;
  const body = await bodyOf(review);
  const isKept = (comment) => isOwn(comment) && comment.body?.split(/\r?\n/, 1)[0] === KEY;
  const earlier = (await all(list, headers)).find(isKept);
  if (earlier === undefined) await call("POST", list, headers, { body });
  else if (earlier.body !== body) await call(change, one(earlier.id), headers, { body });
}

function failed(error) {
  console.error(error.message);
  process.exitCode = 1;
}
