import type { Figures } from "./figures";
export const FIGURES = "docs/benchmarks.json";
export async function draw(_: Figures) {}
export async function write(_: Figures) {}
