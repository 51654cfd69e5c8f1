import { formatUrl } from "../../model/resource-url";
import { Skipped } from "../asking/outcome";
import { point } from "../point";

/** A name that stands twice in the JSON of a request. */
export const duplicateMembers = point({
  name: "duplicate-members",
  title: "a name twice in one request",
  needs: "lists",
  assumes: "never sent",
  finds: ["duplicateMembers"],
  ask: async (bench) => {
    const url = bench.targets.first;
    if (!url) throw new Skipped("no url is named");
    const plain = await bench.list(url);
    const body = `{"url":${JSON.stringify(formatUrl(url))},"cmd":"list","cmd":"list"}`;
    const answer = await bench.ask({ url, command: "list", body, asked: "list with cmd twice" });
    return { answer, isRefused: answer.isRefusal && (!plain.isRefusal || answer.words !== plain.words) };
  },
  judge: ({ answer, isRefused }) => ({ node: isRefused ? "refused" : "accepted", evidence: [answer.evidence] }),
  dialect: ({ isRefused }) => ({ duplicateMembers: isRefused ? "error" : "last" }),
});
