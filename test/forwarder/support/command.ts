import { onTestFinished } from "vitest";
import { main } from "../../../provider/commands/program";
import { until } from "./clock";
import { linesOf } from "./forward";

/** The command `forward` at work on a configuration, until the test or `end` ends it. `columns`: on a terminal of that width. */
export function serve(file: string, columns?: number, env: Record<string, string> = {}) {
  const stop = new AbortController();
  let hangUp: (() => void) | undefined;
  let written = "";
  const err = (text: string): void => {
    written += text;
  };
  const onHangup = (run: () => void): void => {
    hangUp = run;
  };
  const terminal = columns === undefined ? {} : { terminal: { columns: () => columns } };
  const kill = (): void => err("killed\n");
  const io = { out: () => {}, err, end: kill, env, onHangup, stop: stop.signal, ...terminal };
  const ended = main(["forward", "--config", file], io);
  const end = () => {
    stop.abort();
    return ended;
  };
  onTestFinished(async () => void (await end()));
  const lines = () => linesOf(written);
  return {
    ended,
    end,
    lines,
    /** All that it has written. */
    written: () => written,
    /** Messages of its log, each a line of JSON. */
    messages: () => lines().map((line): string => JSON.parse(line).msg),
    /** Waits until so many lines have this part. */
    told: (part: string, times = 1) => until(() => lines().filter((line) => line.includes(part)).length === times),
    /** As SIGHUP does. */
    hangUp: async () => (await until(() => hangUp))(),
  };
}
