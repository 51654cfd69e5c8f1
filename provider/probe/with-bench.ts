import { NodeRequests } from "../client/node-connection";
import type { NodeOptions, ReceiverOptions } from "../client/options";
import { NOT_QUOTED } from "../client/redact";
import { SignalingRequests } from "../client/signaling-request";
import { systemWorld, type World } from "../client/world";
import type { Prefix } from "../model/prefix";
import { formatUrl, type ResourceUrl } from "../model/resource-url";
import type { Limits } from "./asking/asker";
import { Bench } from "./asking/bench";
import { Ending } from "./asking/ending";
import { Receiver } from "./asking/receiver";
import { Targets } from "./asking/targets";
import type { Note } from "./asking/undo";
import { WorkSet } from "./asking/work-set";
import { LIMITS } from "./timing";

/** Connections and permissions of a probe, a check or a clean-up. */
export interface BenchOptions {
  /** Needed for {@link urls}; default: only a receiver is asked. */
  readonly node?: NodeOptions;
  /** Sets, arenas, profiles and tables of marks to ask about. */
  readonly urls: readonly ResourceUrl[];
  /** Writes to the first named set, which must be empty, and empties it again. Default: false, only lists are sent. */
  readonly write?: boolean;
  /** With {@link write}: the set may hold entries, which stay and are compared. Default: false. */
  readonly keep?: boolean;
  /** A receiver, and a prefix of the user's own that is not active and may be started for moments. */
  readonly receiver?: { readonly options: ReceiverOptions; readonly prefix: Prefix };
  /** Default: 5 000 entries, 1 MiB, 30 s for a change, 15 min in total. */
  readonly limits?: Partial<Limits>;
  /** Ends the work early. Written entries are still removed, for at most a minute. */
  readonly signal?: AbortSignal;
  /** Called before an entry or a start is sent, and after it was taken back. */
  readonly note?: (note: Note) => void;
  /** Clock, timers and transport; for tests. */
  readonly world?: Partial<World>;
}

/** Stands for the node if no url is named: a connection opens with its first request. */
export const NO_NODE: NodeOptions = { endpoint: "http://localhost" };

/** Opens the connections, does the work, and closes them. The result quotes no secret. @throws {OptionsError} */
export async function withBench<T>(options: BenchOptions, work: (bench: Bench) => Promise<T>): Promise<T> {
  const { node = NO_NODE, urls, write = false, keep = false, receiver, signal, world = {}, note } = options;
  const limits = { ...LIMITS, ...options.limits };
  const ending = new Ending({ ...systemWorld, ...world }, limits.wholeMs, signal);
  const bench = new Bench(new Targets(urls), node, limits, world, ending, note);
  const [set] = bench.targets.sets;
  if (write && set) bench.work = new WorkSet(set, bench, keep);
  if (receiver) bench.receiver = new Receiver(receiver.options, receiver.prefix, world, ending, note);
  const written = bench.work && { endpoint: bench.endpoint, set: formatUrl(bench.work.url) };
  bench.note({ begun: { ...written, receiver: bench.receiver?.endpoint } });
  const redactors = [new NodeRequests(node), ...(receiver ? [new SignalingRequests(receiver.options)] : [])];
  const names = [bench.endpoint, ...(bench.receiver ? [bench.receiver.endpoint] : []), ...urls.map(formatUrl)];
  const own = (text: string) => redactors.reduce((left, { redactor }) => redactor.text(left), text);
  const foreign = (text: string) => {
    // Names of the user's own may have escapes.
    const rest = names.reduce((left, name) => left.replaceAll(name, ""), text);
    return redactors.some(({ redactor }) => redactor.foreign(rest) === NOT_QUOTED) ? NOT_QUOTED : own(text);
  };
  try {
    return withoutSecrets(await work(bench), own, foreign);
  } finally {
    await bench.close();
  }
}

/** Hides secrets in all texts, which may quote the node, and in names of members, which are mostly those of findings. */
function withoutSecrets<T>(value: T, own: Hide, foreign: Hide): T;
function withoutSecrets(value: unknown, own: Hide, foreign: Hide): unknown {
  if (typeof value === "string") return foreign(value);
  if (Array.isArray(value)) return value.map((one) => withoutSecrets(one, own, foreign));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, one]) => [own(name), withoutSecrets(one, own, foreign)]);
  return Object.fromEntries(members);
}

type Hide = (text: string) => string;
