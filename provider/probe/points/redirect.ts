import { NODE_PATH } from "../../wire/node-command";
import { Skipped } from "../asking/outcome";
import { point } from "../point";

/** Whether the address of the node sends callers elsewhere. */
export const redirect = point({
  name: "redirect",
  title: "redirects",
  needs: "lists",
  assumes: "307 and 308 are followed within one origin, all others fail",
  finds: ["redirect"],
  ask: async (bench) => {
    const { first } = bench.targets;
    if (!first) throw new Skipped("no url is named");
    const answer = await bench.list(first, { follows: false });
    const location = answer.status >= 300 && answer.status < 400 ? answer.header("location") : undefined;
    if (location === undefined) return { answer };
    const target = new URL(location, `${bench.endpoint}${NODE_PATH}`);
    const isElsewhere = target.origin !== new URL(bench.endpoint).origin;
    const endpoint = `${target.origin}${target.pathname}`.replace(/\/+$/, "").replace(/\/fapi$/, "");
    const isFollowed = !isElsewhere && (answer.status === 307 || answer.status === 308);
    // Credentials go to no other origin than the one that they were given for.
    if (isElsewhere) bench.blocked = `the node redirects to another origin: probe ${endpoint}`;
    else if (!isFollowed) bench.move(endpoint);
    return { answer, endpoint, isElsewhere, isFollowed };
  },
  judge: ({ answer, endpoint, isFollowed }) =>
    endpoint === undefined
      ? { node: "none" }
      : {
          node: `${answer.status} to ${endpoint}`,
          evidence: [answer.evidence],
          ...(isFollowed && { advice: "followed" }),
        },
  settings: ({ endpoint, isFollowed }) => (endpoint === undefined || isFollowed ? {} : { endpoint }),
  dialect: ({ answer, endpoint, isElsewhere }) => {
    if (endpoint === undefined) return { redirect: "none" };
    if (isElsewhere) return { redirect: "307-elsewhere" };
    return { redirect: [301, 302, 307, 308].includes(answer.status) ? String(answer.status) : "302" };
  },
});
