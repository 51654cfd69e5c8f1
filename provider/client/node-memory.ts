import { MarkPace } from "./mark-pace";

/** What this process has learnt about one node, whoever asked: connections of any name and spelling share it. */
export interface NodeMemory {
  /** Places in answers where the node listed keyed objects: there, an empty object is an empty list. */
  readonly keyedPlaces: Set<string>;
  /** When lists of marks began and ended. */
  readonly marks: MarkPace;
}

/** The nodes that a process has talked to, by their canonical base urls. */
export class NodeMemories {
  private readonly nodes = new Map<string, NodeMemory>();

  /** @param endpoint Canonical base url, without userinfo and `/fapi`. */
  of(endpoint: string): NodeMemory {
    const known = this.nodes.get(endpoint) ?? { keyedPlaces: new Set(), marks: new MarkPace() };
    this.nodes.set(endpoint, known);
    return known;
  }
}

/** What this process has learnt, unless somebody brings a memory of their own. */
export const processMemories = new NodeMemories();
