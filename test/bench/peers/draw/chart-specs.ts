import type { TopLevelSpec } from "vega-lite" with { "resolution-mode": "import" };
import type { Row } from "../figures";
import { ON_ENGINE, PEERS, type PeerName, STEPS } from "../plan";
import type { Lookup } from "./lookup";
import { ABOUT, STEP_TITLES } from "./texts";

/** Colours that stay apart for people who do not see all of them, and a symbol for each as well. */
const LOOKS: Readonly<Record<PeerName, { color: string; shape: string }>> = {
  floor: { color: "#6b7280", shape: "square" },
  ours: { color: "#d55e00", shape: "circle" },
  plugin: { color: "#e69f00", shape: "triangle-left" },
  "by-hand": { color: "#0072b2", shape: "triangle-up" },
  "in-bulk": { color: "#56b4e9", shape: "triangle-down" },
  terraform: { color: "#7b4fa3", shape: "diamond" },
  "terraform-map": { color: "#b79bd0", shape: "cross" },
  script: { color: "#009e73", shape: "triangle-right" },
};

/** A figure of a row as a point of a chart; rows without it are left out. */
function points(rows: readonly Row[], of: (row: Row) => number | undefined) {
  return rows.flatMap((row) => {
    const value = of(row);
    if (value === undefined || value === 0) return [];
    return [{ peer: ABOUT[row.peer].title, step: STEP_TITLES[row.step], size: row.size, value }];
  });
}
type Point = ReturnType<typeof points>[number];

const LINE = { type: "line", point: { filled: true, size: 45 }, strokeWidth: 1.8, opacity: 0.9 } as const;
const STEP_FACET = {
  field: "step",
  type: "nominal",
  sort: STEPS.map((step) => STEP_TITLES[step]),
  header: { title: null },
} as const;

/** Colour and symbol of each peer, with one legend below the chart for those that are in it. */
function peerLook(values: readonly Point[]) {
  const names = PEERS.filter((peer) => values.some((value) => value.peer === ABOUT[peer].title));
  const domain = names.map((name) => ABOUT[name].title);
  const legend = { orient: "bottom", title: null, columns: 4 } as const;
  const colors = { domain, range: names.map((name) => LOOKS[name].color) };
  const shapes = { domain, range: names.map((name) => LOOKS[name].shape) };
  return {
    color: { field: "peer", type: "nominal", scale: colors, legend },
    shape: { field: "peer", type: "nominal", scale: shapes, legend },
  } as const;
}

/** The powers of ten around some values: what a logarithmic axis is labelled with. */
function decades(values: readonly number[]): number[] {
  const [low, high] = [Math.floor(Math.log10(Math.min(...values))), Math.ceil(Math.log10(Math.max(...values)))];
  return Array.from({ length: Math.max(high - low, 1) + 1 }, (_, index) =>
    Number((10 ** (low + index)).toPrecision(1)),
  );
}

function logarithmic(field: "value" | "size", title: string, ticks: readonly number[], format: string) {
  const [low, high] = [ticks[0], ticks.at(-1)].map(Number);
  const scale = { type: "log" as const, domain: [low, high] as number[], nice: false };
  const axis = { values: [...ticks], format, title: `${title} (logarithmic)`, labelFlush: false, grid: true };
  return { field, type: "quantitative", scale, axis } as const;
}
const entriesAxis = (values: readonly Point[]) =>
  logarithmic("size", "entries", decades(values.map(({ size }) => size)), "~s");

/** Differences of a tenth must be seen, so lines that climb higher than the last leave the chart. */
const RATIO_TICKS = [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.5, 2, 3, 4] as const;

/** Times the engine's floor by entries; only those on the same engine, since for others it is no measure. */
export function ratios(lookup: Lookup, rows: readonly Row[]): TopLevelSpec {
  const onEngine = rows.filter(({ peer }) => ON_ENGINE.includes(peer));
  const values = points(onEngine, (row) => lookup.ratio(row));
  const all = [1, ...values.map(({ value }) => value)];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const ticks = RATIO_TICKS.filter(
    (tick, index) => (RATIO_TICKS[index + 1] ?? tick) > low && (RATIO_TICKS[index - 1] ?? 0) < high,
  );
  const cut = high > Math.max(...ticks) ? `, cut at ${Math.max(...ticks)}` : "";
  return {
    data: { values },
    facet: STEP_FACET,
    columns: 5,
    spec: {
      width: 150,
      height: 240,
      layer: [
        { mark: { type: "rule", color: LOOKS.floor.color, strokeDash: [4, 3] }, encoding: { y: { datum: 1 } } },
        {
          mark: { ...LINE, clip: true },
          encoding: {
            x: entriesAxis(values),
            y: logarithmic("value", `times the floor${cut}`, ticks, "~g"),
            ...peerLook(values),
          },
        },
      ],
    },
    resolve: { axis: { x: "independent" } },
  };
}
