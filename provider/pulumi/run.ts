import * as pulumi from "@pulumi/pulumi";
import { parseNodeEndpoint } from "../client/endpoint";
import type { NodeOptions, ReceiverOptions } from "../client/options";
import type { DeclaredSet } from "../deployment/conflicts";
import { attempt } from "../model/errors";
import { formatUrl, type PrefixSetUrl } from "../model/resource-url";
import type { Settings, Target } from "../settings/settings";
import { programSettings, unreadKeys } from "./settings";

/** A set of a node, with the program's declarations. */
export interface SetOfRun extends DeclaredSet {
  /** Declaration of the first resource, postponed until there is a second one that could contradict it. */
  waiting?: readonly (() => void)[];
  readonly node: Target<NodeOptions>;
}

/** One run of a program: several can share a process (Automation API), each with a stack of its own. */
export class Run {
  private readonly settings: Settings = programSettings();
  private readonly nodes = new Map<unknown, Target<NodeOptions> | undefined>();
  private readonly sets = new Map<string, SetOfRun>();
  private readonly setsOfInstances = new Map<object, Map<string, SetOfRun>>();
  private readonly said = new Set<string>();

  /** Warns once of each key in the stack's configuration that nothing reads. @throws {ConfigError} for a likely limit */
  judgeKeys(): void {
    for (const sentence of unreadKeys()) {
      if (!this.said.has(sentence)) void pulumi.log.warn(sentence);
      this.said.add(sentence);
    }
  }

  /**
   * The set at a node; `undefined` for an unknown node, which the resource's own check reports.
   *
   * @param instance Provider resource with a configuration of its own: its nodes are not those of the stack.
   */
  set(url: PrefixSetUrl, argument: unknown, instance?: object): SetOfRun | undefined {
    const node = this.node(argument);
    if (!node) return undefined;
    const key = `${parseNodeEndpoint(node.options.endpoint).shown}\n${formatUrl(url)}`;
    const sets = instance === undefined ? this.sets : (this.setsOfInstances.get(instance) ?? new Map());
    const found: SetOfRun = sets.get(key) ?? { entries: new Map(), node };
    sets.set(key, found);
    if (instance !== undefined) this.setsOfInstances.set(instance, sets);
    return found;
  }

  /** The receiver; `undefined` if it is unknown. */
  receiver(argument: unknown): Target<ReceiverOptions> | undefined {
    return attempt(() => this.settings.receiver(argument));
  }

  /** Keeps the nodes by name, since many resources name the same one. */
  private node(argument: unknown): Target<NodeOptions> | undefined {
    if (typeof argument === "object" && argument !== null) return attempt(() => this.settings.node(argument));
    if (!this.nodes.has(argument)) {
      const target = attempt(() => this.settings.node(argument));
      this.nodes.set(argument, target);
    }
    return this.nodes.get(argument);
  }
}

const runs = new WeakMap<object, Run>();
const outsideOfRuns = {};

/** The run that is in progress. */
export function theRun(): Run {
  const stack = pulumi.runtime.getStackResource();
  const run = runs.get(stack ?? outsideOfRuns) ?? new Run();
  runs.set(stack ?? outsideOfRuns, run);
  return run;
}
