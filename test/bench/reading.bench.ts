import { parseJson } from "../../provider/wire/json";
import { readMarkList } from "../../provider/wire/mark-list";
import { readPrefixSetList } from "../../provider/wire/prefix-set-list";
import { type Figure, median } from "./figure";

/** 198.18.0.0/15, the block for benchmarks (RFC 2544). */
const address = (index: number) => `198.${18 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;

/** The text of a list as a node sends it; `record` makes one element of it. */
function listOf(length: number, record: (index: number) => unknown): string {
  return JSON.stringify({ data: Array.from({ length }, (_, index) => record(index)) });
}

/** Figures of the client's readers: from the text of an answer to checked values. */
export async function readingFigures(): Promise<Figure[]> {
  const short = listOf(100_000, (n) => ({ a: address(n), id: 70_001 + (n % 9), v: n % 4096, t: n % 3600 }));
  const long = listOf(100_000, (n) => ({ address: address(n), id: n, value: n, lifetime: n, age: 5, zone: "x" }));
  const entries = listOf(50_000, (n) => ({ p: `${address(n)}/32`, v: n % 256 }));
  const figures: Figure[] = [];
  const add = async (name: string, work: () => unknown) => {
    figures.push({ name, value: await median(work), unit: "ms", reference: "" });
  };
  await add("100 000 marks: parsing JSON alone", () => parseJson(short));
  const [shortJson, longJson, entriesJson] = [parseJson(short), parseJson(long), parseJson(entries)];
  await add("100 000 marks, short names: reading", () => readMarkList(shortJson, "shost"));
  await add("100 000 marks, long names, one unknown: reading", () => readMarkList(longJson, "shost"));
  await add("50 000 entries of a set: reading", () => readPrefixSetList(entriesJson));
  return figures;
}
