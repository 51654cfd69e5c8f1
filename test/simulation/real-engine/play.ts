import { setTimeout as sleep } from "node:timers/promises";
import type { Act, Run, Scenario } from "../scenario";
import { carryOut } from "./acts";
import type { EngineOutcome, EngineRunning, RealEngine } from "./engine";
import { RealWorld } from "./world";

/** A command of the engine with the preview before it and what the machines held. */
export interface PlayedRun {
  readonly turn: number;
  readonly run: Run;
  /** The preview that an operator sees before an `up`. If it failed, nothing followed. */
  readonly preview?: Deployed;
  readonly done: Deployed;
  /** True if no fault, act, kill, cancel, outage or other stack disturbed it. */
  readonly isCalm: boolean;
}

/** One deployment. */
export interface Deployed {
  readonly isPreview: boolean;
  readonly outcome: EngineOutcome;
  /** State of the stack before. */
  readonly before: EngineOutcome["state"];
  /** Requests in the journal of each machine before and after. */
  readonly from: Readonly<Record<string, number>>;
  readonly to: Readonly<Record<string, number>>;
}

/** Plays a scenario with the real engine. */
export class Player implements AsyncDisposable {
  readonly played: PlayedRun[] = [];
  private readonly states = new Map<number, EngineOutcome["state"]>();

  private constructor(
    readonly scenario: Scenario,
    readonly world: RealWorld,
    private readonly engine: RealEngine,
    /** Keeps the stacks of scenarios apart. */
    private readonly label: string,
  ) {}

  static async open(scenario: Scenario, engine: RealEngine, label = `s${scenario.seed}`): Promise<Player> {
    return new Player(scenario, await RealWorld.open(scenario), engine, label);
  }

  /** Plays all turns. */
  async play(judge: (run: PlayedRun) => void = () => {}): Promise<void> {
    for (const [turn, what] of this.scenario.turns.entries()) {
      if (what.kind === "act") {
        await this.act(what.act);
        continue;
      }
      const played = await Promise.all(what.runs.map((run) => this.one(turn, run, what.runs.length > 1)));
      await this.world.clearFaults();
      for (const run of played) {
        this.played.push(run);
        judge(run);
      }
    }
  }

  /** One more run, for example to see whether all is well in the end. */
  async more(run: Run): Promise<PlayedRun> {
    const played = await this.one(this.scenario.turns.length, run, false);
    this.played.push(played);
    return played;
  }

  /** The state of a stack. */
  state(stack: number): EngineOutcome["state"] {
    return this.states.get(stack) ?? [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.scenario.stacks.map((_, index) => this.engine.forget(this.stackName(index))));
    await this.world[Symbol.asyncDispose]();
  }

  private async act(act: Act): Promise<void> {
    if (act.actor === "restore") {
      const state = await this.engine.restore(this.stackName(act.stack), act.runsAgo);
      this.states.set(act.stack, this.world.normal(state));
    } else await carryOut(act, this.world);
  }

  private async one(turn: number, run: Run, hasCompany: boolean): Promise<PlayedRun> {
    const isCalm = run.meanwhile.length === 0 && !hasCompany && this.world.isCalm;
    const preview =
      run.command === "up" && !process.env.SKIP_PREVIEW
        ? await this.deploy({ ...run, command: "preview", meanwhile: [] })
        : undefined;
    if (preview?.outcome.failed) return { turn, run, preview, done: preview, isCalm };
    const done = await this.deploy(run);
    return { turn, run, ...(preview && { preview }), done, isCalm };
  }

  private async deploy({ stack, command, program, options, meanwhile }: Run): Promise<Deployed> {
    const { world } = this;
    const [before, from] = [this.state(stack), world.places()];
    const of = { command, options, program: world.real(stack, program), config: world.settings(stack) };
    const { instances } = world.scenario.stacks[stack] ?? { instances: 0 };
    for (const it of meanwhile) if (it.kind === "fault") world.fail(it.at, it.fault);
    let running: EngineRunning | undefined;
    let isKilled = false;
    world.watch(stack, {
      sending: async (request) => {
        const mine = meanwhile.filter((it) => it.kind !== "fault" && it.request === request);
        if (mine.some((it) => it.kind === "kill" && it.when === "before")) {
          isKilled = true;
          await running?.kill();
        }
        if (isKilled) return false;
        if (mine.some((it) => it.kind === "cancel")) await running?.cancel();
        return true;
      },
      answered: async (request) => {
        for (const it of meanwhile) {
          if (it.kind === "fault" || it.request !== request) continue;
          if (it.kind === "kill" && it.when === "after") {
            isKilled = true;
            await running?.kill();
          }
          if (it.kind === "act") await this.act(it.act);
        }
      },
    });
    running = this.engine.run(this.stackName(stack), { ...of, instances });
    const outcome = world.normal(await running.outcome);
    world.watch(stack, undefined);
    await sleep(world.lag(meanwhile));
    if (command !== "preview") this.states.set(stack, outcome.state);
    return { isPreview: command === "preview", outcome, before, from, to: world.places() };
  }

  private stackName(index: number): string {
    return `${this.label}-${this.scenario.stacks[index]?.name ?? index}`.replaceAll(/[^\w-]/g, "-");
  }
}
