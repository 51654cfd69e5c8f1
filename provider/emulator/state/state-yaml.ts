import { placeholder, putBack, recordLine, takeOut } from "./long-lines";
import type { EmulatorState } from "./state";

/** Entries of a set beyond which its lines are written past the YAML library, which takes seconds for 100 000. */
const LONG = 1_000;

/**
 * Reads YAML. Long tables of marks and long sets, one record or entry a line as {@link writeYaml} writes them, are read past
 * the parser, in a tenth of its time; whatever looks different or is wrong goes through it whole.
 *
 * The library is loaded only when it is needed: it is a good part of the start-up time.
 *
 * @throws what the parser throws, with line and column.
 */
export async function readYaml(source: string): Promise<unknown> {
  const { parse } = await import("yaml");
  try {
    const { rest, runs } = takeOut(source);
    if (runs.length > 0) return putBack(parse(rest), runs);
  } catch {
    // The parser says better what is wrong, and where.
  }
  return parse(source);
}

/** A state as YAML: for people, marks one a line, and quick to read whatever its size. */
export async function writeYaml(state: EmulatorState): Promise<string> {
  const { stringify } = await import("yaml");
  const runs: string[][] = [];
  const standIn = (lines: string[]) => {
    runs.push(lines);
    return placeholder(runs.length - 1);
  };
  const sets = (all: Sets | undefined) => all && mapValues(all, (entries) => shortened(entries, standIn));
  const arenas = mapValues(state.arenas ?? {}, (arena) => ({
    ...arena,
    ...(arena.sets && { sets: sets(arena.sets) }),
    ...(arena.profiles && {
      profiles: mapValues(arena.profiles, (profile) => ({
        ...profile,
        ...(profile.sets && { sets: sets(profile.sets) }),
        ...(profile.marks && {
          marks: mapValues(profile.marks, (records = []) =>
            records.length === 0 ? [] : [standIn(records.map(recordLine))],
          ),
        }),
      })),
    }),
  }));
  const text: string = stringify({ ...state, ...(state.arenas && { arenas }) });
  if (runs.length === 0) return text;
  return text.replace(/^( *)(?:- )?run (\d+) of lines(?:: 0)?$/gm, (line, indent: string, run: string) => {
    const lines = runs[Number(run)];
    return lines ? lines.map((each) => indent + each).join("\n") : line;
  });
}

type Sets = Record<string, Record<string, number>>;

function shortened(entries: Record<string, number>, standIn: (lines: string[]) => string): Record<string, number> {
  const all = Object.entries(entries);
  if (all.length < LONG) return entries;
  return { [standIn(all.map(([prefix, value]) => `${prefix}: ${value}`))]: 0 };
}

function mapValues<V, R>(record: Readonly<Record<string, V>>, change: (value: V) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
