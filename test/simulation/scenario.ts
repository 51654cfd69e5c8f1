import type { Fault } from "../../provider/emulator";

/**
 * Everything that a seed draws, as plain JSON: it can be run again, made smaller, written to a file, and given to the real engine. What happens follows
 * from it alone.
 */
export interface Scenario {
  readonly seed: number;
  readonly nodes: readonly NodePlan[];
  readonly receivers: readonly ReceiverPlan[];
  readonly stacks: readonly StackPlan[];
  /** Events, one after the other. */
  readonly turns: readonly Turn[];
}

/** A machine that filters packets. */
export interface NodePlan {
  /** Name in the configurations, for example `n1`; its address is `http://<name>.example`. */
  readonly name: string;
  /** Other names in the configurations, which lead to the same machine. */
  readonly aliases?: readonly string[];
  /** Switches of the emulator's dialect; absent: the default. */
  readonly dialect?: Readonly<Record<string, unknown>>;
  /** Content at the start: url of a set to prefix to value. A set that is not named does not exist. */
  readonly sets: Readonly<Record<string, Entries>>;
}

/** Prefix to value. */
export type Entries = Readonly<Record<string, number>>;

/** A signaling receiver with one client. */
export interface ReceiverPlan {
  /** Name in the configurations, for example `r1`; its address is `http://<name>.example`. */
  readonly name: string;
  /** Prefixes that are active at the start. */
  readonly active: readonly string[];
  /** As that of a node. */
  readonly dialect?: NodePlan["dialect"];
}

/** Way of the engine to the provider: the SDK's server of dynamic resources, or the protocol of the plugin. */
export type Door = "dynamic" | "plugin";

/** A stack. */
export interface StackPlan {
  readonly name: string;
  readonly door: Door;
  /** Settings for `packetfilter:`; nodes and receivers of the scenario are added by name. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Provider resources of the program beside the default one, each a process of its own: 0 to 2. */
  readonly instances: number;
}

/** Something that happens. */
export type Turn =
  /** One or two stacks run at the same time. */
  | { readonly kind: "runs"; readonly runs: readonly Run[] }
  /** An actor does something between runs. */
  | { readonly kind: "act"; readonly act: Act };

/** One command of the engine for one stack. */
export interface Run {
  /** Index of the stack. */
  readonly stack: number;
  readonly command: "preview" | "up" | "refresh" | "destroy";
  /** The program; without effect on refresh and destroy. */
  readonly program: readonly Declared[];
  readonly options: RunOptions;
  /** The program has a mistake that must fail in the preview. */
  readonly isMistake?: true;
  /** The program has none, and neither its preview nor the run must fail. */
  readonly isSound?: true;
  /** Settings beside those of the stack. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Environment of its processes. */
  readonly env?: Readonly<Record<string, string>>;
  /** The processes of the run cannot read what the others tell them. */
  readonly isDeaf?: true;
  /** Events meanwhile. */
  readonly meanwhile: readonly Disturbance[];
}

/** Types of resources. */
export type TypeName = "PrefixSet" | "PrefixSetEntry" | "PrefixSetGroup" | "CloudSignaling";

/** A resource of a program. */
export interface Declared {
  readonly type: TypeName;
  readonly name: string;
  /** Arguments as the program writes them. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly options?: ResourceOptions;
}

/** Options of a resource, as in the SDK. */
export interface ResourceOptions {
  readonly protect?: boolean;
  readonly retainOnDelete?: boolean;
  readonly deleteBeforeReplace?: boolean;
  readonly ignoreChanges?: readonly string[];
  /** Former names. */
  readonly aliases?: readonly string[];
  readonly dependsOn?: readonly string[];
  readonly replaceOnChanges?: readonly string[];
  /** Arguments that are secret. */
  readonly secret?: readonly string[];
  /** Arguments that a preview does not know. */
  readonly unknown?: readonly string[];
  /** Index of the provider resource; absent: the default one. */
  readonly instance?: number;
}

/** Options of a command. Resources are named by their names. */
export interface RunOptions {
  /** `--refresh`. */
  readonly refresh?: boolean;
  readonly targets?: readonly string[];
  readonly excludes?: readonly string[];
  readonly replace?: readonly string[];
  readonly continueOnError?: boolean;
  readonly parallel?: number;
}

/** Requests that a disturbance counts apart: those that publish, and those that ask for the health of a node. */
export type RequestKind = "commit" | "check";

/** Something that happens while a run is under way. */
export type Disturbance =
  /** A fault of the emulator, at a node or receiver, from the moment the run begins. */
  | { readonly kind: "fault"; readonly at: string; readonly fault: Fault }
  /** The engine and its providers are killed at this request of the run, counted from 1: of all requests, of its commits, or of its checks. */
  | { readonly kind: "kill"; readonly request: number; readonly of?: RequestKind; readonly when: "before" | "after" }
  /** Ctrl-C when this request of the run has been sent. */
  | { readonly kind: "cancel"; readonly request: number; readonly of?: RequestKind }
  /** An actor acts when this request of the run has been answered. */
  | { readonly kind: "act"; readonly request: number; readonly act: Act };

/** Deed of an actor. */
export type Act =
  /** A colleague's script: a change of a set, with or without its commit. */
  | {
      readonly actor: "colleague";
      readonly node: string;
      readonly set: string;
      readonly insert?: Entries;
      readonly remove?: readonly string[];
      readonly commit: boolean;
    }
  /** Another client of a receiver. */
  | {
      readonly actor: "client";
      readonly receiver: string;
      readonly start?: readonly string[];
      readonly stop?: readonly string[];
    }
  /** A node restarts with an empty set, an older one, or its own without what was staged. */
  | { readonly actor: "node"; readonly node: string; readonly restart: "empty" | "older" | "same" }
  /** A node or receiver answers nothing until it is back. */
  | { readonly actor: "outage"; readonly at: string; readonly silent: boolean }
  /** Something in front of a node shows so many entries of a list at a time, and says so; absent: all of them. */
  | { readonly actor: "pages"; readonly node: string; readonly most?: number }
  /** The health check of a node: passes, fails or never answers. */
  | { readonly actor: "health"; readonly node: string; readonly state: "pass" | "fail" | "hang" }
  /** Time passes. */
  | { readonly actor: "time"; readonly ms: number }
  /** The calendar of the operator's machine jumps; durations are not affected. */
  | { readonly actor: "calendar"; readonly ms: number }
  /** A command of the on-call engineer. */
  | {
      readonly actor: "on-call";
      readonly command: "block" | "unblock";
      readonly nodes: readonly string[];
      readonly set: string;
      readonly prefix: string;
    }
  /** A command with the settings of the first stack and a prefix file, which keeps what it wrote for the next one. */
  | {
      readonly actor: "operator";
      readonly command: "block" | "unblock" | "expire";
      readonly nodes: readonly string[];
      readonly set: string;
      /** Prefixes to block or unblock; those of the file for `expire`. */
      readonly prefixes: readonly string[];
      readonly value?: number;
      /** Milliseconds until a block is over. */
      readonly ms?: number;
      /** A fault of each node while the command runs. */
      readonly fault?: Fault;
      /** Nothing is in its way. */
      readonly isSound?: true;
    }
  /** The state of a stack is replaced by one of so many runs ago (`stack import`). */
  | { readonly actor: "restore"; readonly stack: number; readonly runsAgo: number };
