import { z } from "zod";
import type { Runtime } from "../../deployment/runtime";
import type { About, Checked } from "../../engine/handler";
import { isEntryValue, sentPlace } from "../../model/entry";
import { hasUnknown, type JsonObject, sameJson, UNKNOWN, without } from "../../model/json";
import type { CanonicalPrefix } from "../../model/prefix";
import type { ListedMap } from "../../model/prefix-map";
import { formatUrl, setUrl } from "../../model/resource-url";
import { checkArguments, entryLimitShape } from "../../reconcile/arguments";
import { isExpired, noting, parseAt } from "../../reconcile/entries";
import { contentLimits, entryProblems, valueProblems } from "../../reconcile/limits/content";
import { ConfigError } from "../../settings/settings";
import { prefixSetEntrySchema } from "./state";

const entryLimits = z.object(entryLimitShape);

/** `check` of a `PrefixSetEntry`: all that needs no request, with all problems at once. */
export function checkPrefixSetEntry(runtime: Runtime, olds: JsonObject, news: JsonObject, about: About = {}): Checked {
  const { given, args, problems } = checkArguments(prefixSetEntrySchema, judged(olds, news));
  const { prefix: spelling, hostBits } = given;
  const found = [...problems];
  const prefix =
    typeof spelling === "string" && spelling !== UNKNOWN
      ? noting(found, () => parseAt(() => "prefix", spelling, hostBits === "mask" ? hostBits : undefined))
      : undefined;
  const limiting = entryLimits.safeParse(args ?? news).data;
  const limits = limiting && noting(found, () => contentLimits(limiting, runtime.settings));
  if (limits && prefix !== undefined) found.push(...entryProblems([prefix], limits));
  const node = hasUnknown(given.node) ? undefined : noting(found, () => runtime.node(given.node), ConfigError);
  const expired = isExpired(args?.expires, runtime.today);
  if (prefix !== undefined && args?.value !== undefined && !expired)
    found.push(...valueProblems(new Map([[prefix, args.value]]), heldBefore(olds, prefix), node?.maxValue));
  if (found.length > 0 || !args) return { inputs: news, problems: found };
  if (prefix === undefined) return { inputs: news, problems: [] };
  const address = setUrl(given);
  if (node && address) {
    const set = node.set(address);
    const wide = limits && !expired ? set.coverage.add(about.urn, [prefix], limits) : [];
    if (wide.length > 0) return { inputs: news, problems: wide };
    const declared = { type: "PrefixSetEntry", entries: new Set([prefix]), exclusive: false } as const;
    const conflict = set.declare(about, declared);
    if (conflict !== undefined) return { inputs: news, problems: [conflict] };
    set.announced.add(prefix);
    set.sent.declare(prefix, about);
    if (about.ignored === true) set.ignore([prefix]);
    if (!expired) set.desired.add([prefix]);
    if (!expired && args.sent) set.takeSent(new Map([[prefix, args.sent]]));
  }
  const put = node && address && args.sent?.[sentPlace(node.endpoint, formatUrl(address))];
  if (expired) {
    // If it was held before, the preview shows an update, and this is the reason.
    const wasHeld = olds.prefix === prefix && olds.expired !== true;
    const where = { url: address && formatUrl(address), at: node?.label };
    const sent = olds.prefix === prefix ? undefined : put;
    runtime.notices.report({
      kind: "expiredEntry",
      ...where,
      prefixes: [prefix],
      expires: args.expires,
      wasHeld,
      sent,
    });
  }
  // `sent` does not belong to the state.
  const inputs = { ...without(news, ["sent"]), prefix };
  return { inputs: { ...inputs, ...(expired && { expired, ...(put !== undefined && { put }) }) }, problems: [] };
}

/** Entries of the set by the state. */
function heldBefore(olds: JsonObject, prefix: CanonicalPrefix): ListedMap {
  const { value } = olds;
  return new Map(olds.prefix === prefix && isEntryValue(value) ? [[prefix, value]] : []);
}

/** Leaves out an invalid value of the state, which the engine passes with `ignoreChanges`. */
function judged(olds: JsonObject, news: JsonObject): JsonObject {
  const { value } = news;
  const isBlocked = value !== undefined && !isEntryValue(value) && sameJson(olds.value, value);
  return isBlocked ? { ...without(news, ["value"]) } : news;
}
