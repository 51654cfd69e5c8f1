import { isDeepStrictEqual } from "node:util";
import { formatUrl, type ResourceUrl } from "../../model/resource-url";
import type { Question } from "../asking/asker";
import { filledList } from "../asking/filled-list";
import { type Point, pointNeeding } from "../point";

const point = pointNeeding("lists");

/** A list that is odd in one way, compared with a plain one of the same url. */
interface OddList {
  readonly name: string;
  readonly title: string;
  readonly assumes: string;
  odd(url: ResourceUrl): Partial<Question>;
  /** The switch that it finds, and texts and settings for both outcomes. */
  readonly finds: string;
  readonly refused: { readonly node: string; readonly setting: string };
  readonly taken: { readonly node: string; readonly setting: string };
}

/** Odd requests for lists. */
export const oddRequests: readonly Point[] = [
  oddList({
    name: "trailing-slash",
    title: "a / at the end of a url",
    assumes: "sent as the contract shows: only in the commit of a global set",
    odd: (url) => ({ body: JSON.stringify({ url: `${formatUrl(url)}/`, cmd: "list" }), asked: "list with /" }),
    finds: "trailingSlash",
    refused: { node: "refused in a list", setting: "strict" },
    taken: { node: "accepted as the same resource", setting: "any" },
  }),
  oddList({
    name: "duplicate-members",
    title: "a member twice in one request",
    assumes: "never sent",
    odd: (url) => ({
      body: `{"url":${JSON.stringify(formatUrl(url))},"cmd":"list","cmd":"list"}`,
      asked: "list with cmd twice",
    }),
    finds: "duplicateMembers",
    refused: { node: "refused", setting: "error" },
    taken: { node: "accepted", setting: "last" },
  }),
  oddList({
    name: "content-encoding",
    title: "the header Content-Encoding",
    assumes: "never sent",
    odd: () => ({ headers: { "content-encoding": "gzip" }, asked: "list with Content-Encoding: gzip" }),
    finds: "contentEncoding",
    refused: { node: "obeyed: a request that only claims to be compressed is refused", setting: "refused" },
    taken: { node: "ignored", setting: "ignored" },
  }),
];

function oddList({ name, title, assumes, odd, finds, refused, taken }: OddList) {
  return point({
    name,
    title,
    assumes,
    finds: [finds],
    ask: async (bench) => {
      const { url, plain, read } = await filledList(bench);
      const answer = await bench.list(url, odd(url));
      // The node may refuse everything meanwhile.
      const after = answer.isRefusal ? await bench.list(url) : plain;
      return () => {
        const evidence = [answer, after];
        if ((read(after)?.length ?? 0) === 0)
          return { found: "assumed", node: "the plain list is refused as well", evidence };
        if (isDeepStrictEqual(read(answer), read(plain)))
          return { node: taken.node, evidence: [answer], dialect: { [finds]: taken.setting } };
        if (answer.isRefusal) return { node: refused.node, evidence: [answer], dialect: { [finds]: refused.setting } };
        return { found: "assumed", node: "an answer that is neither the list nor a known error", evidence: [answer] };
      };
    },
  });
}
