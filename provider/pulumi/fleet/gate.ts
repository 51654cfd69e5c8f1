import * as pulumi from "@pulumi/pulumi";
import { messageOf } from "../../model/errors";
import { sameJson } from "../../model/json";

/** Is called with the names of the nodes that a wave has changed; what it throws stops the waves that follow. */
export type WaveCheck = (names: string[]) => Promise<void> | void;

/** What happens between two waves, and what it goes by. */
export interface GateOptions {
  readonly pauseMs?: number | undefined;
  readonly check?: WaveCheck | undefined;
  /** Lists the fleet's set at one node; `undefined` where that fails. */
  list(node: string): Promise<object | undefined>;
}

/** What the set of each node held, of those that could be listed. */
type Seen = ReadonlyMap<string, object | undefined>;

/**
 * Between a wave and the next one. The next begins when the wave's group has succeeded, the pause is over and the
 * check has passed. Pause and check come after a wave that changed something only, and never in a preview: with one of
 * them each set is listed before and after its wave, since neither the engine nor a state says what a run has changed.
 */
export class Gate {
  /** Resolves, to the group of the last wave, once that has let the next one pass. */
  private open: pulumi.Input<pulumi.Resource[]> = [];
  private readonly lists: boolean;

  constructor(
    private readonly fleet: pulumi.Resource,
    private readonly name: string,
    private readonly options: GateOptions,
  ) {
    const { pauseMs = 0, check } = options;
    this.lists = (pauseMs > 0 || check !== undefined) && !pulumi.runtime.isDryRun();
  }

  /**
   * Lets one wave through.
   *
   * @param register Makes the wave's group, which depends on what it is given.
   */
  pass<T extends pulumi.CustomResource>(
    names: readonly string[],
    { number, isFinal }: { readonly number: number; readonly isFinal: boolean },
    register: (dependsOn: pulumi.Input<pulumi.Resource[]>) => T,
  ): T {
    if (!this.lists) {
      const group = register(this.open);
      this.open = [group];
      return group;
    }
    const before = Promise.resolve(this.open as Promise<pulumi.Resource[]> | pulumi.Resource[]);
    const seen = before.then(() => this.listed(names));
    const group = register(seen.then(() => before));
    this.open = Promise.all([seen, registered(group)]).then(async ([sets]) => {
      const after = await this.listed(names);
      // A node that answered neither list is one that maxUnreachable lets the wave go on without.
      const isSilent = (node: string) => !sets.has(node) && !after.has(node);
      const changed = names.filter((node) => !isSilent(node) && !sameJson(sets.get(node), after.get(node)));
      if (changed.length > 0) await this.rest(changed, number, isFinal);
      return [group];
    });
    return group;
  }

  private async listed(names: readonly string[]): Promise<Seen> {
    const sets = await Promise.all(names.map(async (node) => [node, await this.options.list(node)] as const));
    return new Map(sets.filter(([, set]) => set !== undefined));
  }

  private async rest(changed: string[], number: number, isFinal: boolean): Promise<void> {
    const { pauseMs = 0, check } = this.options;
    const wave = `${this.name}: wave ${number} (${changed.join(", ")})`;
    if (pauseMs > 0 && !isFinal) {
      await pulumi.log.info(
        `${wave} is through; the next one waits ${pauseMs / 1_000} s.`,
        this.fleet,
        undefined,
        true,
      );
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    try {
      await check?.(changed);
    } catch (error) {
      throw new pulumi.RunError(
        `${wave} is through, and its check failed: ${messageOf(error)} No later wave was touched. The next "pulumi up" goes on with them: it checks only what it changes itself.`,
      );
    }
  }
}

function registered({ urn }: pulumi.CustomResource): Promise<void> {
  return new Promise((resolve) => void urn.apply(() => resolve()));
}
