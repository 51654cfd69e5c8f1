import { caught } from "../model/errors";
import { isObject, type JsonObject, membersOf } from "../model/json";
import { nearest } from "../model/nearest";
import { type CanonicalPrefix, Prefix, PrefixError } from "../model/prefix";
import { prefixIn } from "../model/readable";

/** Meaning of the option `ignoreChanges` of a resource. */
export interface Ignored {
  /** True if all entries or prefixes of the resource are ignored; else the entries that are. */
  readonly entries: true | readonly CanonicalPrefix[];
  /** Paths without a meaning, as sentences. */
  readonly problems: readonly string[];
}

/**
 * Reads `ignoreChanges`. The engine resets the named paths of new inputs to those of the state, and drops one that the state does
 * not have: an entry under another spelling would be removed. So each path must name something of the state.
 *
 * @param args Names of the arguments.
 * @param inputs `hostBits`, and for a resource of a state all its inputs.
 * @param isOfState True if these are inputs of a state: then the paths must be in them.
 */
export function readIgnored(
  paths: readonly string[],
  args: readonly string[],
  inputs: JsonObject,
  isOfState: boolean,
): Ignored {
  const prefixes = new Set<CanonicalPrefix>();
  const problems: string[] = [];
  let all = false;
  for (const path of paths) {
    const problem = judge(path);
    if (problem !== undefined) problems.push(`ignoreChanges ${path}: ${problem}. Nothing was sent.`);
  }
  return { entries: all || [...prefixes], problems };

  function judge(path: string): string | undefined {
    const steps = stepsOf(path);
    if (!steps) return "it is not a property path";
    const [name, ...inside] = steps;
    if (name === "*" && inside.length === 0) {
      all = true;
      return undefined;
    }
    if (typeof name !== "string" || !args.includes(name)) {
      const near = nearest(String(name), args);
      return `there is no argument "${name}"${near === undefined ? "" : `; "${near}" is likely meant`}`;
    }
    all ||= WHOLE.includes(name) || (name === "entries" && isAll(inside));
    if (name === "entries" && !isAll(inside)) return entry(inside);
    if (name === "prefixes" && inside.length > 0) return within(inputs.prefixes, inside, "prefix");
    return name === "nodes" && inside.length > 0 ? within(inputs.nodes, inside, "node") : undefined;
  }

  function entry([key, ...deeper]: readonly (string | number)[]): string | undefined {
    if (typeof key !== "string")
      return 'entries have no lasting positions: write them as a map by prefix, and the prefix, entries["203.0.113.7"]';
    const options = inputs.hostBits === "mask" ? { hostBits: "mask" as const } : {};
    const prefix = caught(
      () => Prefix.canonical(key, options),
      PrefixError,
      (error) => error,
    );
    if (typeof prefix !== "string") {
      const hint = deeper.length > 0 ? ' (a prefix stands in brackets: entries["203.0.113.7/32"])' : "";
      return `${prefix.message.replace(/\.$/, "")}${hint}`;
    }
    if (deeper.length > 0) return `an entry is ignored as a whole: write entries["${key}"]`;
    prefixes.add(prefix);
    const { entries } = inputs;
    if (!isOfState || (isObject(entries) && key in entries)) return undefined;
    if (Array.isArray(entries))
      return "the state has a list of entries, in which the engine finds no prefix: write the entries as a map by prefix";
    const other = Object.keys(membersOf(entries)).find((known) => prefixIn(known, options)?.toString() === prefix);
    return other === undefined
      ? "no entry of the state has this prefix, so the engine would leave out the one that the program declares"
      : `the state has this entry as entries["${other}"]: write it so in the program and in the path`;
  }

  function within(known: unknown, [step]: readonly (string | number)[], what: string): string | undefined {
    if (!isOfState || step === "*") return undefined;
    const isThere = Array.isArray(known)
      ? typeof step === "number" && step < known.length
      : isObject(known) && String(step) in known;
    return isThere ? undefined : `the state has no such ${what}`;
  }
}

/** Arguments that are the whole content of their resource. */
const WHOLE: readonly string[] = ["value", "prefix", "prefixes"];

function isAll(inside: readonly (string | number)[]): boolean {
  return inside.length === 0 || (inside.length === 1 && inside[0] === "*");
}

/** A step of a path: a name, a quoted name, a position or all. */
const STEP = /\.?([^.[\]"]+)|\[(?:"((?:[^"\\]|\\.)+)"|(\d+)|(\*))\]/y;

/** The steps of a property path, by the engine's grammar; `undefined` for another text. */
function stepsOf(path: string): (string | number)[] | undefined {
  const steps: (string | number)[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < path.length) {
    const found = STEP.exec(path);
    if (!found) return undefined;
    const [, name, quoted, position, every] = found;
    steps.push(position === undefined ? (name ?? quoted?.replaceAll('\\"', '"') ?? every ?? "") : Number(position));
  }
  return steps;
}
