import { isDeepStrictEqual } from "node:util";
import { commitCommand, listCommand } from "../../wire/node-command";
import type { Answer } from "../asking/answer";
import { isSame } from "../asking/baseline";
import type { Bench } from "../asking/bench";
import { Unclear } from "../asking/outcome";
import { type Point, pointsNeeding } from "../point";
import { filledList } from "./odd-requests";

/** Rounds of two requests at once, and refusals that settle the point: a single one may have another reason. */
const ROUNDS = { most: 3, refused: 2 };

export const atOnce: readonly Point[] = pointsNeeding("lists")({
  name: "requests-at-once",
  title: "two requests at once",
  assumes: "up to `maxConcurrency` (4); one at a time once the node says that it is busy",
  settles: ["maxConcurrency"],
  ask: async (bench) => {
    const { url, read } = await filledList(bench);
    const question = { url, command: "list", body: listCommand(url), asked: "list" } as const;
    // Another writer may change the list meanwhile, or empty it.
    const isTaken = (answer: Answer | undefined) => answer !== undefined && (read(answer)?.length ?? 0) > 0;
    const refused: (Answer | undefined)[] = [];
    for (let round = 0; round < ROUNDS.most; round++) {
      const answers = await bench.askTwice({ ...question, asked: "one of two lists at once" });
      const unlike = answers.filter((answer) => !isTaken(answer));
      if (unlike.length === 0) continue;
      // If the node answers this one in the same way, or not at all, the reason is another.
      const alone = await bench.ask(question);
      const others = unlike.filter((answer) => !answer || !isDeepStrictEqual(read(answer), read(alone)));
      refused.push(...others.slice(0, 1));
    }
    if (refused.length < ROUNDS.refused) return { is: "both", as: "contract", node: "both are answered" };
    const [first] = refused;
    const node = `reads one request at a time: ${first ? `one of two is answered ${first.quote}` : "of two one breaks off"}`;
    return { is: "one", as: "setting", node, evidence: [first], settings: { maxConcurrency: 1 } };
  },
});

const STAGED = { separate: "192.0.2.0/24", withCookies: "198.51.100.0/24" } as const;

export const sessions: readonly Point[] = pointsNeeding(
  "set",
  "entries",
)({
  name: "staging-session",
  title: "staging by session or connection",
  assumes: "any commit publishes staged changes; cookies are kept and sent again",
  settles: ["maxConcurrency"],
  ask: async (bench) => {
    const [name] = bench.cookies.names;
    const plain = await committedSeparately(bench, STAGED.separate, false);
    if (plain.isShown) {
      const cookie = name === undefined ? "" : `; it sets a cookie, ${name}, on which staging does not depend`;
      const node = `a commit publishes changes that were staged on any connection${cookie}`;
      return { is: "any", as: "contract", node };
    }
    const { commit, list, shown } = await bench.set.committed((one) => isListed(bench, one, STAGED.separate));
    if (!shown) throw new Unclear("a commit of staged changes has no effect", [commit, list]);
    const apart = name === undefined ? plain : await committedSeparately(bench, STAGED.withCookies, true);
    if (name !== undefined && apart.isShown) {
      const node = `staged changes belong to a session, which Set-Cookie (${name}) tells`;
      const advice =
        "served: every client of this package keeps a node's cookies; what is staged elsewhere is not seen";
      return { is: "session", as: "beyond", node, advice };
    }
    if (apart.refusal) throw new Unclear("a commit over another connection is refused", [apart.refusal]);
    const node = "staged changes belong to the connection on which they came";
    const advice = "served with `maxConcurrency: 1`: insert and commit go over one connection";
    return { is: "connection", as: "setting", node, advice, settings: { maxConcurrency: 1 } };
  },
});

/** Stages an entry, commits over another connection, and looks whether a third one lists it. */
async function committedSeparately(bench: Bench, prefix: string, withCookies: boolean) {
  const { url } = bench.set;
  const nothing = await bench.set.commit("commit of nothing");
  const staged = await bench.set.insert([[prefix, 1]]);
  if (staged.isRefusal) throw new Unclear("a plain insert is refused", [staged]);
  const cookies = withCookies ? bench.cookies : undefined;
  const body = commitCommand(url, bench.node.commitUrl);
  const commit = await bench.askSeparately({ url, command: "commit", body, asked: "commit apart" }, cookies);
  await bench.pause(bench.briefly.patienceMs);
  const list = await bench.askSeparately({ url, command: "list", body: listCommand(url), asked: "list apart" });
  // A node may refuse a commit of nothing: then the other connection has nothing staged.
  const isTaken = bench.verdicts.judge("commit", commit) === "success" || isSame(commit, nothing);
  return { isShown: isListed(bench, list, prefix), refusal: isTaken ? undefined : commit };
}

function isListed({ set }: Bench, list: Answer, prefix: string): boolean {
  return set.read(list).some((one) => one.prefix.toString() === prefix);
}
