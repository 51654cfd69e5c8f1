import type { Runtime } from "../../../deployment/runtime";
import { attempt } from "../../../model/errors";
import type { JsonObject } from "../../../model/json";
import { type CanonicalPrefix, Prefix } from "../../../model/prefix";
import { overlaps } from "../../../model/prefix-index";
import type { ListedMap } from "../../../model/prefix-map";
import { formatUrl, setUrl } from "../../../model/resource-url";
import { type GroupInputs, type GroupMembers, type GroupState, readInputs, withoutFound } from "../state";
import { type readRollout, renamed } from "./arguments";

/** State of a leaving group, for the one that replaces it. */
export interface Former extends Pick<ReturnType<typeof readRollout>, "args" | "pending"> {
  /** Entries of the last program at each node that was written. */
  readonly bases: ReadonlyMap<string, ListedMap>;
}

/** Rollout of a group in a state. */
interface RecordedRollout extends Former {
  readonly url: string;
  /** Addresses of its nodes: by the state, or by the configuration for a node that was never written. */
  readonly endpoints: ReadonlyMap<string, string>;
  readonly state: GroupState;
}

/** A group of the program; it is new if it has no state. */
interface DeclaredGroup {
  readonly inputs: JsonObject;
  readonly endpoints: ReadonlySet<string>;
  readonly isNew: boolean;
}

/** The set and the nodes of a new group, by their addresses. */
interface NewPlace {
  readonly url: string;
  readonly names: ReadonlyMap<string, string>;
}

/**
 * Rollouts of the states that this process has received. The engine creates a replacement or a renamed group without its former
 * state: only a refresh or a comparison of the same run shows the wave that has not passed.
 */
export class FormerRollouts {
  private static readonly ofProcesses = new WeakMap<Runtime, FormerRollouts>();
  private readonly recorded: RecordedRollout[] = [];
  private readonly declared: DeclaredGroup[] = [];

  private constructor(private readonly runtime: Runtime) {}

  /** Rollouts of a process, shared by its handlers. */
  static in(runtime: Runtime): FormerRollouts {
    const formers = FormerRollouts.ofProcesses.get(runtime) ?? new FormerRollouts(runtime);
    FormerRollouts.ofProcesses.set(runtime, formers);
    return formers;
  }

  /** @param url The set that replaces this one, if it is another one. */
  add(state: GroupState, url = formatUrl(state.address)): void {
    const { args, pending } = state.rollout;
    const bases = new Map([...state.endpoints.keys()].map((node) => [node, withoutFound(state.of(node))]));
    const unwritten = [...state.nodes.keys()].flatMap((node) => {
      const endpoint = attempt(() => this.runtime.node(node).endpoint);
      return state.endpoints.has(node) || endpoint === undefined ? [] : [[node, endpoint] as const];
    });
    const endpoints = new Map([...state.endpoints, ...unwritten]);
    this.recorded.push({ url, endpoints, args, pending, bases, state });
  }

  /** Former rollout for the nodes of a new group, by its names. @param places Its nodes with their addresses. */
  at(inputs: GroupInputs, places: ReadonlyMap<string, string>): Former | undefined {
    const url = formatUrl(inputs.address);
    const names = new Map([...places].map(([node, endpoint]) => [endpoint, node]));
    const isHere = (it: RecordedRollout) => it.url === url && [...it.endpoints.values()].some((at) => names.has(at));
    const here = this.recorded.filter((it) => isHere(it) && !this.isAnothers(it, inputs, { url, names }));
    const former = here.findLast(({ pending }) => pending) ?? here.at(-1);
    if (!former) return undefined;
    const { args, pending, bases, endpoints } = former;
    const nameNow = (node: string) => names.get(endpoints.get(node) ?? "") ?? node;
    const named = new Map([...bases].map(([node, entries]) => [nameNow(node), entries]));
    return { args, pending: pending && renamed(pending, nameNow), bases: named };
  }

  /** True if another group of the program goes on with this content at these addresses, and the new one declares nothing of it. */
  private isAnothers({ state, endpoints }: RecordedRollout, inputs: GroupInputs, { url, names }: NewPlace): boolean {
    const held = heldBy(state);
    if (touches(inputs, held)) return false;
    const shared = [...endpoints.values()].filter((endpoint) => names.has(endpoint));
    return this.declared.some(
      ({ inputs: other, endpoints: now }) =>
        setUrlOf(other) === url && shared.every((endpoint) => now.has(endpoint)) && goesOnWith(readInputs(other), held),
    );
  }

  /** Records a group of the program. @param inputs As `check` makes them. @param endpoints The addresses of its nodes. */
  declare(inputs: JsonObject, endpoints: Iterable<string>, isNew: boolean): void {
    this.declared.push({ inputs, endpoints: new Set(endpoints), isNew });
  }

  /**
   * The group of the program that has the set of a deleted one, at one of its addresses. A group with a state of its own takes
   * the place of none of which it declares nothing.
   */
  successor(state: GroupState): GroupInputs | undefined {
    const url = formatUrl(state.address);
    const held = heldBy(state);
    const found = this.declared.findLast(({ inputs, endpoints, isNew }) => {
      const isNear = [...state.endpoints.values()].some((at) => endpoints.has(at));
      return setUrlOf(inputs) === url && isNear && (isNew || touches(readInputs(inputs), held));
    });
    return found && readInputs(found.inputs);
  }
}

/** Entries that a group had at its nodes, or was to have. */
function heldBy(state: GroupState): ReadonlySet<CanonicalPrefix> {
  const written = [...state.endpoints.keys()].flatMap((node) => [...state.of(node).entries.keys()]);
  return new Set([...written, ...declaredBy(state)]);
}

/** True if a group of the program declares some of these entries. */
function goesOnWith(inputs: GroupInputs, held: ReadonlySet<CanonicalPrefix>): boolean {
  return [...declaredBy(inputs)].some((prefix) => held.has(prefix));
}

/** True if a group declares some of the addresses of these entries, be it in other prefixes. */
function touches(inputs: GroupInputs, held: ReadonlySet<CanonicalPrefix>): boolean {
  const [declared, before] = [declaredBy(inputs), held].map((all) => [...all].map(Prefix.fromCanonical));
  return overlaps(declared ?? [], before ?? []).length > 0;
}

function declaredBy({ nodes, contentOf }: Pick<GroupMembers, "nodes" | "contentOf">): ReadonlySet<CanonicalPrefix> {
  return new Set([...nodes.keys()].flatMap((node) => [...contentOf(node).entries.keys()]));
}

function setUrlOf(inputs: JsonObject): string | undefined {
  const address = setUrl(inputs);
  return address && formatUrl(address);
}
