import { formatUrl, type ResourceUrl } from "../../model/resource-url";
import { readPrefixSetList } from "../../wire/prefix-set-list";
import { readProfileList } from "../../wire/record-lists";
import type { Answer } from "../asking/answer";
import type { Question } from "../asking/asker";
import type { Bench } from "../asking/bench";
import { Skipped } from "../asking/outcome";
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
      const plain = await bench.list(bench.first);
      const answer = await bench.list(bench.first, odd(bench.first));
      // If the plain list is refused too, only another refusal says something about the odd one.
      const isRefused = answer.isRefusal && (!plain.isRefusal || answer.quote !== plain.quote);
      const isSame = answer.status === plain.status && answer.body === plain.body;
      if (!isRefused && !isSame && !isRead(bench, plain)) throw new Skipped("lists cannot be read, and the two differ");
      const { node, setting } = isRefused ? refused : taken;
      return () => ({ node, evidence: [answer], dialect: { [finds]: setting } });
    },
  });
}

function isRead(bench: Bench, answer: Answer): boolean {
  const url = bench.first;
  const reading =
    url.kind === "prefixset" ? bench.read(answer, url, readPrefixSetList) : bench.read(answer, url, readProfileList);
  return reading.kind !== "unexpected";
}
