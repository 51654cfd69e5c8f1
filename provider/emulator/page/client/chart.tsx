import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { MarkLine } from "../answers";
import { number } from "./texts";

const HEIGHT = 240;
/** Seconds on the time axis, at most and at least. */
const LONGEST = 300;
const SHORTEST = 60;

const DARK = matchMedia("(prefers-color-scheme: dark)");

/** A canvas does not know `light-dark()`: it is given the half that holds now. */
const colour = (name: string) => {
  const halves = getComputedStyle(document.documentElement).getPropertyValue(name).match(/#\w+/g);
  return halves?.[DARK.matches ? 1 : 0] ?? "";
};

const COLOURS = 8;
const DASHES: readonly number[][] = [[], [7, 4], [2, 3]];

/** Colour and stroke of a line, in the chart and in the legend: eight colours, then dashed, then dotted. */
const lineColour = ({ look }: MarkLine) => `--line-${(look % COLOURS) + 1}`;
const lineDash = ({ look }: MarkLine) => DASHES[Math.floor(look / COLOURS)] ?? [];
const lineKey = ({ profile, type, id }: MarkLine) => `${profile} ${type} ${id}`;

/** A piece of a line, for the legend. */
export function Swatch({ line }: { line: MarkLine }) {
  return (
    <svg class="swatch" width="22" height="10" aria-hidden="true">
      <line x1="0" y1="5" x2="22" y2="5" stroke={`var(${lineColour(line)})`} stroke-dasharray={lineDash(line).join()} />
    </svg>
  );
}

/** Lines over time. The table below it holds the same numbers for readers who cannot see it. */
export function Chart({ times, series }: { times: readonly number[]; series: readonly MarkLine[] }) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const keys = series.map((line) => `${lineKey(line)} ${line.look}`).join("\n");

  // Lines are added and removed by making the chart anew.
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const make = () => {
      plot.current?.destroy();
      plot.current = new uPlot(options(series, element.clientWidth), data(times, series), element);
    };
    make();
    const size = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height: HEIGHT }));
    size.observe(element);
    DARK.addEventListener("change", make);
    return () => {
      size.disconnect();
      DARK.removeEventListener("change", make);
      plot.current?.destroy();
      plot.current = null;
    };
  }, [keys]);

  useEffect(() => plot.current?.setData(data(times, series)));
  const label = "Marks over the last five minutes of the virtual clock; the table below has the numbers of now.";
  return <div ref={box} class="chart" role="img" aria-label={label} />;
}

function data(times: readonly number[], series: readonly MarkLine[]): uPlot.AlignedData {
  return [[...times], ...series.map(({ values }) => [...values])];
}

const clockTime = (seconds: number) => new Date(seconds * 1000).toISOString().slice(11, 19);

function options(series: readonly MarkLine[], width: number): uPlot.Options {
  const axis = {
    stroke: () => colour("--muted"),
    grid: { stroke: () => colour("--grid"), width: 1 },
    ticks: { show: false },
    font: "12px system-ui, sans-serif",
  };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 } },
    scales: {
      x: { time: true, range: (_, min, max) => [max - Math.min(LONGEST, Math.max(SHORTEST, max - min)), max] },
      y: { range: (_, __, max) => [0, Math.max(4, max * 1.1)] },
    },
    axes: [
      { ...axis, space: 90, values: (_, times) => times.map(clockTime) },
      {
        ...axis,
        size: 64,
        values: (_, counts) => counts.map(number),
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5],
      },
    ],
    series: [
      {},
      ...series.map((line) => ({
        label: lineKey(line),
        stroke: () => colour(lineColour(line)),
        dash: lineDash(line),
        width: 2,
        points: { show: false },
      })),
    ],
  };
}
