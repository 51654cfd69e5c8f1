import { DEFAULTS } from "../../client/options";
import { grouped } from "../../model/text";
import { listCommand } from "../../wire/node-command";
import { type Answer, refusalSwitches, switchesOf } from "../asking/answer";
import type { Bench } from "../asking/bench";
import { largest } from "../asking/largest";
import { Unclear } from "../asking/outcome";
import { singles } from "../documentation";
import { measured, type Outcomes, type Point, pointNeeding, type Seen } from "../point";

const point = pointNeeding("set");
const furtherPoint = pointNeeding("set", "entries");

const ONE = "203.0.113.0/24";
/** An entry of an insert with its comma. */
const BYTES = 32;
/** Number of entries that was accepted before. */
const ACCEPTED = 2;

/** Sends a request of so many entries that the node has no other reason to refuse. */
type Send = (number: number) => Promise<Answer>;

/** Largest requests. */
export const sizes: readonly Point[] = [
  /** Asked with lists that are padded with blanks, which stage nothing. */
  point({
    name: "largest-body",
    title: "bytes of one request",
    assumes: `at most ${grouped(DEFAULTS.maxBytesPerRequest)}; after a 413 half of that`,
    outcomes: limited("maxBytesPerRequest", "maxBodyBytes"),
    ask: async (bench) => {
      const { url } = bench.set;
      const plain = listCommand(url);
      // If an empty set vanishes, its list would be refused whatever the size.
      if (bench.learned.absentIsEmpty) await bench.set.hold([[ONE, 1]]);
      const tryBytes = (bytes: number) =>
        bench.askLarge(() =>
          bench.ask({ url, command: "list", body: plain.padEnd(bytes), asked: `list of ${bytes} bytes` }),
        );
      const found = await largest(tryBytes, { accepted: Buffer.byteLength(plain), limit: bench.limits.bytes });
      bench.learned.bytesAtOnce = found.most;
      return judgeLimit(found, "maxBytesPerRequest", "maxBodyBytes");
    },
  }),
  furtherPoint({
    name: "most-entries",
    title: "entries of one request",
    assumes: `at most ${grouped(DEFAULTS.maxEntriesPerRequest)}; after a 413 half of that`,
    outcomes: limited("maxEntriesPerRequest", "maxEntriesPerRequest"),
    ask: async (bench) => {
      const { send, most: possible } = await filler(bench);
      const fitting = Math.min(bench.limits.entries, possible, Math.floor(bench.learned.bytesAtOnce / BYTES) - 4);
      const range = { accepted: ACCEPTED, limit: Math.max(ACCEPTED, fitting) };
      const isGood = (answer: Answer) =>
        (["insert", "delete"] as const).some((command) => bench.verdicts.judge(command, answer) === "success");
      const found = await largest((number) => bench.askLarge(() => send(number)), range, isGood);
      bench.learned.entriesAtOnce = Math.min(bench.learned.entriesAtOnce, found.most);
      return judgeLimit(found, "maxEntriesPerRequest", "maxEntriesPerRequest");
    },
  }),
];

/** Outcomes of a limit: what the package sends is accepted, or only less. */
function limited(setting: keyof typeof LEAST, name: string) {
  const dialect = measured([name, ...switchesOf("tooLarge")]);
  return {
    none: { as: "contract", node: "no limit was met" },
    enough: { as: "dialect", node: "a limit above what this package sends", dialect },
    less: { as: "setting", node: "at most", settings: measured([setting]), dialect },
  } as const satisfies Outcomes;
}

/** Least limit of bytes that the package takes. */
const LEAST = { maxBytesPerRequest: 256, maxEntriesPerRequest: 1 } as const;

function judgeLimit(
  { most, isMet, refusal }: Awaited<ReturnType<typeof largest>>,
  setting: keyof typeof LEAST,
  name: string,
): Seen<"none" | "enough" | "less"> {
  if (!isMet) return { is: "none", node: `no limit was met up to ${grouped(most)}, the largest tried` };
  const dialect = { [name]: most, ...(refusal && refusalSwitches("tooLarge", refusal)) };
  const seen = { node: `at most ${grouped(most)}`, evidence: [refusal], dialect };
  if (most >= DEFAULTS[setting]) return { is: "enough", ...seen };
  return { is: "less", ...seen, settings: { [setting]: Math.max(LEAST[setting], most) } };
}

/** Repeats one prefix if the node accepts that; else sends different ones, of which there are few. */
async function filler({ set, learned }: Bench): Promise<{ send: Send; most: number }> {
  const many = Number.POSITIVE_INFINITY;
  const inserts: Send = (number) =>
    set.insert(
      Array.from({ length: number }, () => [ONE, 1]),
      `insert of ${number}`,
    );
  if (learned.insertExisting === "overwrite" && !(await inserts(2)).isRefusal) return { send: inserts, most: many };
  const deletes: Send = (number) =>
    set.delete(
      Array.from({ length: number }, () => ONE),
      `delete of ${number}`,
    );
  if (learned.deleteAbsent === "success" && !(await deletes(2)).isRefusal) return { send: deletes, most: many };
  const insert = async (texts: readonly string[]) => {
    const answer = await set.insert(
      texts.map((text) => [text, 1]),
      `insert of ${texts.length}`,
    );
    // A part of a refused request may be staged.
    if (answer.isRefusal) await set.clear();
    else await set.delete(texts);
    return answer;
  };
  const all = await withoutRefused(singles(384), insert);
  const different: Send = (number) => insert(all.slice(0, number));
  const two = await different(2);
  if (two.isRefusal) throw new Unclear("even two entries are refused", [two]);
  return { send: different, most: all.length };
}

/** Most entries that a node never accepts, such as its own address. */
const REFUSED = 4;

/** Drops entries that the node refuses for another reason than the size of the request. */
async function withoutRefused(
  texts: readonly string[],
  insert: (texts: readonly string[]) => Promise<Answer>,
): Promise<readonly string[]> {
  let left = texts;
  for (let count = 0; count < REFUSED; count++) {
    if (!(await insert(left)).isRefusal) return left;
    const refused = await refusedIn(left, insert);
    if (refused === undefined) return left;
    left = left.filter((text) => text !== refused);
  }
  return left;
}

/** The entry that makes a request fail; `undefined` if both halves of it are accepted. */
async function refusedIn(
  texts: readonly string[],
  insert: (texts: readonly string[]) => Promise<Answer>,
): Promise<string | undefined> {
  if (texts.length === 1) return texts[0];
  const half = Math.ceil(texts.length / 2);
  for (const part of [texts.slice(0, half), texts.slice(half)])
    if ((await insert(part)).isRefusal) return refusedIn(part, insert);
  return undefined;
}
