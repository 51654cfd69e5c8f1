import { checkArguments, setUrl } from "../arguments";
import { ArgumentProblem, isExpired, parseAt } from "../entries";
import type { Checked } from "../handler";
import type { JsonObject } from "../json";
import { contentRails } from "../limits";
import { entryProblems } from "../rails";
import type { Runtime } from "../runtime";
import { hasUnknown, UNKNOWN } from "../unknown";
import { prefixSetEntrySchema } from "./arguments";

/** `check` of a `PrefixSetEntry`: everything that can be told without a request. */
export function checkPrefixSetEntry(runtime: Runtime, news: JsonObject): Checked {
  const { given, args, problems } = checkArguments(prefixSetEntrySchema, news);
  if (!args) return { inputs: news, problems };
  const node = hasUnknown(given.node) ? undefined : runtime.node(given.node);
  if (given.prefix === UNKNOWN) return { inputs: news, problems: [] };
  try {
    const prefix = parseAt("prefix", given.prefix, args.hostBits);
    const found = entryProblems([prefix], contentRails(args, runtime.settings));
    if (found.length > 0) return { inputs: news, problems: found };
    const expired = isExpired(args.expires, runtime.today);
    const address = setUrl(given);
    if (node && address && !expired) node.set(address).wanted.add([prefix]);
    return { inputs: { ...news, prefix, ...(expired ? { expired: true } : {}) }, problems: [] };
  } catch (error) {
    if (error instanceof ArgumentProblem) return { inputs: news, problems: [error.message] };
    throw error;
  }
}
