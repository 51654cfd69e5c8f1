import { type SetOperation, type SetResult, SetWriteFailure } from "../batch/set-operation";
import type { CanonicalPrefix } from "../model/prefix";
import { formatUrl, type PrefixSetUrl } from "../model/resource-url";
import { setUrl } from "./arguments";
import { requireSameAddress } from "./changes";
import { PartialFailure, type Properties } from "./handler";
import { untouched } from "./remedy";
import type { NodeInUse, Runtime } from "./runtime";

/** A resource's set on its node: what `PrefixSet` and `PrefixSetEntry` have in common. */
export class SetAccess {
  private constructor(
    private readonly runtime: Runtime,
    readonly node: NodeInUse,
    readonly address: PrefixSetUrl,
    /** The set's url as text. */
    readonly url: string,
  ) {}

  /**
   * @param state outputs that name the address used so far, if there are any
   * @throws {ConfigError} when the node cannot be told
   * @throws {Error} when the environment names another address than the state
   */
  static open(runtime: Runtime, props: Properties, state: Properties = {}): SetAccess {
    const address = setUrl(props);
    if (!address) throw new Error("The set has no valid arena, profile and set.");
    const url = formatUrl(address);
    const node = runtime.node(props.node);
    requireSameAddress(`Set ${url}`, node, state);
    return new SetAccess(runtime, node, address, url);
  }

  /** How messages call the set: `prefixset://edge/blocked on fra1`. */
  get label(): string {
    return `Set ${this.url} on ${this.node.label}`;
  }

  /** What the node lists, shared by all reads of one refresh. */
  async observed() {
    return (await this.node.set(this.address).reads.read()).values;
  }

  /** True when some resource of this deployment wants the prefix in this set. */
  isWanted(prefix: CanonicalPrefix): boolean {
    return this.runtime.wanted.has(this.node, this.url, prefix);
  }

  /** True when the state of some resource of this deployment holds the prefix in this set. */
  isOwned(prefix: CanonicalPrefix): boolean {
    return this.runtime.owned.has(this.node, this.url, prefix);
  }

  /** Warns that the old address keeps what it holds, if the resource moves to another one. */
  hasMovedFrom(state: Properties): boolean {
    if (state.endpoint === undefined || state.endpoint === this.node.endpoint) return false;
    this.runtime.warn(
      `Set ${this.url}: the node is now reached at ${this.node.endpoint}. What ${state.endpoint} holds is left as it is; if that is another machine, clear it there.`,
    );
    return true;
  }

  /**
   * Carries out an operation and writes the audit log.
   *
   * @param partial the outputs that are true after a failure that may have changed the node
   * @throws {PartialFailure} after such a failure; any other error means that nothing was changed
   */
  async write(
    operation: SetOperation,
    props: Properties,
    partial?: (failure: SetWriteFailure) => { id: string; outputs: Properties },
  ): Promise<SetResult> {
    if (this.runtime.settings.readOnly) {
      throw new Error(`${this.label}: this stack is read-only (packetfilter:readOnly), nothing was sent.`);
    }
    try {
      const result = await this.node.set(this.address).writer.submit(operation);
      if (result.changes.size > 0) this.audit(props, "applied", result.changes);
      return result;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (!(error instanceof SetWriteFailure)) {
        this.audit(props, message, new Map());
        throw untouched(error);
      }
      const holds = (prefix: CanonicalPrefix) => error.applied.get(prefix) ?? null;
      this.audit(props, message, new Map(error.unsettled.map((prefix) => [prefix, { old: holds(prefix), new: null }])));
      if (!partial) throw error;
      const { id, outputs } = partial(error);
      const { endpoint } = this.node;
      throw new PartialFailure(message, id, { ...outputs, endpoint, unsettled: [...error.unsettled] });
    }
  }

  private audit(props: Properties, outcome: string, changes: SetResult["changes"]): void {
    const reason = typeof props.reason === "string" ? props.reason : undefined;
    const prefixes = Object.fromEntries(changes);
    this.runtime.audit({ node: this.node.label, set: this.url, prefixes, reason, outcome });
  }
}

/** Prefixes whose last write ended without a known result. */
export function unsettledOf(state: Properties): Set<CanonicalPrefix> {
  return new Set(Array.isArray(state.unsettled) ? (state.unsettled as CanonicalPrefix[]) : []);
}
