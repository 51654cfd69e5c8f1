import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parse } from "yaml";
import type { Emulator, EmulatorState } from "../../../provider/emulator";
import { TestClock, until } from "./clock";
import { openForwarder } from "./forward";

const EXAMPLE = resolve(__dirname, "../../../examples/marks-to-victorialogs/forwarder.yaml");

/** A node whose profile `web` lists these addresses of 203.0.113.0/24 as marked, by their last numbers. */
export const marksOf = (...last: number[]): EmulatorState => ({
  arenas: {
    edge: {
      profiles: {
        web: { marks: { shost: last.map((n) => ({ address: `203.0.113.${n}`, id: 1, value: 1, lifetime: 60 })) } },
      },
    },
  },
});

/**
 * Forwards what a node lists into VictoriaLogs, one list after the other, by the configuration of the example. Records carry
 * the time of a clock of its own, an hour ago. `afterFirst` is called when the records of the first list have arrived.
 */
export async function forwardMarks(
  emulator: Emulator,
  victoriaLogs: string,
  folder: string,
  lists: readonly (readonly number[])[],
  afterFirst: () => Promise<void> = async () => {},
): Promise<void> {
  const clock = new TestClock(Date.now() - 3_600_000);
  const env = { NODE: emulator.endpoint, VICTORIALOGS: victoriaLogs };
  const { forwarder } = await openForwarder(parse(readFileSync(EXAMPLE, "utf8")), folder, { env, world: clock });
  let records = 0;
  try {
    for (const [index, list] of lists.entries()) {
      const before = lists[index - 1] ?? [];
      emulator.seed(marksOf(...list));
      if (index === 0) forwarder.start();
      else clock.advance(3_000);
      // What came, and what went.
      records += [...list, ...before].filter((n) => !list.includes(n) || !before.includes(n)).length;
      await until(() => forwarder.metrics.get("sent_records_total", { sink: "victorialogs" }) === records);
      if (index === 0) await afterFirst();
    }
  } finally {
    await forwarder.stop(0);
  }
}
