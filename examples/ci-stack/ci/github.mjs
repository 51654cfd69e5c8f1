// The review that has just ended, from the event `workflow_run` of GitHub Actions. The event is GitHub's; the archive that the
// review left is not: it is never unpacked into a folder, and two members of it are read up to a size.

import { readFile } from "node:fs/promises";
import { inflateRawSync } from "node:zlib";

const MOST_BYTES = 32 * 2 ** 20;

/** The mode of a symbolic link in a tree of git. */
const LINK = "120000";

export async function* githubReviews(env, { call, all, bounded }) {
  const { workflow_run: run, repository } = JSON.parse(await readFile(env.GITHUB_EVENT_PATH, "utf8"));
  const api = `${env.GITHUB_API_URL}/repos/${env.GITHUB_REPOSITORY}`;
  const headers = { accept: "application/vnd.github+json", authorization: `Bearer ${env.GITHUB_TOKEN}` };
  const ours = run.pull_requests.filter(({ base }) => base.ref === repository.default_branch);
  for (const { number } of ours) {
    const { head, changed_files: count } = await (await call("GET", `${api}/pulls/${number}`, headers)).json();
    // A review of a newer commit is on its way.
    if (head.sha !== run.head_sha) continue;
    yield {
      link: run.html_url,
      comments: {
        list: `${api}/issues/${number}/comments`,
        one: (id) => `${api}/issues/comments/${id}`,
        change: "PATCH",
        headers,
        // Every user may write the key; the token of a job may not ask who it is.
        isOwn: ({ user, performed_via_github_app: app }) =>
          user?.login === "github-actions[bot]" && user.type === "Bot" && app?.slug === "github-actions",
      },
      async files() {
        const files = await all(`${api}/pulls/${number}/files`, headers);
        const { tree, truncated } = await (
          await call("GET", `${api}/git/trees/${head.sha}?recursive=1`, headers)
        ).json();
        const names = new Set(files.map(({ filename }) => filename));
        return {
          paths: files.flatMap(({ filename, previous_filename }) => [filename, previous_filename ?? filename]),
          links: tree.flatMap(({ mode, path }) => (mode === LINK && names.has(path) ? [path] : [])),
          whole: files.length >= count && !truncated,
        };
      },
      async artefacts() {
        const answer = await call("GET", `${api}/actions/runs/${run.id}/artifacts?name=review`, headers);
        const [artefact] = (await answer.json()).artifacts;
        if (artefact === undefined) throw new Error("The review left no artefact.");
        const zip = await bounded(
          await call("GET", `${api}/actions/artifacts/${artefact.id}/zip`, headers),
          MOST_BYTES,
        );
        const member = (name) => memberOf(zip, name);
        return { preview: member("preview.json"), policies: member("policies.ndjson") };
      },
    };
  }
}

/** A member of a zip archive (APPNOTE 4.3), which may say anything of its size. */
function memberOf(zip, wanted) {
  const end = zip.lastIndexOf("PK\x05\x06");
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const name = zip.toString("utf8", at + 46, at + 46 + zip.readUInt16LE(at + 28));
    if (name === wanted) {
      const local = zip.readUInt32LE(at + 42);
      const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
      const data = zip.subarray(start, start + zip.readUInt32LE(at + 20));
      return zip.readUInt16LE(at + 10) === 0 ? data : inflateRawSync(data, { maxOutputLength: MOST_BYTES });
    }
    at += 46 + zip.readUInt16LE(at + 28) + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  throw new Error(`The review left no ${wanted}.`);
}
