import { isDeepStrictEqual } from "node:util";
import { formatUrl, type ResourceUrl } from "../../model/resource-url";
import type { Answer } from "../asking/answer";
import type { Question } from "../asking/asker";
import type { Bench } from "../asking/bench";
import { elementsIn } from "../asking/listing";
import { Skipped } from "../asking/outcome";
import { type Conclusion, type Point, pointsNeeding } from "../point";

/** A list that is odd in one way, compared with a plain one of the same url. */
interface OddList extends Pick<Point, "name" | "title" | "assumes"> {
  odd(url: ResourceUrl): Partial<Question>;
  /** The switch that it finds, and behaviour and setting where it is refused or taken. */
  readonly finds: string;
  readonly refused: readonly [node: string, setting: string];
  readonly taken: readonly [node: string, setting: string];
}

const ODD: readonly OddList[] = [
  {
    name: "trailing-slash",
    title: "a / at the end of a url",
    assumes: "sent as the contract shows: only in the commit of a global set",
    odd: (url) => ({ body: JSON.stringify({ url: `${formatUrl(url)}/`, cmd: "list" }), asked: "list with /" }),
    finds: "trailingSlash",
    refused: ["refused in a list", "strict"],
    taken: ["accepted as the same resource", "any"],
  },
  {
    name: "duplicate-members",
    title: "a member twice in one request",
    assumes: "never sent",
    odd: (url) => ({
      body: `{"url":${JSON.stringify(formatUrl(url))},"cmd":"list","cmd":"list"}`,
      asked: "list with cmd twice",
    }),
    finds: "duplicateMembers",
    refused: ["refused", "error"],
    taken: ["accepted", "last"],
  },
  {
    name: "content-encoding",
    title: "the header Content-Encoding",
    assumes: "never sent",
    odd: () => ({ headers: { "content-encoding": "gzip" }, asked: "list with Content-Encoding: gzip" }),
    finds: "contentEncoding",
    refused: ["obeyed: a request that only claims to be compressed is refused", "refused"],
    taken: ["ignored", "ignored"],
  },
];

export const oddRequests: readonly Point[] = pointsNeeding("lists")(
  ...ODD.map(({ odd, finds, refused, taken, ...point }) => ({
    ...point,
    ask: async (bench: Bench) => {
      const { url, plain, read } = await filledList(bench);
      const answer = await bench.list(url, odd(url));
      // The node may refuse everything meanwhile.
      const after = answer.isRefusal ? await bench.list(url) : plain;
      const evidence = [answer];
      return (): Conclusion => {
        if ((read(after)?.length ?? 0) === 0)
          return { is: "always", as: "unknown", node: "the plain list is refused as well", evidence: [answer, after] };
        const isTaken = isDeepStrictEqual(read(answer), read(plain));
        if (!isTaken && !answer.isRefusal)
          return {
            is: "unlike",
            as: "unknown",
            node: "an answer that is neither the list nor a known error",
            evidence,
          };
        const [node, setting] = isTaken ? taken : refused;
        return { is: isTaken ? "taken" : "refused", as: "dialect", node, evidence, dialect: { [finds]: setting } };
      };
    },
  })),
);

/** An entry that the set to write to holds while its list is compared with others. */
const HELD = "203.0.113.0/24";

/** A list that holds something, by which others are judged. */
interface FilledList {
  readonly url: ResourceUrl;
  readonly plain: Answer;
  /** The elements of another answer; `undefined` if it is not such a list. */
  read(answer: Answer): readonly unknown[] | undefined;
}

/**
 * Lists the set to write to with an entry in it, or else the first named resource that lists anything.
 *
 * @throws {Skipped} if nothing lists anything: an empty list is the same as a refusal in an unknown form.
 */
export async function filledList(bench: Bench): Promise<FilledList> {
  const { work, targets, learned } = bench;
  if (work?.isProved) await work.hold([[HELD, 1]]);
  const urls = [...(work ? [work.url] : []), ...targets.sets, ...targets.arenas, ...targets.profiles];
  for (const url of urls) {
    const plain = await bench.list(url);
    const read = (answer: Answer) => elementsIn({ answer, url }, learned.answers);
    if ((read(plain)?.length ?? 0) > 0) return { url, plain, read };
  }
  throw new Skipped("no list holds anything that other answers can be compared with");
}
