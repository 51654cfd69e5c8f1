import { count, some } from "../../../model/text";
import { type Check, hasOwed, notPassed, type Pending, type readRollout } from "./arguments";
import type { Unpassed } from "./wave-check";
import { inWaves } from "./waves";

export interface Wave {
  /** From 1, as the program counts. */
  readonly number: number;
  readonly of: number;
  readonly nodes: readonly string[];
}

/** Outcome of the writes to the nodes of a wave. */
export interface Written {
  /** Nodes whose content the run changed. */
  readonly changed: readonly string[];
  /** Nodes that failed, if the group may not go on without them. */
  readonly failed: readonly string[];
  /** Error of the first failed node. */
  readonly reason: string;
}

/** The nodes of a group for a rollout, by their names in the program. */
export interface RolloutNodes {
  readonly names: readonly string[];
  /** Name in the program of a node of the state; its own name if it left the program. */
  nameNow(node: string): string;
  /** True if a node lacks the content of the program, as far as is known. */
  needs(node: string): boolean;
  /** True if the last write to a node did not end. */
  hasFailed(node: string): boolean;
  /** In a group without a state: nodes with the content of the program, and others with another one, as far as a look saw. */
  uneven(): { readonly done: readonly string[]; readonly behind: readonly string[] } | undefined;
  /** Nodes whose content differs from the state: a killed update leaves no other trace. Silent nodes are left out. */
  strays(): Promise<readonly string[]>;
  write(nodes: readonly string[]): Promise<Written>;
}

/** Steps of a rollout between the writes. */
export interface RolloutSteps {
  /** Runs the check of these nodes. Returns those that did not pass, and why. */
  check(check: Check, nodes: readonly string[], isOnce: boolean): Promise<Unpassed | undefined>;
  pause(wave: Wave): Promise<void>;
  /** True once the run is to end. */
  isCancelled(): boolean;
  /** Sentence with the command that counts a wave as passed. */
  readonly wayOut: string;
}

/** A wave that did not pass: no later one was written. */
export interface Red {
  /** Sentences for the error. */
  readonly text: string;
  /** The new state of the rollout; absent if it stays as it is. */
  readonly pending?: Pending;
  /** Its nodes that differ from the state, and were not written for that reason. */
  readonly strays?: readonly string[];
  /** True if nothing may be written, by any program: the content of earlier runs has not passed. */
  readonly isHeld?: boolean;
}

type Read = Pick<ReturnType<typeof readRollout>, "args" | "pending">;

export interface Before extends Read {
  /** Nodes that changed since the last run, by its names. */
  readonly strays: readonly string[];
}

/** The waves of a group by its arguments; all nodes at once without them. */
export function wavesOf(names: readonly string[], { args }: Pick<Read, "args">): Wave[] {
  const all = args ? inWaves(names, args.waves) : [[...names]];
  return all.map((nodes, index) => ({ number: index + 1, of: all.length, nodes }));
}

/**
 * Brings the nodes of a group to the content of the program, wave by wave. A wave passes when its nodes have that content and
 * its check has passed. Until then no run of any program writes to another node:
 *
 * - The state names the wave that did not pass. The next run begins with its check. If that fails, and the program has the
 *   same check, the run writes the program's entries to the nodes of that wave and checks them again.
 * - A killed run leaves no state. Nodes that differ from the state are treated alike, but are written in the order of the
 *   waves: another writer may have changed them.
 * - If the program changed or dropped the check, the run uses that of the state, and writes nothing before it passes.
 * - A group that is created anew has the state of the one that it replaces, if this process has seen it. Otherwise a rollout
 *   without a check stops if some nodes have the content of the program and others do not.
 */
export class Rollout {
  private readonly waves: readonly Wave[];
  /** The check that pending nodes must pass: that of the run which wrote them. */
  private readonly owed: Check | undefined;
  private readonly isOwn: boolean;
  /** Nodes that earlier runs wrote, as far as is known. */
  private cameTo: readonly string[] = [];

  constructor(
    private readonly nodes: RolloutNodes,
    private readonly program: Pick<Read, "args">,
    private readonly state: Before,
    private readonly steps: RolloutSteps,
    /** True if the user counts the pending wave as passed. */
    private readonly isLifted: boolean,
  ) {
    this.waves = wavesOf(nodes.names, program);
    this.owed = state.args?.check ?? this.check;
    this.isOwn = hasOwed(this.owed, this.check);
  }

  private get check(): Check | undefined {
    return this.program.args?.check;
  }

  /** @returns the wave that did not pass, if one did not */
  async run(): Promise<Red | undefined> {
    const owing = await this.owing();
    if ("text" in owing) return owing;
    const isFirst = (node: string) => owing.includes(node) && !this.waits(node);
    const first = [
      ...this.part((node) => isFirst(node) && this.isRecorded(node)),
      ...this.part((node) => isFirst(node) && !this.isRecorded(node)),
    ];
    const rest = this.part((node) => !isFirst(node));
    const open = new Set(owing);
    for (const wave of first) {
      const red = await this.step(wave, { owing: open, later: [...first, ...rest], isFinal: rest.length === 0 });
      if (red) return red;
      for (const node of wave.nodes) open.delete(node);
    }
    if (open.size > 0 && this.check) {
      const unpassed = await this.steps.check(this.check, [...open], false);
      if (unpassed) return this.unwritten([...open], unpassed.reason, rest);
    }
    for (const wave of rest) {
      const red = await this.step(wave, { owing: new Set(), later: rest, isFinal: wave === rest.at(-1) });
      if (red) return red;
    }
    return undefined;
  }

  /** Runs the check of pending nodes. @returns those that must pass before all others, or the reason to stop */
  private async owing(): Promise<readonly string[] | Red> {
    const { pending } = this.state;
    if (this.isLifted) return [];
    const recorded = this.namesNow(pending?.nodes);
    const strays = this.owed ? await this.nodes.strays() : [];
    const owing = [...new Set([...recorded, ...strays])];
    this.cameTo = owing;
    const uneven = this.program.args && !this.owed ? this.nodes.uneven() : undefined;
    if (uneven) return this.held(uneven);
    if (!this.owed || owing.length === 0) return owing.filter((node) => this.nodes.names.includes(node));
    const unwritten = recorded.filter((node) => this.nodes.hasFailed(node));
    const others = strays.filter((node) => !recorded.includes(node));
    if (this.isOwn && unwritten.length > 0) {
      const unpassed = others.length > 0 ? await this.steps.check(this.owed, others, true) : undefined;
      return [...recorded, ...(unpassed?.nodes ?? [])];
    }
    const canMend = this.isOwn && owing.some((node) => this.nodes.names.includes(node) && this.nodes.needs(node));
    const check = this.isOwn && this.check ? this.check : this.owed;
    const unpassed = await this.steps.check(check, owing, canMend);
    if (!unpassed) {
      if (this.isOwn || !this.check || strays.length === 0) return unwritten;
      // A killed run of this program may have written them, whose check is not that of the state.
      const ill = await this.steps.check(this.check, strays, true);
      return [...new Set([...unwritten, ...(ill?.nodes ?? [])])];
    }
    if (canMend) return unpassed.nodes;
    const wave = pending ? { number: pending.wave, of: pending.of, nodes: owing } : this.waveOf(owing);
    const red = this.red(wave, owing, unpassed.reason, this.waves);
    if (this.isOwn) return { ...red, isHeld: true };
    const text = `${red.text} The program now has another check, or none: restore the former one. ${this.steps.wayOut}`;
    return { text, isHeld: true };
  }

  /** Stops a group without a state: it may be created again while a wave has not passed. */
  private held({ done, behind }: NonNullable<ReturnType<RolloutNodes["uneven"]>>): Red {
    const [hold, others] = [done, behind].map((nodes) => `${some(nodes)} ${nodes.length > 1 ? "hold" : "holds"}`);
    const text = `nothing was written: ${hold} what the program says, and ${others} something else, which a wave leaves if it has not passed. The engine does not show a group that is replaced or renamed, and these waves have no check. Give them the check, or run "pulumi up --refresh", which reads the state. ${this.steps.wayOut}`;
    return { text, isHeld: true };
  }

  private async step(
    wave: Wave,
    { owing, later, isFinal }: { owing: ReadonlySet<string>; later: readonly Wave[]; isFinal: boolean },
  ): Promise<Red | undefined> {
    const rest = later.slice(later.indexOf(wave) + 1);
    if (this.steps.isCancelled()) return this.cancelled([...owing], later.slice(later.indexOf(wave)));
    const { changed, failed, reason } = await this.nodes.write(wave.nodes);
    const unpassed = new Set([...failed, ...changed, ...owing]);
    if (failed.length > 0) return this.red(wave, [...unpassed], reason, rest);
    const checked = wave.nodes.filter((node) => changed.includes(node) || owing.has(node));
    if (checked.length === 0) return undefined;
    if (changed.length > 0 && !isFinal) await this.steps.pause(wave);
    const failure = this.check && (await this.steps.check(this.check, checked, false));
    return failure && this.red(wave, [...unpassed], failure.reason, rest);
  }

  /** True for a node outside the pending wave, while a node of an earlier wave needs its first write. */
  private waits(node: string): boolean {
    if (this.isRecorded(node)) return false;
    const own = this.waves.findIndex(({ nodes }) => nodes.includes(node));
    const earlier = this.waves.slice(0, Math.max(0, own)).flatMap(({ nodes }) => nodes);
    return earlier.some((other) => !this.cameTo.includes(other) && this.nodes.needs(other));
  }

  /** True for a node of the pending wave that one of our runs wrote. */
  private isRecorded(node: string): boolean {
    const { pending, strays } = this.state;
    return this.namesNow(pending?.nodes.filter((name) => !strays.includes(name))).includes(node);
  }

  private namesNow(names: readonly string[] = []): string[] {
    return names.map((name) => this.nodes.nameNow(name));
  }

  /** The waves with only some of their nodes. */
  private part(isIn: (node: string) => boolean): Wave[] {
    return this.waves.flatMap((wave) => {
      const nodes = wave.nodes.filter(isIn);
      return nodes.length > 0 ? [{ ...wave, nodes }] : [];
    });
  }

  /** The program's wave with one of these nodes; else the wave of the state. */
  private waveOf(nodes: readonly string[]): Wave {
    const found = this.waves.find((wave) => wave.nodes.some((node) => nodes.includes(node)));
    const { wave: number = 1, of = this.waves.length } = this.state.pending ?? {};
    return found ?? { number, of, nodes };
  }

  private red(wave: Wave, nodes: readonly string[], reason: string, later: readonly Wave[]): Red {
    const { number, of } = wave;
    const pending = { wave: number, of, nodes: [...nodes], reason };
    return { text: `${notPassed(pending)}${this.untouched(number, nodes, later)}`, pending };
  }

  /** Result for nodes that have not passed, and that this run does not write. */
  private unwritten(nodes: readonly string[], reason: string, later: readonly Wave[]): Red {
    const red = this.red(this.waveOf(nodes), nodes, reason, later);
    const strays = nodes.filter((node) => this.nodes.names.includes(node));
    const why =
      strays.length > 0
        ? `Nothing is written to ${some(strays)}: ${strays.length > 1 ? "they differ" : "it differs"} from the state, and earlier waves come first.`
        : "It left the program.";
    return { ...red, strays, text: `${red.text} ${why} ${this.steps.wayOut}` };
  }

  private cancelled(owing: readonly string[], later: readonly Wave[]): Red {
    const reason = "the run was cancelled";
    if (owing.length > 0) return this.red(this.waveOf(owing), owing, reason, later);
    return { text: `${reason}.${this.untouched(0, [], later)}` };
  }

  /** Sentence about other nodes that need a write and were not touched. */
  private untouched(number: number, nodes: readonly string[], others: readonly Wave[]): string {
    const isLeft = (node: string) => !nodes.includes(node) && this.nodes.needs(node);
    const left = others.filter((wave) => wave.nodes.some(isLeft));
    if (left.length === 0) return "";
    const isLater = left.every((wave) => wave.number > number);
    const [one, more] = isLater ? ["node of a later wave", "nodes of later waves"] : ["other node", "other nodes"];
    const size = left.flatMap((wave) => wave.nodes.filter(isLeft)).length;
    return ` ${count(size, `${one} was`, `${more} were`)} not touched.`;
  }
}
