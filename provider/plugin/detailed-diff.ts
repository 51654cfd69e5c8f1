import { isObject, type JsonObject, membersOf, sameJson } from "../model/json";
import { OPEN_MATTERS } from "../resources/changes";

/** One difference between old and new inputs, by the path that the engine shows. */
export interface Difference {
  readonly path: string;
  readonly kind: "add" | "delete" | "update";
  /** True where outputs differ, and not inputs. */
  readonly isOfState?: true;
}

/** Lists of which each element is a line of its own, whatever its position. */
const BY_ELEMENT: readonly string[] = ["entries", "nodes", "prefixes", "forbiddenPrefixes", "requiredPrefixes"];

/** Maps of which each key is a line of its own: one changed entry among ten thousand is one line. */
const BY_KEY: readonly string[] = ["entries", "nodes"];

/**
 * Differences between two sets of inputs, argument by argument, and entries one by one.
 *
 * @param secrets Arguments that are secret: a path below one would show its keys.
 */
export function detailedDiff(olds: JsonObject, news: JsonObject, secrets: readonly string[] = []): Difference[] {
  return namesOf(olds, news).flatMap((name) => {
    const [before, after] = [olds[name], news[name]];
    if (secrets.includes(name)) return compared(name, before, after);
    if (BY_KEY.includes(name) && isObject(before) && isObject(after)) {
      const compare = name === "entries" ? comparedEntry : compared;
      return namesOf(before, after).flatMap((key) =>
        compare(`${name}[${JSON.stringify(key)}]`, before[key], after[key]),
      );
    }
    if (BY_ELEMENT.includes(name) && Array.isArray(before) && Array.isArray(after))
      return byElement(name, before, after);
    return compared(name, before, after);
  });
}

/**
 * Work left by the state alone, where no argument differs: a wave that has not passed, nodes that left and are still
 * held, what a run left open. Without a line of its own the engine shows the whole resource.
 *
 * @param news In canonical form: `nodes` may be a list as the program wrote it.
 */
export function leftToDo(olds: JsonObject, news: JsonObject): Difference[] {
  const waves = compared("rollout", olds.rollout, news.rollout);
  const nodes = Object.keys(membersOf(olds.endpoints)).filter((name) => !(name in membersOf(news.nodes)));
  const open = OPEN_MATTERS.filter((name) => olds[name] !== undefined);
  const left = nodes.map((name) => ({ path: `nodes[${JSON.stringify(name)}]`, kind: "delete" }) as const);
  const state = [...waves, ...open.map((path) => ({ path, kind: "delete" }) as const)];
  if (left.length + state.length === 0) state.push({ path: "endpoint", kind: "update" });
  return [...left, ...state.map((difference) => ({ ...difference, isOfState: true as const }))];
}

/** Members of an entry with a note, one by one: the value is not its reason. */
function comparedEntry(path: string, before: unknown, after: unknown): Difference[] {
  if (!isObject(before) || !isObject(after)) return compared(path, before, after);
  return namesOf(before, after).flatMap((member) => compared(`${path}.${member}`, before[member], after[member]));
}

/** Elements that leave by their former position, and those that come by their new one: the others have only moved. */
function byElement(name: string, before: readonly unknown[], after: readonly unknown[]): Difference[] {
  const positionsOfOthers = (list: readonly unknown[], others: readonly unknown[]) => {
    const known = new Set(others.map((element) => JSON.stringify(element)));
    return new Set(list.flatMap((element, index) => (known.has(JSON.stringify(element)) ? [] : [index])));
  };
  const [left, came] = [positionsOfOthers(before, after), positionsOfOthers(after, before)];
  const positions = [...new Set([...left, ...came])].sort((a, b) => a - b);
  return positions.map((index) => {
    const kind = left.has(index) && came.has(index) ? "update" : left.has(index) ? "delete" : "add";
    return { path: `${name}[${index}]`, kind };
  });
}

function compared(path: string, before: unknown, after: unknown): Difference[] {
  if (before === after || sameJson(before, after)) return [];
  if (before === undefined) return [{ path, kind: "add" }];
  return [{ path, kind: after === undefined ? "delete" : "update" }];
}

/** Names that begin with `__` are hidden from people. */
function namesOf(...objects: readonly JsonObject[]): string[] {
  return [...new Set(objects.flatMap(Object.keys))].filter((name) => !name.startsWith("__"));
}
