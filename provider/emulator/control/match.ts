import type { ControlRoute } from "./route";

/** The operation for a method and path; or the methods that the path has. */
export function matchRoute(
  routes: readonly ControlRoute[],
  method: string,
  pathname: string,
): { route: ControlRoute; path: Record<string, string> } | { allowed: string[] } {
  const candidates = routes.flatMap((it) => {
    const path = matchPath(it.path, pathname);
    return path ? [{ route: it, path }] : [];
  });
  const allowed = new Set(candidates.map((it) => it.route.method));
  return candidates.find((it) => it.route.method === method) ?? { allowed: [...allowed] };
}

function matchPath(pattern: string, pathname: string): Record<string, string> | undefined {
  const [wanted, given] = [pattern.split("/"), pathname.split("/")];
  if (wanted.length !== given.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    const value = given[at] ?? "";
    if (part.startsWith("{")) parameters[part.slice(1, -1)] = decodeURIComponent(value);
    else if (part !== value) return undefined;
  }
  return parameters;
}
