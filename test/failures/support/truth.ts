import type { Emulator } from "../../../provider/emulator";
import { Prefix } from "../../../provider/model/prefix";
import type { Declared } from "./engine";
import { BLOCKED, PARTNERS } from "./scenarios";

/** Content of a node and its receiver, actual or wanted. */
export interface Held {
  readonly sets: Record<string, Record<string, number>>;
  readonly active: readonly string[];
}

/** Content of the emulator. */
export function heldBy(emulator: Emulator): Held {
  const sets = Object.fromEntries([BLOCKED, PARTNERS].map((url) => [url, emulator.prefixSet(url).applied]));
  return { sets, active: emulator.signalings["client-a"] ?? [] };
}

/** Content that a program declares, and nothing else: this is the model. */
export function wantedBy(program: readonly Declared[]): Held {
  const sets: Record<string, Record<string, number>> = { [BLOCKED]: {}, [PARTNERS]: {} };
  const active = new Set<string>();
  for (const { type, args } of program) {
    const of = sets[`prefixset://${args.arena}/${args.set}`] ?? {};
    if (type === "PrefixSetEntry") of[canonical(args.prefix)] = Number(args.value ?? 1);
    else if (type === "CloudSignaling") for (const prefix of args.prefixes as string[]) active.add(canonical(prefix));
    else if (Array.isArray(args.entries)) for (const prefix of args.entries) of[canonical(prefix)] = 1;
    else
      for (const [prefix, value] of Object.entries(args.entries as Record<string, number>))
        of[canonical(prefix)] = value;
  }
  return { sets: inOrder(sets), active: [...active].sort(byPrefix) };
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

function byPrefix(a: string, b: string): number {
  return Prefix.compare(Prefix.parse(a), Prefix.parse(b));
}

function inOrder(sets: Held["sets"]): Held["sets"] {
  const sorted = (entries: Record<string, number>) =>
    Object.fromEntries(Object.entries(entries).sort(([a], [b]) => byPrefix(a, b)));
  return Object.fromEntries(Object.entries(sets).map(([url, entries]) => [url, sorted(entries)]));
}
