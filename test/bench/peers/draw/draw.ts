import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Figures, figuresText } from "../figures";
import { pageOf } from "./page";

export const FIGURES = join("docs", "benchmarks.json");
const PAGE = join("docs", "benchmarks.md");

/** Keeps figures where {@link draw} and the other steps find them. */
export async function write(figures: Figures): Promise<void> {
  await writeFile(FIGURES, figuresText(figures));
}

/** Writes the page. */
export async function draw(figures: Figures): Promise<void> {
  await writeFile(PAGE, pageOf(figures));
}
