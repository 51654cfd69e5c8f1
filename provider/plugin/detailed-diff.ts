import { isObject, type JsonObject, sameJson } from "../model/json";

/** One difference between old and new inputs, by the path that the engine shows. */
export interface Difference {
  readonly path: string;
  readonly kind: "add" | "delete" | "update";
}

/** Maps of which each key is a line of its own: one changed entry among ten thousand is one line. */
const BY_KEY: readonly string[] = ["entries", "notes", "nodes"];

/** What is different between two sets of inputs, argument by argument, and entries one by one. */
export function detailedDiff(olds: JsonObject, news: JsonObject): Difference[] {
  return namesOf(olds, news).flatMap((name) => {
    const [before, after] = [olds[name], news[name]];
    if (BY_KEY.includes(name) && isObject(before) && isObject(after)) {
      return namesOf(before, after).flatMap((key) =>
        compared(`${name}[${JSON.stringify(key)}]`, before[key], after[key]),
      );
    }
    return compared(name, before, after);
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
