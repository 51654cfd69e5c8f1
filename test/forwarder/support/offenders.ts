import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "yaml";
import type { Emulator, EmulatorState } from "../../../provider/emulator";
import { TestClock, until } from "./clock";
import { openForwarder } from "./forward";

const HOUR = 3_600_000;
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
 * the time of a clock of its own: an hour from one list to the next, the last one an hour ago. `isBroken`: the state of before cannot be read. `afterFirst` is called when the records of the first list have arrived.
 */
export async function forwardMarks(
  emulator: Emulator,
  victoriaLogs: string,
  folder: string,
  lists: readonly (readonly number[])[],
  { afterFirst = async () => {}, isBroken = false }: { afterFirst?: () => Promise<void>; isBroken?: boolean } = {},
): Promise<void> {
  const clock = new TestClock(Date.now() - lists.length * HOUR);
  if (isBroken) {
    mkdirSync(join(folder, "forwarder-state"), { recursive: true });
    writeFileSync(join(folder, "forwarder-state/forwarder.db"), "no database at all ".repeat(100));
  }
  const env = { NODE_ENDPOINT: emulator.endpoint, VICTORIALOGS: victoriaLogs };
  const { forwarder } = await openForwarder(parse(readFileSync(EXAMPLE, "utf8")), folder, { env, world: clock });
  let records = 0;
  try {
    for (const [index, list] of lists.entries()) {
      const before = lists[index - 1] ?? [];
      emulator.seed(marksOf(...list));
      if (index === 0) forwarder.start();
      else clock.advance(HOUR);
      // What came, and what went.
      records += [...list, ...before].filter((n) => !list.includes(n) || !before.includes(n)).length;
      if (index === 0 && isBroken) records++;
      await until(() => forwarder.metrics.get("sent_records_total", { sink: "victorialogs" }) === records);
      if (index === 0) await afterFirst();
    }
  } finally {
    await forwarder.stop(0);
  }
}
