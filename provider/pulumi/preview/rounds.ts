import * as pulumi from "@pulumi/pulumi";
import { addTo } from "../../model/group";
import { some } from "../../model/text";
import { runError, settled } from "../inputs";
import type { Inspected, ReceiverToInspect, SetToInspect } from "./inspect";

/** What a run of a program has declared since it was asked last. */
export interface Plan {
  /** The sets of each node. */
  takeSets(): readonly (readonly SetToInspect[])[];
  takeReceivers(): readonly ReceiverToInspect[];
}

/**
 * Inspects nodes and receivers during a preview, once the program has declared everything: lists are all that is sent.
 * The run is kept alive until the lines are out. A resource that the program makes later, from the outputs of another,
 * begins a further round.
 */
export class PreviewRounds {
  private readonly waiting = new Set<Promise<unknown>>();
  private isOpen = false;

  /**
   * @param stack whose outputs resolve when the program has run
   * @param isRequired true: what cannot be seen fails the preview
   */
  constructor(
    private readonly stack: { readonly outputs: pulumi.Output<unknown> },
    private readonly isRequired: boolean,
    private readonly plan: Plan,
  ) {}

  /** @param declared settles once the plan holds what a resource declares */
  add(declared: Promise<unknown> | undefined): void {
    // A resource that cannot be declared fails the program, which says why.
    if (declared) this.waiting.add(declared.catch(() => undefined));
    if (this.isOpen) return;
    this.isOpen = true;
    const done = pulumi.runtime.rpcKeepAlive();
    // An error must be with the run's handler of rejections before the run may end.
    void this.run().finally(() => setImmediate(done));
  }

  private async run(): Promise<void> {
    // A program that fails has other worries.
    const hasRun = await settled(this.stack.outputs).then(
      () => true,
      () => false,
    );
    for (let known = -1; known !== this.waiting.size; ) {
      known = this.waiting.size;
      await Promise.all(this.waiting);
      // Resources that wait for these outputs are made in the same turn.
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.isOpen = false;
    if (hasRun) await this.tell(await this.inspected());
  }

  private async inspected(): Promise<Inspected[]> {
    // Loaded here, with the client: an update needs none of it.
    const { inspectNode, inspectReceiver } = await import("./inspect.js");
    const sets = this.plan.takeSets().map((ofNode) => inspectNode(ofNode, this.isRequired));
    const receivers = this.plan.takeReceivers().map(async (one) => [await inspectReceiver(one, this.isRequired)]);
    return (await Promise.all([...sets, ...receivers])).flat();
  }

  private async tell(inspected: readonly Inspected[]): Promise<void> {
    const agreeing = inspected.filter((result) => result.kind === "agrees").map(({ what }) => what);
    if (agreeing.length > 0) await pulumi.log.info(`now as the program declares: ${some(agreeing)}`);
    for (const line of differing(inspected)) await pulumi.log.info(line);
    const unseen = inspected.flatMap((result) =>
      result.kind === "refused" || result.kind === "silent" ? [result] : [],
    );
    if (this.isRequired && unseen.length > 0) {
      const lines = unseen.map(({ line }) => line).join("\n");
      throw runError(`packetfilter:previewReads is "require", and not everything can be seen:\n${lines}`);
    }
    const obstacles = inspected.flatMap(({ obstacle }) => obstacle ?? []);
    if (obstacles.length > 0) {
      throw runError(
        `up would fail (without this inspection: packetfilter:previewReads "off"):\n${obstacles.join("\n")}`,
      );
    }
    for (const { kind, line } of unseen) await (kind === "refused" ? pulumi.log.warn(line) : pulumi.log.info(line));
  }
}

/** What is different, in a line for all nodes at which it is the same. */
function differing(inspected: readonly Inspected[]): string[] {
  const places = new Map<string, string[]>();
  for (const result of inspected) {
    if (result.kind !== "differs") continue;
    addTo(places, `${result.about} now: ${result.text}`, result.at);
  }
  return [...places].map(([said, at]) => `${some(at)} ${said}`);
}
