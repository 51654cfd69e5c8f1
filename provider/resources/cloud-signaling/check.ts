import type { CanonicalPrefix } from "../../model/prefix";
import { checkArguments } from "../arguments";
import { ArgumentProblem, parseAt } from "../entries";
import type { Checked } from "../handler";
import { hasUnknown, type JsonObject, UNKNOWN } from "../json";
import type { Runtime } from "../runtime";
import { cloudSignalingSchema } from "./arguments";
import { inOrder } from "./state";

/** `check` of a `CloudSignaling`: everything that can be told without a request. */
export function checkCloudSignaling(runtime: Runtime, news: JsonObject): Checked {
  const { given, args, problems } = checkArguments(cloudSignalingSchema, news);
  if (!args) return { inputs: news, problems };
  const receiver = hasUnknown(given.receiver) ? undefined : runtime.receiver(given.receiver);
  if (hasUnknown(given.prefixes) || !args.prefixes) return { inputs: { ...news, prefixes: UNKNOWN }, problems: [] };
  const found: string[] = [];
  const prefixes = new Set<CanonicalPrefix>();
  for (const [index, spelling] of args.prefixes.entries()) {
    try {
      prefixes.add(parseAt(() => `prefixes[${index}]`, spelling, args.hostBits));
    } catch (error) {
      if (!(error instanceof ArgumentProblem)) throw error;
      found.push(error.message);
    }
  }
  if (found.length > 0) return { inputs: news, problems: found };
  receiver?.wanted.add(prefixes);
  return { inputs: { ...news, prefixes: inOrder(prefixes) }, problems: [] };
}
