import type { Promised } from "./promise";
import { differences } from "./truth-of-green";

/** A plain `up` shows in its preview, and restores, what a program declares as before and a node or receiver lacks. */
export const restores: Promised = {
  number: 15,
  name: "a plain up restores protection",
  judge: ({ world, record, before, now }) => {
    const { run, done, preview, isCalm } = record;
    const isPlain = run.command === "up" && Object.keys(run.options).length === 0;
    if (!isPlain || !isCalm || done.errors.length > 0 || done === preview) return [];
    const kept = differences(world, before).map(({ place, prefix }) => `${place} ${prefix}`);
    const left = differences(world, now).filter(({ place, prefix }) => kept.includes(`${place} ${prefix}`));
    const adopted = done.printed.filter((line) => line.includes("adopted"));
    return left
      .filter(({ prefix }) => !adopted.some((line) => line.includes(prefix.split("/")[0] ?? prefix)))
      .map(({ sentence }) => `${sentence} after a plain up, as before it`);
  },
};
