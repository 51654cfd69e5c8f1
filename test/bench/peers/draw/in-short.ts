import { ON_ENGINE, type PeerName, partTitle, STEPS, type Workload } from "../plan";
import type { Lookup } from "./lookup";
import { markdownTable, seconds, times } from "./tables";
import { ABOUT, STEP_TITLES } from "./texts";

/** This package beside the fastest others, at the largest size at which all were measured; nothing where there is none. */
export function inShort(lookup: Lookup, workload: Workload): string {
  const size = lookup.headline(workload);
  if (size === undefined) return "";
  const rows = STEPS.flatMap((step) => {
    const [ours, floor] = (["ours", "floor"] as const).map((peer) => lookup.row(workload, size, peer, step)?.measured);
    if (!ours || !floor) return [];
    const others = lookup
      .contestants(workload)
      .filter((peer) => peer !== "ours" && peer !== "plugin")
      .flatMap((peer) => {
        const measured = lookup.row(workload, size, peer, step)?.measured;
        return measured ? [{ peer, seconds: measured.seconds }] : [];
      });
    const onEngine = fastest(others.filter(({ peer }) => ON_ENGINE.includes(peer)));
    const without = fastest(others.filter(({ peer }) => !ON_ENGINE.includes(peer)));
    return [
      [
        STEP_TITLES[step],
        seconds(ours.seconds),
        times(ours.seconds / floor.seconds),
        signed(ours.seconds - floor.seconds),
        against(ours.seconds, onEngine),
        against(ours.seconds, without),
      ],
    ];
  });
  const head = [
    partTitle({ workload, size }),
    "this package, s",
    "× floor",
    "beyond the floor, s",
    "fastest by hand on the same engine",
    "fastest without it",
  ];
  return markdownTable(head, rows);
}

interface Time {
  readonly peer: PeerName;
  readonly seconds: number;
}
function fastest(all: readonly Time[]): Time | undefined {
  return [...all].sort((a, b) => a.seconds - b.seconds)[0];
}
function against(ours: number, other: Time | undefined): string {
  return other ? `${ABOUT[other.peer].title}: ${seconds(other.seconds)} (${times(ours / other.seconds)})` : "–";
}
const signed = (value: number) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
