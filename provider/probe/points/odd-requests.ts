import { formatUrl, type ResourceUrl } from "../../model/resource-url";
import type { Question } from "../asking/bench";
import { point } from "../point";

/** A list that is odd in one way, beside a plain one of the same url. */
interface OddList {
  readonly name: string;
  readonly title: string;
  readonly assumes: string;
  odd(url: ResourceUrl): Partial<Question>;
  /** The switch that it finds, and what to say and set where the odd list is refused and where it is not. */
  readonly finds: string;
  readonly refused: { readonly node: string; readonly setting: string };
  readonly taken: { readonly node: string; readonly setting: string };
}

function oddList({ name, title, assumes, odd, finds, refused, taken }: OddList) {
  return point({
    name,
    title,
    needs: "lists",
    assumes,
    finds: [finds],
    ask: async (bench) => {
      const plain = await bench.list(bench.first);
      const answer = await bench.list(bench.first, odd(bench.first));
      // Where the plain list is refused too, only a refusal of another kind says something about the odd one.
      const isRefused = answer.isRefusal && (!plain.isRefusal || answer.quote !== plain.quote);
      return { answer, ...(isRefused ? refused : taken) };
    },
    judge: ({ answer, node }) => ({ node, evidence: [answer.evidence] }),
    dialect: ({ setting }) => ({ [finds]: setting }),
  });
}

/** Whether a `/` at the end of a url matters. */
export const slash = oddList({
  name: "trailing-slash",
  title: "a / at the end of a url",
  assumes: "sent as the contract shows: only in the commit of a global set",
  odd: (url) => ({ body: JSON.stringify({ url: `${formatUrl(url)}/`, cmd: "list" }), asked: "list with /" }),
  finds: "trailingSlash",
  refused: { node: "refused in a list", setting: "strict" },
  taken: { node: "taken for the same resource", setting: "any" },
});

/** A name that stands twice in the JSON of a request. */
export const duplicateMembers = oddList({
  name: "duplicate-members",
  title: "a name twice in one request",
  assumes: "never sent",
  odd: (url) => ({
    body: `{"url":${JSON.stringify(formatUrl(url))},"cmd":"list","cmd":"list"}`,
    asked: "list with cmd twice",
  }),
  finds: "duplicateMembers",
  refused: { node: "refused", setting: "error" },
  taken: { node: "accepted", setting: "last" },
});

/** A request that says that it is compressed, and is not. */
export const contentEncoding = oddList({
  name: "content-encoding",
  title: "the header Content-Encoding",
  assumes: "never sent",
  odd: () => ({ headers: { "content-encoding": "gzip" }, asked: "list with Content-Encoding: gzip" }),
  finds: "contentEncoding",
  refused: { node: "looked at: a request that only claims to be compressed is refused", setting: "refused" },
  taken: { node: "not looked at", setting: "ignored" },
});

/** How the node says no to what it cannot carry out at all. */
export const errorForm = point({
  name: "error-form",
  title: "a command that does not exist",
  needs: "set",
  assumes: "an error, by status or by what the body says",
  finds: ["errorForm"],
  ask: (bench) => {
    const { url } = bench.set;
    return bench.list(url, { body: JSON.stringify({ url: formatUrl(url), cmd: "probe" }), asked: "cmd probe" });
  },
  judge: (answer) => ({
    node: answer.isRefusal ? `an error with status ${answer.status}` : "no error",
    evidence: [answer.evidence],
  }),
  dialect: (answer) => (answer.isRefusal ? { errorForm: answer.errorForm } : {}),
});
