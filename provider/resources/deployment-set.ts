import { Announced } from "../batch/in-flight";
import { SetWriter } from "../batch/set-writer";
import { SharedReads } from "../batch/shared-reads";
import type { NodeSet, ObservedSet } from "../client/node-set";
import { DEFAULTS, type NodeOptions } from "../client/options";
import type { ListedMap } from "../model/prefix-map";
import type { Connection, Shared } from "./connections";
import type { Addressed } from "./same-machine";
import type { Keys } from "./wanted";

/** What a `PrefixSet` is announced as. */
export const WHOLE_SET = "all entries";

/** One set of one node, as all resources of a deployment share it: one writer, one list, and what is known of its keys. */
export class DeploymentSet implements Addressed {
  readonly url: string;
  readonly endpoint: string;
  readonly title: string;
  readonly writer: SetWriter;
  readonly reads: SharedReads<ObservedSet>;
  /** Resources that were checked, by what they manage of this set: the prefix of an entry, {@link WHOLE_SET}. */
  readonly announced: Announced;
  /** Prefixes that some resource of this deployment wants in this set. */
  readonly wanted: Keys;
  /** Prefixes that the state of some resource of this deployment holds in this set. */
  readonly owned: Keys;
  /** True once the program said that it ignores changes of all entries. */
  isIgnored = false;
  readonly wantedHere: ReadonlySet<string>;
  readonly leavingHere: ReadonlySet<string>;

  constructor(
    node: Connection,
    private readonly set: NodeSet,
    { commitCoalesceMs, deadlineMs, foreignStaged }: NodeOptions,
    { world, notices, inFlight, wanted, owned, leaving, sameMachine, removals }: Shared,
  ) {
    const { url } = set;
    const label = `${url} on ${node.label}`;
    this.url = url;
    this.endpoint = node.endpoint;
    this.title = `Set ${label}`;
    this.wanted = wanted.of(node, url);
    this.owned = owned.of(node, url);
    this.wantedHere = wanted.at(node, url);
    this.leavingHere = leaving.at(node, url);
    this.announced = new Announced(inFlight);
    this.reads = new SharedReads(() => set.observe(), world);
    this.writer = new SetWriter({
      set,
      label,
      notices,
      inFlight,
      foreignStaged,
      clock: world,
      reads: this.reads,
      wanted: this.wanted,
      announced: this.announced,
      commitCoalesceMs: commitCoalesceMs ?? DEFAULTS.commitCoalesceMs,
      deadlineMs: deadlineMs ?? DEFAULTS.deadlineMs,
      removals: removals(url, label),
      sameMachine: {
        before: (observed) => sameMachine.before(url, this, observed),
        spare: (remove) => sameMachine.spare(url, this, remove),
        after: (removed) => sameMachine.after(url, this, removed),
      },
    });
    sameMachine.register(url, this);
  }

  get activity() {
    return this.writer.activity;
  }

  async list(): Promise<ListedMap> {
    return (await this.set.observe()).values;
  }

  last(): ListedMap | undefined {
    return this.set.last?.values;
  }

  putBack(entries: ListedMap): Promise<void> {
    return this.writer.putBack(entries);
  }
}
