import { caught, messageOf } from "../../model/errors";
import { nameProblem, parseUrl, type ResourceUrl, withoutEnding } from "../../model/resource-url";
import type { JournalFilter } from "./schema-types";

const SCHEMES = ["arena", "profile", "prefixset", "mark"] as const;

/**
 * True if a request for this resource matches the `url` of a filter or a fault: the address with or without a slash at its
 * end, or a beginning with `*` after it.
 */
export function matchesUrl(pattern: string, url: string | undefined): boolean {
  if (url === undefined) return false;
  return pattern.endsWith("*") ? url.startsWith(pattern.slice(0, -1)) : withoutSlash(pattern) === withoutSlash(url);
}

const withoutSlash = (url: string) => url.replace(/\/$/, "");

/** Reason why the `url` of a filter or a fault can match no address; `undefined` if it can. */
export function addressProblem(url: string, cmd?: JournalFilter["cmd"]): string | undefined {
  const place = kindOf(url);
  // By the switch `commitUrl`, that of a commit may be any other, or that of all sets of an arena.
  const isOther = place === "prefixset" ? /^prefixset:\/\/[^/]+\/?$/.test(url) : url.includes("://");
  if (cmd === "commit" && isOther) return undefined;
  if (place === undefined) {
    if (isBeginning(url)) return undefined;
    const names = withoutEnding(url.replace(/^\/+/, ""), "/*").split("/");
    const meant =
      names.length > 1 && names.every((name) => !nameProblem(name))
        ? `; did you mean prefixset://${names.join("/")}?`
        : "";
    return `${JSON.stringify(url)} is not a resource address: it must begin with arena://, profile://, prefixset:// or mark://${meant}`;
  }
  if (url.endsWith("*")) return undefined;
  // A request may name something that does not exist, but not with too many or too few names.
  const [, path = ""] = url.split("://");
  if (path.split("/").some((name) => name !== "" && nameProblem(name) !== undefined)) return undefined;
  return caught(() => void parseUrl(url), Error, messageOf)?.replace(/\.$/, "");
}

/** Kind of resource of an address or of its beginning, if that is clear already. */
export function kindOf(url: string): ResourceUrl["kind"] | undefined {
  return SCHEMES.find((scheme) => url.startsWith(`${scheme}://`));
}

/** True for a pattern such as `prefix*`, which may still become an address. */
function isBeginning(url: string): boolean {
  return url.endsWith("*") && SCHEMES.some((scheme) => `${scheme}://`.startsWith(url.slice(0, -1)));
}
