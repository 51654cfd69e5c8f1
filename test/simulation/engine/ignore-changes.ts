import { isObject, type JsonObject } from "../../../provider/model/json";

/** Resets ignored paths of new inputs to those of the state, before any check, as the engine does. */
export function withIgnored(news: JsonObject, olds: JsonObject, paths: readonly string[]): JsonObject {
  if (paths.length === 0) return news;
  const result: Record<string, unknown> = structuredClone(news);
  for (const path of paths) {
    if (path === "*") return structuredClone(olds);
    reset(result, olds, steps(path));
  }
  return result;
}

function steps(path: string): string[] {
  return [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.[\]]+)/g)].map(
    ([, quoted, index, name]) => quoted ?? index ?? name ?? "",
  );
}

function reset(news: Record<string, unknown>, olds: JsonObject, [step = "", ...rest]: readonly string[]): void {
  const [now, before] = [news[step], olds[step]];
  if (rest.length > 0) {
    if (isObject(now)) reset(now as Record<string, unknown>, isObject(before) ? before : {}, rest);
    return;
  }
  if (before === undefined) delete news[step];
  else news[step] = structuredClone(before);
}
