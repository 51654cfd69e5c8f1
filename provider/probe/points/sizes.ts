import { isDeepStrictEqual } from "node:util";
import { DEFAULTS } from "../../client/options";
import { grouped } from "../../model/text";
import { listCommand } from "../../wire/node-command";
import { type Answer, refusalSwitches } from "../asking/answer";
import type { Bench } from "../asking/bench";
import { largest } from "../asking/largest";
import { Unclear } from "../asking/outcome";
import { separate } from "../documentation";
import { type Conclusion, type Point, pointsNeeding } from "../point";
import { filledList } from "./odd-requests";

/** An entry of an insert with its comma. */
const BYTES = 33;
/** Number of entries that was accepted before. */
const ACCEPTED = 2;

/** Sends a request of so many entries that the node has no other reason to refuse. */
type Send = (number: number) => Promise<Answer>;

export const sizes: readonly Point[] = [
  /** Asked with lists that are padded with blanks, which stage nothing. */
  ...pointsNeeding("set")({
    name: "largest-body",
    title: "bytes of one request",
    assumes: `at most ${grouped(DEFAULTS.maxBytesPerRequest)}; after a 413 half of that`,
    settles: ["maxBytesPerRequest"],
    ask: async (bench) => {
      const { url, plain, read } = await filledList(bench);
      const body = listCommand(url);
      const tryBytes = (bytes: number) =>
        bench.askLarge(() =>
          bench.ask({ url, command: "list", body: body.padEnd(bytes), asked: `list of ${bytes} bytes` }),
        );
      const isGood = (answer: Answer) => isDeepStrictEqual(read(answer), read(plain));
      const accepted = Math.max(LEAST.maxBytesPerRequest, Buffer.byteLength(body) + 1);
      const padded = await tryBytes(accepted);
      if (!padded || !isGood(padded))
        return { is: "blanks", as: "unknown", node: "blanks after a list are refused at any size", evidence: [padded] };
      const found = await largest(tryBytes, { accepted, limit: bench.limits.bytes }, isGood);
      bench.learned.bytesAtOnce = found.most;
      return judgeLimit(found, "maxBytesPerRequest", "maxBodyBytes", "bytes");
    },
  }),
  ...pointsNeeding(
    "set",
    "entries",
  )({
    name: "most-entries",
    title: "entries of one request",
    assumes: `at most ${grouped(DEFAULTS.maxEntriesPerRequest)}; after a 413 half of that`,
    settles: ["maxEntriesPerRequest"],
    ask: async (bench) => {
      const { send, most: limit } = await filler(bench);
      const range = { accepted: ACCEPTED, limit };
      const isGood = (answer: Answer) => bench.verdicts.judge("insert", answer) === "success";
      const found = await largest((number) => bench.askLarge(() => send(number)), range, isGood);
      bench.learned.entriesAtOnce = Math.min(bench.learned.entriesAtOnce, found.most);
      return judgeLimit(found, "maxEntriesPerRequest", "maxEntriesPerRequest", "different entries");
    },
  }),
];

/** Least limits that the package takes. */
const LEAST = { maxBytesPerRequest: 256, maxEntriesPerRequest: 1 } as const;

/** Judges a limit: the requests of the package are accepted, or only smaller ones. */
function judgeLimit(
  { most, isMet, refusal }: Awaited<ReturnType<typeof largest>>,
  setting: keyof typeof LEAST,
  name: string,
  what: string,
): Conclusion {
  const number = `${grouped(most)} ${what}`;
  if (!isMet) {
    // A client without the setting may send more.
    const as = most < DEFAULTS[setting] ? "unknown" : "contract";
    return { is: "none", as, node: `no limit was met up to ${number}, the largest tried` };
  }
  const dialect = { [name]: most, ...(refusal && refusalSwitches("tooLarge", refusal)) };
  const common = { node: `at most ${number}`, evidence: [refusal], dialect };
  if (most >= DEFAULTS[setting]) return { is: "enough", as: "dialect", ...common };
  return { is: "less", as: "setting", ...common, settings: { [setting]: Math.max(LEAST[setting], most) } };
}

/** Sends different entries: a node may count or drop copies. */
async function filler({ set, limits, learned }: Bench): Promise<{ send: Send; most: number }> {
  const insert = async (texts: readonly string[]) => {
    const entries = texts.map((text) => [text, 1] as const);
    const answer = await set.insert(entries, `insert of ${texts.length}`);
    // Also after a refusal, of which a part may be staged; a node may find entries only as it lists them.
    await set.clear();
    return answer;
  };
  const fitting = Math.floor(learned.bytesAtOnce / BYTES) - 4 - REFUSED;
  const number = Math.max(ACCEPTED, Math.min(limits.entries, fitting));
  const all = await withoutRefused(separate(number + REFUSED, learned.takesIpv6), insert);
  const send: Send = (number) => insert(all.slice(0, number));
  const two = await send(ACCEPTED);
  if (two.isRefusal) throw new Unclear("even two entries are refused", [two]);
  return { send, most: Math.min(number, all.length) };
}

/** Most entries that a node never accepts, such as its own address. */
const REFUSED = 4;

/** Drops entries that the node refuses for another reason than the size of the request. */
async function withoutRefused(
  texts: readonly string[],
  insert: (texts: readonly string[]) => Promise<Answer>,
): Promise<readonly string[]> {
  let left = texts;
  for (let count = 0; count < REFUSED && (await insert(left)).isRefusal; count++) {
    let part = left;
    while (part.length > 1) {
      const half = Math.ceil(part.length / 2);
      const [first, second] = [part.slice(0, half), part.slice(half)];
      part = (await insert(first)).isRefusal ? first : (await insert(second)).isRefusal ? second : [];
    }
    // Both halves of a part are accepted: the size was the reason.
    if (part.length === 0) return left;
    left = left.filter((text) => text !== part[0]);
  }
  return left;
}
