import * as pulumi from "@pulumi/pulumi";
import { parseNodeEndpoint } from "../client/endpoint";
import type { NodeOptions } from "../client/options";
import { attempt } from "../model/errors";
import { addTo } from "../model/group";
import type { CanonicalPrefix } from "../model/prefix";
import { formatUrl, type PrefixSetUrl } from "../model/resource-url";
import type { Settings, Target } from "../resources/settings";
import type { DeclaredSet } from "./conflicts";
import type { ReceiverToInspect, SetToInspect } from "./preview/inspect";
import type { Declarer } from "./preview/obstacles";
import { type Plan, PreviewRounds } from "./preview/rounds";
import { previewReads, programSettings } from "./settings";

/** A set of a node, with all that the program declares about it. */
export interface SetOfRun extends DeclaredSet {
  /** Declares the first that names it, until there is a second one: nothing else can contradict it. Not in a preview, which reads all. */
  waiting?: readonly (() => void)[];
  readonly toInspect: ReturnType<typeof nothingDeclared>;
}

function nothingDeclared(node: Target<NodeOptions>, url: PrefixSetUrl) {
  return {
    node,
    url,
    entries: new Map<CanonicalPrefix, number | undefined>(),
    secret: new Set<CanonicalPrefix>(),
    ignored: new Set<CanonicalPrefix>(),
    declarers: [] as Declarer[],
    isIgnored: false,
    exclusive: false,
    incomplete: false,
    isSecret: false,
  };
}

/** A receiver, with the prefixes that the program declares. */
export interface ReceiverOfRun extends ReceiverToInspect {
  readonly prefixes: Set<CanonicalPrefix>;
  isSecret: boolean;
}

/** One run of a program: several can share a process (Automation API), each with a stack of its own. */
export class Run implements Plan {
  /** Inspects what the run declares; only in a preview, and only if it may. */
  readonly rounds: PreviewRounds | undefined;
  private readonly settings: Settings = programSettings();
  private readonly nodes = new Map<unknown, Target<NodeOptions> | undefined>();
  private readonly sets = new Map<string, SetOfRun>();
  private readonly receivers = new Map<string, ReceiverOfRun>();
  private readonly news = new Set<SetOfRun | ReceiverOfRun>();

  constructor(stack: ReturnType<typeof pulumi.runtime.getStackResource>) {
    const reads = previewReads();
    if (stack && reads !== "off" && pulumi.runtime.isDryRun()) {
      this.rounds = new PreviewRounds(stack, reads === "require", this);
    }
  }

  /** The set at a node; `undefined` when the node cannot be told, which the resource's own check reports. */
  set(url: PrefixSetUrl, argument: unknown): SetOfRun | undefined {
    const node = this.node(argument);
    if (!node) return undefined;
    const key = `${parseNodeEndpoint(node.options.endpoint).shown}\n${formatUrl(url)}`;
    const found = this.sets.get(key) ?? { entries: new Map(), toInspect: nothingDeclared(node, url) };
    this.sets.set(key, found);
    this.news.add(found);
    return found;
  }

  /** The receiver; `undefined` when it cannot be told. */
  receiver(argument: unknown): ReceiverOfRun | undefined {
    const receiver = attempt(() => this.settings.receiver(argument));
    if (!receiver) return undefined;
    const { url, clientId } = receiver.options;
    const key = JSON.stringify([url, clientId]);
    const found = this.receivers.get(key) ?? { receiver, prefixes: new Set(), isSecret: false };
    this.receivers.set(key, found);
    this.news.add(found);
    return found;
  }

  takeSets(): readonly (readonly SetToInspect[])[] {
    const nodes = new Map<string, SetToInspect[]>();
    for (const { toInspect } of this.take(this.sets.values()))
      addTo(nodes, JSON.stringify(toInspect.node.options), toInspect);
    return [...nodes.values()];
  }

  takeReceivers(): readonly ReceiverToInspect[] {
    return this.take(this.receivers.values());
  }

  private take<T extends SetOfRun | ReceiverOfRun>(all: Iterable<T>): T[] {
    return [...all].filter((one) => this.news.delete(one));
  }

  /** Most resources name their node, and many the same one. */
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

/** The run that is in progress. @throws {ConfigError} for a wrong `packetfilter:previewReads` */
export function theRun(): Run {
  const stack = pulumi.runtime.getStackResource();
  const run = runs.get(stack ?? outsideOfRuns) ?? new Run(stack);
  runs.set(stack ?? outsideOfRuns, run);
  return run;
}
