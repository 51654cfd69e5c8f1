import type { ListedValue } from "../model/entry";
import type { CanonicalPrefix } from "../model/prefix";

/** Place of an event: a set at a node, or the signalings of a receiver. */
export interface EventPlace {
  /** Url of the set; none for signalings. */
  readonly url?: string | undefined;
  /** Name of the node or receiver, else its address; none if it is not known. */
  readonly at?: string | undefined;
}

type Prefixes = readonly CanonicalPrefix[];

interface OfPrefixes {
  /** All of them: a sentence names the first few. */
  readonly prefixes: Prefixes;
}

/** An entry with a value that the program does not declare. */
export interface OtherValue {
  readonly prefix: CanonicalPrefix;
  readonly value: ListedValue;
  readonly desired: ListedValue | undefined;
}

/** Entries that another writer inserted, removed and changed. */
export interface ForeignChanges {
  readonly inserted: Prefixes;
  readonly removed: Prefixes;
  readonly changed: Prefixes;
}

/** Why entries were gone that were to stay. */
export type LossCause =
  | { readonly by: "another writer" }
  | { readonly by: "earlier run" }
  | { readonly by: "late declaration" }
  | { readonly by: "one machine"; readonly address: string; readonly isDistinct: boolean };

type OnDestroy = "remove" | "keep" | "created";

/** A write to a set, by the answers to its requests and the lists after it. */
export interface WriteEvents {
  /** Changes that no list after the commit shows are sent once more. */
  notShown: OfPrefixes;
  /** The commit of this process published changes that it did not send. */
  published: ForeignChanges;
  /** Another writer has staged changes that a commit of this run would publish. */
  foreignStaged: ForeignChanges;
  /** Entries were sent again, and a list after their commit shows them. Without a cause: a loss at the node. */
  restored: OfPrefixes & { readonly cause?: LossCause };
  notRestored: OfPrefixes & { readonly cause: LossCause; readonly error: string };
  /** Entries stay, since the machine may be the one where they are declared. */
  protected: OfPrefixes & { readonly address: string; readonly isExplained: boolean };
  /** Entries were there as declared, before the resource: by the list before its first write, or by a look. */
  alreadyThere: OfPrefixes & { readonly isPlanned: boolean; readonly onDestroy: OnDestroy };
  /** Entries that the program does not declare so are taken into the state, unchanged. */
  adopted: {
    readonly entries: readonly OtherValue[];
    readonly of: "set" | "entry";
    readonly isPlanned: boolean;
    readonly onDestroy: OnDestroy;
  };
  /** A delete and its commit removed entries together with their resource. */
  removed: OfPrefixes;
  /** Entries of the state were gone before a delete. */
  goneBefore: OfPrefixes & { readonly isEmpty: boolean };
  /** The node has no such set. */
  setAbsent: { readonly proof: string };
  /** A delete left entries because of `onDestroy`. */
  left: OfPrefixes & { readonly of: "set" | "entry" | "group"; readonly onDestroy: "keep" | "created" };
  /** A delete left entries of an exclusive set that the stack did not know. */
  leftUnknown: OfPrefixes;
  /** A delete left entries, since another resource declares them, or has adopted them in this run. */
  leftDeclared: OfPrefixes & { readonly of: "set" | "entry"; readonly wasFound: boolean };
  /** A change was made, and the audit log lacks it. */
  notLogged: { readonly file: string; readonly reason: string };
  /** A write left what the program does not declare so. */
  leftUndeclared: { readonly undeclared: Prefixes; readonly different: Prefixes };
}

/** The content of a set by a look or refresh, before anything is sent. */
export interface LookEvents {
  /** Declared entries are missing, and this run restores them. */
  missing: OfPrefixes;
  /** Declared entries have other values: restored, or left with `ignoreChanges`. */
  different: { readonly entries: readonly OtherValue[]; readonly isIgnored: boolean };
  /** A refresh found a loss. */
  lacked: OfPrefixes & { readonly of: "set" | "entry"; readonly isRestored: boolean };
  /** The same of more entries than are named one by one. */
  moreMissing: { readonly isRefresh: boolean };
  /** Undeclared entries: those that this run removes, and those of others, which it keeps. */
  undeclared: { readonly removes: Prefixes; readonly keeps: Prefixes };
  /** An interrupted run of this stack left entries, which this run removes. */
  interrupted: OfPrefixes;
  /** An earlier run may have left other values or removals of declared entries staged, which this run takes back. */
  leftStaged: OfPrefixes;
  /** This run restores what is lost, and then fails by a limit, or by entries in the way that another resource may give up. */
  overLimit: { readonly reason: string; readonly isInTheWay: boolean };
  /** An `up` will do this to entries that a refresh found, a create adopted or a killed create left. */
  foreign: {
    readonly outcome: "found" | "removes" | "changes" | "keeps";
    /** Without a declared value: an entry that the program does not declare. */
    readonly entries: readonly OtherValue[];
  };
  /** The same of an entry of its own. */
  adoptedEntry: OfPrefixes & { readonly held: unknown; readonly desired: unknown; readonly isExpired: boolean };
  /** The list is a refusal, or cannot be read. */
  unreadable: { readonly reason: string; readonly usesState: boolean };
  /** No answer came in the time of a look. */
  silent: {
    readonly is: "busy" | "silent";
    readonly reason: string | undefined;
    readonly isFirst: boolean;
    readonly isNew: boolean;
  };
  /** A refresh went on without a node. */
  notRefreshed: { readonly reason: string };
  /** The node is reached at another address than the one of the state. */
  moved: { readonly from: string; readonly to: string };
  /** The same, in the preview of what this run sends there. */
  movedPlan: { readonly from: string; readonly to: string };
  /** A delete will have no credentials. */
  withoutCredentials: { readonly remedy: string };
}

/** Numbers of a planned change. */
export type PlanNumbers =
  | { readonly declared: number }
  | {
      readonly inserts: number;
      readonly removes: number;
      readonly expired: Prefixes;
      readonly changes: number;
      readonly after: number;
    };

/** Nodes with the same planned change. */
export interface PlanOfNodes {
  readonly nodes: readonly string[];
  /** Differences that a refresh found there. */
  readonly found: { readonly lacks: number; readonly undeclared: number; readonly different: number };
  readonly plan: PlanNumbers;
}

interface OfResource {
  /** Name of the resource, where others may have a part of the set. */
  readonly name?: string | undefined;
  /** Its type, for a message without a url; `PrefixSet` if absent. */
  readonly type?: string | undefined;
}

interface OfNodes {
  /** Nodes of a group with the same finding, in place of one node. */
  readonly nodes?: readonly string[] | undefined;
}

/** Findings of a check, without any request. */
export interface PlanEvents {
  /** A dubious argument. */
  dubious: { readonly type: string; readonly warning: string };
  planned: OfResource & { readonly plan: PlanNumbers };
  groupPlanned: OfResource & { readonly parts: readonly PlanOfNodes[]; readonly nodes: number };
  /** Entries leave with this run, since they have expired. */
  expires: OfResource & OfNodes & OfPrefixes;
  /** Declared entries have expired. */
  expired: OfResource &
    OfNodes & { readonly entries: readonly { readonly prefix: CanonicalPrefix; readonly expires: string }[] };
  expiredEntry: OfPrefixes & {
    readonly expires: string | undefined;
    readonly wasHeld: boolean;
    /** Value that `block --now` put there. */
    readonly sent: unknown;
  };
  /** `block --now` put entries there that no program declares any more. */
  withdrawn: OfResource & OfNodes & { readonly entries: readonly (readonly [CanonicalPrefix, ListedValue])[] };
}

/** A wave that did not pass, in the steps of an `up`. */
interface FailedStep {
  readonly wave: number;
  readonly of: number;
  readonly nodes: readonly string[];
  readonly reason: string;
  /** True if the program has another check than the one that the wave did not pass, or none. */
  readonly isBlocked: boolean;
}

/** The run of a group over its nodes. */
export interface GroupEvents {
  mayBeOneMachine: { readonly addresses: number };
  progress: {
    readonly work: string;
    readonly done: number;
    readonly of: number;
    readonly failed: number;
  };
  /** Nodes did not answer, and the group goes on without them. */
  notReached: {
    readonly nodes: readonly string[];
    readonly outcome: "state kept" | "left";
    readonly allowed: number;
    readonly reasons: readonly string[];
  };
  /** `wave`: none where nodes went back to what they had. */
  paused: { readonly wave: number | undefined; readonly of: number; readonly ms: number };
  /** Steps of an `up` by the rollout. */
  nextSteps: {
    readonly back?: readonly string[] | undefined;
    readonly next?: { readonly wave: number; readonly of: number; readonly nodes: readonly string[] } | undefined;
    readonly failed?: FailedStep | undefined;
  };
  /** Changes of a node that the arguments do not show. */
  changes: {
    readonly removes: Prefixes;
    readonly inserts: Prefixes;
    readonly changes: Prefixes;
    readonly isEarly: boolean;
  };
  /** A node leaves the group: what `up` leaves there and clears. */
  leaves: OfPrefixes & { readonly kept: Prefixes; readonly like: readonly string[]; readonly isForgotten: boolean };
  notCleared: { readonly unfilled?: readonly string[] | undefined };
}

/** Signalings at a receiver, by its answers. */
export interface SignalingEvents {
  /** Active already, by a look at a new resource. */
  activeBefore: OfPrefixes & { readonly isPlanned: boolean; readonly stopsAll: boolean };
  /** Declared and not active: this run starts them. */
  notActive: OfPrefixes;
  /** An interrupted run of this stack started them: this run stops them. */
  interruptedStart: OfPrefixes;
  /** Stopped while another resource began to declare them, and started again. */
  startedAgain: OfPrefixes & { readonly error?: string };
  /** They stay active, since another resource declares them. */
  leftActive: OfPrefixes & { readonly isHandedOn: boolean };
  /** They stay as they are: this resource does not stop them. */
  leftAsFound: OfPrefixes & { readonly isNone: boolean };
  /** The request was answered, and the status cannot be read. */
  outcomeUnknown: OfPrefixes & { readonly operation: "start" | "stop"; readonly reason: string };
  /** The stop was refused, and the status does not show them. */
  stopRefused: OfPrefixes & { readonly reason: string };
  receiverMoved: { readonly from: string; readonly to: string };
  receiverUnreadable: { readonly reason: string };
}

type Events = WriteEvents & LookEvents & PlanEvents & GroupEvents & SignalingEvents;

export type EventKind = keyof Events;
/** An event of a kind: what happened or was found, as data. Only `messages/` makes sentences of it. */
export type EventOf<K extends EventKind> = { readonly kind: K } & EventPlace & Events[K];
export type AnyEvent = { [K in EventKind]: EventOf<K> }[EventKind];
/** An event without its place. */
export type EventHere = { [K in EventKind]: { readonly kind: K } & Events[K] }[EventKind];

/** Takes the events of a run. */
export interface Reporter {
  report(event: AnyEvent): void;
}
