import { Announced } from "../apply/in-flight";
import type { FlushOptions } from "../apply/set-flush";
import { SetWriter, type SetWriterOptions } from "../apply/set-writer";
import { SharedReads } from "../apply/shared-reads";
import { SHARED_FOR_MS } from "../apply/times";
import type { Clock } from "../client/clock";
import { NodeClient } from "../client/node-client";
import { NodeConnection } from "../client/node-connection";
import { NodeSet, type ObservedSet } from "../client/node-set";
import { DEFAULTS, type NodeOptions } from "../client/options";
import type { About } from "../engine/handler";
import type { EventPlace } from "../messages/events";
import { type SentTo, sentPlace } from "../model/entry";
import { type CanonicalPrefix, Prefix } from "../model/prefix";
import type { ListedMap } from "../model/prefix-map";
import { formatUrl, type PrefixSetUrl } from "../model/resource-url";
import type { Keys, KeysHere } from "../reconcile/desired";
import type { RemovalBudget } from "../reconcile/limits/removals";
import { SharedCoverage } from "../reconcile/limits/shared-coverage";
import type { Target } from "../settings/settings";
import type { Declarations, Declared } from "./conflicts";
import type { Connection, KnownSet, Shared } from "./connections";
import type { Addressed } from "./same-machine";
import { SentBefore } from "./sent-before";

/** A node in use, with its sets in this process. It sends nothing before a set is used. */
export class NodeInUse implements Connection {
  readonly name: string | undefined;
  readonly endpoint: string;
  readonly label: string;
  readonly fromEnvironment: boolean;
  readonly remedy: string | undefined;
  readonly maxValue: number | undefined;
  /** Present if a refresh goes on without the node (`onUnreachable: "skip"`). */
  readonly unreachable: Unreachable | undefined;
  private readonly connection: NodeConnection;
  private readonly sets = new Map<string, DeploymentSet>();

  constructor(
    private readonly target: Target<NodeOptions>,
    private readonly shared: Shared,
  ) {
    this.connection = new NodeConnection(target.options, shared.world, target.name);
    this.name = target.name;
    this.endpoint = this.connection.endpoint;
    this.maxValue = this.connection.options.maxValue;
    this.label = target.name ?? this.endpoint;
    this.fromEnvironment = target.fromEnvironment;
    this.remedy = target.remedy;
    this.unreachable = target.options.onUnreachable === "skip" ? new Unreachable(shared.world) : undefined;
  }

  /** A set of this node, with its one writer and its shared list. */
  set(address: PrefixSetUrl): DeploymentSet {
    const url = formatUrl(address);
    const inUse = this.sets.get(url);
    if (inUse) return inUse;
    const listed = new NodeSet(this.connection, address, () => this.shared.secretObjects.has(url, this));
    const set = new DeploymentSet(this, listed, this.target.options, this.shared);
    this.sets.set(url, set);
    return set;
  }

  /**
   * Proof that a set does not exist, as half a sentence. A proxy or another machine refuses too: only a node that lists the
   * profiles of the arena is believed.
   *
   * @param status Status of the refusal to list the set.
   */
  async proofOfAbsence({ arena, profile }: PrefixSetUrl, status: number | undefined): Promise<string | undefined> {
    const client = new NodeClient(this.target.options, this.shared.world, this.target.name);
    const profiles = await client.listProfiles(arena).catch(() => undefined);
    await client.close();
    if (!profiles) return undefined;
    const isGone = profile !== undefined && profiles.every(({ name }) => name !== profile);
    if (isGone) return `the node lists the profiles of ${arena}, and ${profile} is not among them`;
    return status === 404 ? `the node lists the profiles of ${arena}, and answers 404 to this set` : undefined;
  }
}

/** A node that did not answer a refresh. For a while its other sets are not listed: each would wait for a timeout. */
class Unreachable {
  private last: { readonly at: number; readonly message: string } | undefined;

  constructor(private readonly clock: Pick<Clock, "monotonic">) {}

  /** Error of the last list, if that was a moment ago. */
  get message(): string | undefined {
    return this.last && this.clock.monotonic() - this.last.at < SHARED_FOR_MS ? this.last.message : undefined;
  }

  keep(message: string): void {
    this.last = { at: this.clock.monotonic(), message };
  }
}

/** Announcement of a `PrefixSet`. */
export const WHOLE_SET = "all entries";

/** One set of one node, shared by all resources of a deployment that name the node so: one writer, one list, one registry of keys. */
export class DeploymentSet implements Addressed {
  readonly url: string;
  readonly endpoint: string;
  readonly title: string;
  readonly place: EventPlace;
  readonly writer: SetWriter;
  readonly removals: RemovalBudget;
  readonly reads: SharedReads<ObservedSet>;
  /** Checked resources of this set, by the prefix of an entry or {@link WHOLE_SET}. */
  readonly announced: Announced;
  /** Prefixes that some resource of this deployment wants in this set. */
  readonly desired: Keys;
  /** Prefixes of this set in the state of some resource of this deployment. */
  readonly managed: Keys;
  /** {@link managed} of this process, under any name of the node. */
  readonly managedHere: KeysHere;
  readonly declaring: KnownSet["declaring"];
  readonly existed: KnownSet["existed"];
  readonly adopted: Keys;
  readonly staged: KnownSet["staged"];
  readonly blocked: KnownSet["blocked"];
  readonly coverage: KnownSet["coverage"];
  /** Notes of killed runs about this set. */
  readonly sent: SentBefore;
  /** Entries whose changes the program ignores. */
  private readonly ignored: Pick<ReadonlySet<CanonicalPrefix>, "has">[] = [];
  /** Entries that the look of this process saw; `undefined` without a look. */
  observed: ListedMap | undefined;
  private readonly declarations: Declarations;
  readonly wantedHere: KeysHere;
  /** Prefixes that some resource of this deployment wants in a set of this url, at any address. */
  readonly desiredAnywhere: Pick<KeysHere, "has">;

  constructor(
    node: Connection,
    private readonly set: NodeSet,
    { commitCoalesceMs, deadlineMs, foreignStaged }: NodeOptions,
    {
      world,
      notices,
      audit,
      inFlight,
      desired,
      adopted,
      managed,
      sets,
      commits,
      declared,
      notes,
      run,
      sameMachine,
      removals,
    }: Shared,
  ) {
    this.declarations = declared;
    const { url } = set;
    const label = `${url} on ${node.label}`;
    this.url = url;
    this.endpoint = node.endpoint;
    this.title = `Set ${label}`;
    this.place = { url, at: node.label };
    this.desired = desired.of(node, url);
    this.managed = managed.of(node, url);
    this.managedHere = managed.at(node, url);
    const place = sentPlace(node.endpoint, url);
    const known = sets.get(place) ?? newSet();
    sets.set(place, known);
    this.existed = known.existed;
    this.adopted = adopted.of({ endpoint: node.endpoint }, url);
    this.staged = known.staged;
    this.blocked = known.blocked;
    this.declaring = known.declaring;
    this.coverage = known.coverage;
    this.wantedHere = desired.at(node, url);
    this.desiredAnywhere = desired.anywhere(url);
    this.announced = new Announced(inFlight);
    this.sent = new SentBefore(notes, place, run);
    this.reads = new SharedReads((options) => set.observe(options), world, known.writes);
    const commit = sentPlace(node.endpoint, set.commitUrl);
    const together = commits.get(commit) ?? new Map<string, FlushOptions>();
    commits.set(commit, together);
    this.removals = removals(url, label, node.endpoint);
    const options: SetWriterOptions = {
      set,
      label,
      at: node.label,
      notices,
      audit: (ended) =>
        audit(() => {
          const written = ended();
          return written && { node: node.label, set: url, ...written };
        }),
      inFlight,
      foreignStaged,
      clock: world,
      reads: this.reads,
      leftovers: known.leftovers,
      desired: this.desired,
      announced: this.announced,
      commitCoalesceMs: commitCoalesceMs ?? DEFAULTS.commitCoalesceMs,
      deadlineMs: deadlineMs ?? DEFAULTS.deadlineMs,
      removals: this.removals,
      leftStaged: this.sent,
      sameMachine: {
        protect: (remove) => sameMachine.protect(url, this, remove),
        after: (removed) => sameMachine.after(url, this, removed),
      },
      together,
    };
    together.set(url, options);
    this.writer = new SetWriter(options);
    sameMachine.register(url, this);
  }

  /** Adds the declaration of a resource. Returns a contradiction, as a sentence. */
  declare(about: About, declared: Declared): string | undefined {
    const conflict = this.declarations.enter(about, this, this.url, declared);
    return conflict && `${this.title}: ${conflict}`;
  }

  /** Records values with which `block --now` inserted declared entries here: another one in the program is its change. */
  takeSent(sent: ReadonlyMap<CanonicalPrefix, SentTo>): void {
    for (const [prefix, { [sentPlace(this.endpoint, this.url)]: value }] of sent)
      if (value !== undefined) this.blocked.set(prefix, value);
  }

  /**
   * The program ignores changes of entries of a resource.
   *
   * @param ignored `true` for all, or their prefixes.
   * @param own The prefixes of the resource, in its state and its program.
   */
  ignore(ignored: About["ignored"], ...own: readonly Pick<ReadonlySet<CanonicalPrefix>, "has">[]): void {
    if (ignored === true) this.ignored.push(...own);
    else if (ignored !== undefined && ignored.length > 0)
      this.ignored.push(new Set(ignored.map((prefix) => Prefix.canonical(prefix))));
  }

  /** True for an entry whose other values the program leaves. */
  ignores(prefix: CanonicalPrefix): boolean {
    return this.ignored.some((some) => some.has(prefix));
  }

  async list(): Promise<ListedMap> {
    return (await this.set.observe()).values;
  }

  last(): ListedMap | undefined {
    return this.set.last?.values;
  }

  restore(entries: ListedMap): Promise<ListedMap> {
    return this.writer.restore(entries);
  }
}

function newSet(): KnownSet {
  const coverage = new SharedCoverage();
  return {
    existed: new Set(),
    staged: new Set(),
    leftovers: new Set(),
    writes: { begun: 0 },
    declaring: [],
    blocked: new Map(),
    coverage,
  };
}
