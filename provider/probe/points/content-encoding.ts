import { Skipped } from "../asking/outcome";
import { point } from "../point";

/** A request that says that it is compressed, and is not. */
export const contentEncoding = point({
  name: "content-encoding",
  title: "the header Content-Encoding",
  needs: "lists",
  assumes: "never sent",
  finds: ["contentEncoding"],
  ask: async (bench) => {
    const url = bench.targets.first;
    if (!url) throw new Skipped("no url is named");
    const plain = await bench.list(url);
    const headers = { "content-encoding": "gzip" };
    const answer = await bench.list(url, { headers, asked: "list with Content-Encoding: gzip" });
    return { answer, isRefused: answer.isRefusal && (!plain.isRefusal || answer.words !== plain.words) };
  },
  judge: ({ answer, isRefused }) => ({
    node: isRefused ? "looked at: a request that only claims to be compressed is refused" : "not looked at",
    evidence: [answer.evidence],
  }),
  dialect: ({ isRefused }) => ({ contentEncoding: isRefused ? "refused" : "ignored" }),
});
