import type { SlicedWork } from "../time/slices";
import { BadRequest, decode, jsonProblem, parseJson } from "./json-body";

/** Bytes that are looked through, and bytes that are parsed, before other work gets its turn: a few milliseconds of them. */
const SCANNED = 2 ** 17;
const PARSED = 2 ** 16;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const ARRAY = { open: 0x5b, close: 0x5d };

/** Where the items of the array stand in a body. */
interface Found {
  /** Of its brackets. */
  readonly open: number;
  readonly close: number;
  /** Commas between its items, some {@link PARSED} bytes apart. */
  readonly cuts: readonly number[];
}

/**
 * What `parseJson` makes of a body, in slices, for a body that is an object with one long array as its member `name`: the
 * array is cut between its items and parsed piece by piece. Any other body, a single item of megabytes among them, is
 * parsed in one slice.
 *
 * @throws {BadRequest} as `parseJson` does.
 */
export function* parseJsonInSlices(body: Buffer, name: string): SlicedWork<unknown> {
  const found = yield* findArray(body, name);
  if (!found || found.cuts.length === 0) return parseJson(body);
  const items: unknown[] = [];
  let from = found.open + 1;
  for (const to of [...found.cuts, found.close]) {
    yield;
    const piece = parsePiece(body.subarray(from, to));
    // A piece that is blank stands between two commas, or before the last bracket.
    if (!piece || piece.length === 0) throw jsonProblem(body);
    for (const item of piece) items.push(item);
    from = to + 1;
  }
  const outside = Buffer.concat([body.subarray(0, found.open + 1), body.subarray(found.close)]);
  let whole: unknown;
  try {
    whole = parseJson(outside);
  } catch {
    throw jsonProblem(body);
  }
  return typeof whole === "object" && whole !== null ? { ...whole, [name]: items } : parseJson(body);
}

function parsePiece(bytes: Buffer): unknown[] | undefined {
  try {
    return JSON.parse(`[${decode(bytes)}]`);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof BadRequest) return undefined;
    throw error;
  }
}

/** Looks for the one member `name` of the outermost object that is an array; `undefined` where there are none or several. */
function* findArray(body: Buffer, name: string): SlicedWork<Found | undefined> {
  const wanted = Buffer.from(JSON.stringify(name));
  const cuts: number[] = [];
  let [open, close, depth, lastCut] = [-1, -1, 0, 0];
  let [lastString, key] = [
    { from: 0, to: 0 },
    { from: 0, to: 0 },
  ];
  let pause = SCANNED;
  for (let at = 0; at < body.length; at += 1) {
    if (at >= pause) {
      pause = at + SCANNED;
      yield;
    }
    const byte = body[at] as number;
    if (byte === QUOTE) {
      const from = at;
      at = endOfString(body, at);
      if (depth === 1) lastString = { from, to: at + 1 };
    } else if (byte === COMMA) {
      if (depth === 2 && open >= 0 && close < 0 && at - lastCut >= PARSED) {
        cuts.push(at);
        lastCut = at;
      }
    } else if (byte === COLON) {
      if (depth === 1) key = lastString;
    } else if (OPENING.has(byte)) {
      if (depth === 1 && body.subarray(key.from, key.to).equals(wanted)) {
        if (open >= 0 || byte !== ARRAY.open) return undefined;
        open = at;
        lastCut = at;
      }
      depth += 1;
    } else if (CLOSING.has(byte)) {
      depth -= 1;
      if (depth === 1 && open >= 0 && close < 0) {
        if (byte !== ARRAY.close) return undefined;
        close = at;
      }
    }
  }
  return close < 0 ? undefined : { open, close, cuts };
}

/** The closing quote of the string that begins at `from`, or the end of the body. */
function endOfString(body: Buffer, from: number): number {
  let at = from + 1;
  while (at < body.length && body[at] !== QUOTE) at += body[at] === BACKSLASH ? 2 : 1;
  return at;
}
