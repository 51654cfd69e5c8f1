import type { TopLevelSpec } from "vega-lite" with { "resolution-mode": "import" };
import { WORKLOADS, type Workload } from "../plan";
import { ratios } from "./chart-specs";
import { isUsual, type Lookup } from "./lookup";
import { WORKLOAD_TITLES } from "./texts";

/** A chart of the page: its file in docs/pictures, and what it shows in words, for those who do not see it. */
export interface Chart {
  readonly file: string;
  readonly title: string;
  readonly spec: () => TopLevelSpec;
}

/** All charts for which there are figures. */
export function chartsOf(lookup: Lookup): Chart[] {
  const chart = (name: string, title: string, spec: () => TopLevelSpec): Chart => ({
    file: `peers-${name}.svg`,
    title,
    spec,
  });
  const ofWorkload = (workload: Workload) => {
    const rows = lookup.figures.rows.filter((row) => row.workload === workload && isUsual(row));
    const title = WORKLOAD_TITLES[workload];
    return chart(`${workload}-ratios`, `${title}: times the engine's floor`, () => ratios(lookup, rows));
  };
  return WORKLOADS.filter((workload) => lookup.sizes(workload).length > 0).map(ofWorkload);
}

/**
 * Draws a chart as SVG, on a ground of its own, so that it reads in light pages and in dark ones. The library is loaded here and
 * nowhere else.
 */
export async function svgOf({ title, spec }: Chart): Promise<string> {
  const [{ View, parse }, { compile }] = await Promise.all([import("vega"), import("vega-lite")]);
  const whole: TopLevelSpec = { ...spec(), title: { text: title, anchor: "start", fontSize: 15, offset: 14 } };
  const view = new View(parse(compile({ ...whole, config: CONFIG }).spec), { renderer: "none" });
  return `${slim(await view.toSVG())}\n`;
}

/** A drawing without what no viewer uses: names of layers, defaults, and digits behind the first of a length. */
const slim = (svg: string) =>
  svg
    .replace(/ (?:class|role|aria-roledescription|aria-hidden|pointer-events|stroke-miterlimit)="[^"]*"/g, "")
    .replace(/ opacity="1"| stroke-width="1"| x2="0"| y2="0"/g, "")
    .replace(/(\d\.\d)\d+/g, "$1");

const CONFIG = {
  background: "#ffffff",
  padding: 16,
  font: "Helvetica, Arial, sans-serif",
  axis: {
    gridColor: "#e5e7eb",
    domainColor: "#9ca3af",
    tickColor: "#9ca3af",
    labelColor: "#374151",
    titleColor: "#374151",
  },
  header: { labelColor: "#111827", labelFontSize: 12, labelFontWeight: "bold", titleColor: "#111827" },
  legend: {
    labelColor: "#111827",
    labelFontSize: 12,
    symbolSize: 90,
    labelLimit: 260,
    columnPadding: 18,
    rowPadding: 6,
  },
  view: { stroke: "#d1d5db" },
} as const;
