import { formatUrl } from "../../model/resource-url";
import { Skipped } from "../asking/outcome";
import { point } from "../point";

/** Whether a `/` at the end of a url matters. */
export const slash = point({
  name: "trailing-slash",
  title: "a / at the end of a url",
  needs: "lists",
  assumes: "sent as the contract shows: only in the commit of a global set",
  finds: ["trailingSlash"],
  ask: async (bench) => {
    const url = bench.targets.first;
    if (!url) throw new Skipped("no url is named");
    const plain = await bench.list(url);
    const body = JSON.stringify({ url: `${formatUrl(url)}/`, cmd: "list" });
    const answer = await bench.ask({ url, command: "list", body, asked: "list with /" });
    // Where the list is refused anyhow, only a refusal of another kind says something about the slash.
    const isStrict = answer.isRefusal && (!plain.isRefusal || answer.words !== plain.words);
    return { answer, isStrict };
  },
  judge: ({ answer, isStrict }) => ({
    node: isStrict ? "refused in a list" : "taken for the same resource",
    evidence: [answer.evidence],
  }),
  dialect: ({ isStrict }) => ({ trailingSlash: isStrict ? "strict" : "any" }),
});
