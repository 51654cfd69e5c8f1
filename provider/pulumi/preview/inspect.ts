import { RequestError } from "../../client/errors";
import { NodeClient } from "../../client/node-client";
import { DEFAULTS, type NodeOptions, type ReceiverOptions } from "../../client/options";
import { SignalingClient } from "../../client/signaling-client";
import { PacketFilterError } from "../../model/errors";
import type { CanonicalPrefix } from "../../model/prefix";
import { formatUrl, type PrefixSetUrl } from "../../model/resource-url";
import { count, some } from "../../model/text";
import { SECRET_MARK } from "../../resources/secret-names";
import type { Target } from "../../resources/settings";
import { comparison, type Declared } from "./comparison";
import { areAllCreated, type Declarer, obstacle } from "./obstacles";

/** How long a preview waits for a node that it may do without, in milliseconds. */
const PATIENCE_MS = 2_000;

/** A set that the program declares something about. */
export interface SetToInspect extends Declared {
  readonly node: Target<NodeOptions>;
  readonly url: PrefixSetUrl;
  readonly declarers: readonly Declarer[];
}

/** A receiver whose signalings the program declares. */
export interface ReceiverToInspect {
  readonly receiver: Target<ReceiverOptions>;
  readonly prefixes: ReadonlySet<CanonicalPrefix>;
  /** True where prefixes are secret: then they are counted and not named. */
  readonly isSecret: boolean;
}

/** What the inspection of one object came to. */
export type Inspected = Outcome & {
  /** Why the `up` will fail there, where that is certain. */
  readonly obstacle?: string | undefined;
};

type Outcome =
  | { readonly kind: "agrees"; readonly what: string }
  /** `at`: the node or receiver; `about`: what was looked at there. */
  | { readonly kind: "differs"; readonly at: string; readonly about: string; readonly text: string }
  /** The node or receiver answered, and the answer is no, or unreadable. */
  | { readonly kind: "refused"; readonly line: string }
  | { readonly kind: "silent"; readonly line: string };

/**
 * Lists the sets of one node, each once. A node that does not answer the first list is asked nothing more, so that it
 * delays a preview once and not for each set.
 *
 * @param patient true: waits as long as the node's own options allow, else {@link PATIENCE_MS}
 */
export async function inspectNode(sets: readonly SetToInspect[], patient: boolean): Promise<Inspected[]> {
  const [first, ...others] = sets;
  if (!first) return [];
  const client = new NodeClient(hurried(first.node.options, patient));
  const label = first.node.name ?? client.endpoint;
  const inspectSet = async (set: SetToInspect): Promise<Inspected> => {
    const what = `${label} ${formatUrl(set.url)}`;
    try {
      const listed = await client.set(set.url, () => set.isSecret).list();
      const content = new Map(listed.map(({ prefix, value }) => [prefix.toString(), value]));
      const text = comparison(content, set);
      if (text === undefined) return { kind: "agrees", what };
      const hindrance = await obstacle(content, set, set.declarers);
      return {
        kind: "differs",
        at: label,
        about: formatUrl(set.url),
        text,
        obstacle: hindrance === undefined ? undefined : `${what} ${hindrance}`,
      };
    } catch (error) {
      const result = failed(what, error);
      const isCertain = result.kind === "refused" && (await areAllCreated(set.declarers));
      return isCertain ? { ...result, obstacle: result.line } : result;
    }
  };
  try {
    const result = await inspectSet(first);
    if (result.kind !== "silent") return [result, ...(await Promise.all(others.map(inspectSet)))];
    const more = others.length > 0 ? ` The same goes for ${count(others.length, "other set")} there.` : "";
    return [{ ...result, line: `${result.line}${more}` }];
  } finally {
    await client.close();
  }
}

/** Asks a receiver once what is active. */
export async function inspectReceiver(
  { receiver, prefixes, isSecret }: ReceiverToInspect,
  patient: boolean,
): Promise<Inspected> {
  const client = new SignalingClient(hurried(receiver.options, patient), {}, undefined, () => isSecret);
  const at = receiver.name ?? client.endpoint;
  const what = `${at} signaling`;
  try {
    const active = new Set((await client.status()).map((prefix) => prefix.toString()));
    const named = (which: readonly CanonicalPrefix[]) => `${which.length} (${isSecret ? SECRET_MARK : some(which)})`;
    const idle = [...prefixes].filter((prefix) => !active.has(prefix));
    if (idle.length === 0) return { kind: "agrees", what };
    const already = [...prefixes].filter((prefix) => active.has(prefix));
    const adopted = already.length > 0 ? `; active already, and adopted: ${named(already)}` : "";
    return { kind: "differs", at, about: "signaling", text: `not active ${named(idle)}${adopted}` };
  } catch (error) {
    return failed(what, error);
  } finally {
    await client.close();
  }
}

function hurried<O extends NodeOptions | ReceiverOptions>(options: O, patient: boolean): O {
  if (patient) return options;
  const { timeoutMs = DEFAULTS.timeoutMs, deadlineMs = DEFAULTS.deadlineMs } = options;
  return { ...options, timeoutMs: Math.min(timeoutMs, PATIENCE_MS), deadlineMs: Math.min(deadlineMs, PATIENCE_MS) };
}

/** Tells a node that answered, refusing or in an unknown shape, from one that did not. */
function failed(what: string, error: unknown): Extract<Outcome, { readonly line: string }> {
  if (!(error instanceof PacketFilterError)) throw error;
  const answered = error instanceof RequestError && (error.status !== undefined || error.outcome === "refused");
  if (answered) return { kind: "refused", line: `${what} now: ${error.message}` };
  return { kind: "silent", line: `${what}: not seen, the plan is by the state alone. ${error.message}` };
}
