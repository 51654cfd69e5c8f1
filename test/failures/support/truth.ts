import type { Emulator } from "../../../provider/emulator";
import { Prefix } from "../../../provider/model/prefix";
import { BLOCKED, PARTNERS } from "./scenarios";

/** Content of a node and its receiver, actual or desired. */
export interface Held {
  readonly sets: Record<string, Record<string, number>>;
  readonly active: readonly string[];
}

/** Content of the emulator. */
export function heldBy(emulator: Emulator): Held {
  const sets = Object.fromEntries([BLOCKED, PARTNERS].map((url) => [url, emulator.prefixSet(url).applied]));
  return { sets, active: emulator.signalings["client-a"] ?? [] };
}

/** Sentences about commits that removed, and stops that ended, what must never be missing. */
export function gaps(emulator: Emulator, from: number, { sets, active }: Held): string[] {
  return emulator.journal.slice(from).flatMap(({ commit, url = "", op, data = [], index }) => {
    const removed = Object.keys(commit?.removed ?? {}).filter((prefix) => prefix in (sets[url] ?? {}));
    const stopped = op === "stop" ? data.map(canonical).filter((prefix) => active.includes(prefix)) : [];
    return [
      ...removed.map((prefix) => `request ${index}: a commit of ${url} removed ${prefix}`),
      ...stopped.map((prefix) => `request ${index}: ${prefix} was stopped`),
    ];
  });
}

function canonical(spelling: unknown): string {
  return Prefix.parse(String(spelling)).toString();
}
