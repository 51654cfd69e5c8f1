// The last review of each open merge request of this project, by the API of GitLab. Forks are left out: their pipelines, and
// what those leave, are in a project of their own.

const MOST_BYTES = 32 * 2 ** 20;

/** The mode of a symbolic link in a tree of git. */
const LINK = "120000";

export async function* gitlabReviews(env, { call, all, bounded }) {
  if (!env.REVIEW_TOKEN)
    throw new Error("REVIEW_TOKEN is not set: it is protected, and for jobs of the default branch only.");
  const api = `${env.CI_API_V4_URL}/projects/${env.CI_PROJECT_ID}`;
  // A job's own token may not write notes.
  const headers = { "private-token": env.REVIEW_TOKEN };
  const { id: own } = await (await call("GET", `${env.CI_API_V4_URL}/user`, headers)).json();
  const open = await all(
    `${api}/merge_requests?state=opened&target_branch=${encodeURIComponent(env.CI_DEFAULT_BRANCH)}`,
    headers,
  );
  for (const { iid, sha, source_project_id } of open) {
    if (String(source_project_id) !== env.CI_PROJECT_ID) continue;
    const pipelines = await all(`${api}/merge_requests/${iid}/pipelines`, headers);
    const pipeline = pipelines.find((one) => one.sha === sha && ["success", "failed"].includes(one.status));
    if (pipeline === undefined) continue;
    const review = (await all(`${api}/pipelines/${pipeline.id}/jobs`, headers)).find(({ name }) => name === "review");
    if (review === undefined) continue;
    const notes = `${api}/merge_requests/${iid}/notes`;
    const artefact = async (name) =>
      bounded(await call("GET", `${api}/jobs/${review.id}/artifacts/review-results/${name}`, headers), MOST_BYTES);
    yield {
      link: review.web_url,
      comments: {
        list: notes,
        one: (id) => `${notes}/${id}`,
        change: "PUT",
        headers,
        isOwn: ({ author }) => author?.id === own,
      },
      async files() {
        const files = await all(`${api}/merge_requests/${iid}/diffs`, headers);
        const one = await (await call("GET", `${api}/merge_requests/${iid}`, headers)).json();
        return {
          paths: files.flatMap(({ new_path, old_path }) => [new_path, old_path]),
          links: files.flatMap(({ b_mode, new_path }) => (b_mode === LINK ? [new_path] : [])),
          // A text such as "12", or "1000+" where it counts no further.
          whole: files.length >= Number(one.changes_count),
        };
      },
      artefacts: async () => ({
        preview: await artefact("preview.json"),
        policies: await artefact("policies.ndjson"),
      }),
    };
  }
}
