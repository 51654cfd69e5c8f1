import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Figures, figuresText } from "../figures";
import { chartsOf, svgOf } from "./charts";
import { Lookup } from "./lookup";
import { pageOf } from "./page";

export const FIGURES = join("docs", "benchmarks.json");
const PAGE = join("docs", "benchmarks.md");
const PICTURES = join("docs", "pictures");

/** Keeps figures where {@link draw} and the other steps find them. */
export async function write(figures: Figures): Promise<void> {
  await writeFile(FIGURES, figuresText(figures));
}

/** Writes the page and its charts. */
export async function draw(figures: Figures): Promise<void> {
  await mkdir(PICTURES, { recursive: true });
  for (const chart of chartsOf(new Lookup(figures))) await writeFile(join(PICTURES, chart.file), await svgOf(chart));
  await writeFile(PAGE, pageOf(figures));
}
