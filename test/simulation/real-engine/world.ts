import { HttpServer } from "../../../provider/emulator/http/http-server";
import { carryOut } from "../actors/acts";
import { CommandCheck, type Health } from "../actors/health";
import { EMPTY, type State } from "../engine/state";
import type { Act, Declared, Run, Scenario, StackPlan } from "../scenario";
import { CANARY, type CommandRecord, originOf, type RunRecord, type World } from "../simulation";
import { Story } from "../story/story";
import { AtRequests, kindsOf, type Timed } from "../world/at-requests";
import { CLIENT, nodeState, receiverState, START } from "../world/machines";
import { Network } from "../world/network";
import { ProcessWorld } from "../world/process-world";
import { Random } from "../world/random";
import type { VirtualTime } from "../world/time";
import type { EngineOutcome, EngineRunning, RealEngine } from "./engine";
import { RealMachine, type Watch } from "./machine";
import { errorsOf, printedOf, stateOf, stepsOf } from "./records";
import { RealTime, SPEED, scaled } from "./time";

/** A run by the real engine, with everything that it said. */
export interface RealRunRecord extends RunRecord {
  readonly outcomes: { readonly preview?: EngineOutcome; readonly done: EngineOutcome };
}

/** Time limits of the product's clients by default, divided by the speed of the scenario. */
const LIMITS: Readonly<Record<string, number>> = { timeoutMs: 10_000 / SPEED, deadlineMs: 60_000 / SPEED };
/** Longer than any delay of an effect, in milliseconds. */
const SETTLED_MS = 3_000;

/** Actors whose act goes on for some time. */
const TAKING_TIME: readonly Act["actor"][] = ["node", "on-call"];

/** A stack with its snapshots, oldest first. */
interface RealStack {
  readonly plan: StackPlan;
  readonly history: State[];
}

/** A deployment under way: it counts its requests. */
interface Underway {
  readonly label: string;
  readonly requests: AtRequests;
  readonly sending: (at: readonly Timed[]) => Promise<boolean>;
  readonly answered: (at: readonly Timed[]) => Promise<void>;
}

/**
 * The world of a scenario with real processes: machines on loopback, plugins, and the engine of Pulumi. To the promises it looks like the simulated one.
 *
 * Each stack goes through the plugin. The calendar of a real process cannot jump: that act has no effect here.
 */
export class RealWorld implements AsyncDisposable {
  readonly time = new RealTime();
  readonly machines = new Map<string, RealMachine>();
  readonly nodes = new Map<string, RealMachine>();
  readonly health = new Map<string, Health>();
  readonly stacks: readonly RealStack[];
  readonly records: RealRunRecord[] = [];
  readonly acts: World["acts"] = [];
  readonly story = new Story(this.virtual);
  private readonly random: Random;
  /** Connections of those that need no process of their own, such as the on-call engineer. */
  private readonly network: Network;
  /** Real addresses, by name and stack. */
  private readonly addresses = new Map<string, string>();
  private readonly underway = new Map<number, Underway>();
  private deployments = 0;

  private constructor(
    readonly scenario: Scenario,
    private readonly engine: RealEngine,
    private readonly checks: HttpServer,
    private readonly limits: Readonly<Record<string, number>>,
  ) {
    this.stacks = scenario.stacks.map((plan) => ({ plan, history: [EMPTY] }));
    this.random = new Random(scenario.seed);
    this.network = new Network(this.virtual, this.random.fork("network"));
    this.network.add("http://health.example", new CommandCheck((node) => this.healthOf(node), this.virtual));
  }

  private get virtual(): VirtualTime {
    return this.time as unknown as VirtualTime;
  }

  private healthOf(node: string): Health {
    return this.health.get(node) ?? "pass";
  }

  /** @param limits Time limits of the product's clients, in real milliseconds. */
  static async open(scenario: Scenario, engine: RealEngine, limits = LIMITS): Promise<RealWorld> {
    const checks = await HttpServer.listen({ host: "127.0.0.1", port: 0 });
    const world = new RealWorld(scenario, engine, checks, limits);
    checks.serve(async ({ url = "/" }, response) => {
      // A check does not show whose it is.
      for (const run of world.underway.values()) await run.sending(run.requests.next(["check"]));
      const health = world.healthOf(url.slice(1));
      if (health !== "hang") response.writeHead(health === "pass" ? 200 : 503).end();
    });
    for (const { name, aliases = [], sets, dialect } of scenario.nodes) {
      const machine = world.machine(name, nodeState(sets), dialect);
      for (const each of [name, ...aliases]) {
        world.nodes.set(each, machine);
        await world.openFor(each, machine);
      }
    }
    for (const plan of scenario.receivers)
      await world.openFor(plan.name, world.machine(plan.name, receiverState(plan), plan.dialect));
    return world;
  }

  /** The same as the simulated world has it, for the promises. */
  get judged(): World {
    return this as unknown as World;
  }

  /** Plays the whole scenario. */
  async play(judge: (record: RealRunRecord) => void = () => {}): Promise<void> {
    for (const [turn, what] of this.scenario.turns.entries()) {
      if (what.kind === "act") {
        await this.act(what.act);
        if (TAKING_TIME.includes(what.act.actor) || this.isDelayed) await this.time.sleep(SETTLED_MS);
        continue;
      }
      const records = await Promise.all(what.runs.map((run) => this.run(turn, run, what.runs.length > 1)));
      this.clearFaults();
      const isFaulty = what.runs.some(({ meanwhile }) => meanwhile.length > 0);
      if (isFaulty || this.isDelayed) await this.time.sleep(SETTLED_MS);
      for (const record of records) {
        this.records.push(record);
        judge(record);
      }
    }
  }

  /** True if a node applies commits later. */
  private get isDelayed(): boolean {
    return this.scenario.nodes.some(({ dialect }) => dialect?.commitDelay !== undefined);
  }

  clearFaults(): void {
    for (const { emulator } of this.machines.values()) emulator.clearFaults();
  }

  /** Ends everything that disturbs, for good. */
  calm(): void {
    this.clearFaults();
    for (const machine of this.machines.values()) machine.recover();
    for (const node of this.nodes.keys()) this.health.set(node, "pass");
  }

  /** Plays one more run, for example to see whether all is well in the end. */
  async more(run: Run): Promise<RealRunRecord> {
    const record = await this.run(this.scenario.turns.length, run, false);
    this.records.push(record);
    return record;
  }

  /** The world of a process beside the engine's. */
  process(label: string): ProcessWorld {
    const sending = () => true;
    const watch = { label, sending, answered() {} };
    return new ProcessWorld(this.virtual, this.network, { offset: START }, this.random.fork(label), watch);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.stacks.map((_, index) => this.engine.forget(this.stackName(index))));
    await Promise.all([...this.machines.values()].map((machine) => machine[Symbol.asyncDispose]()));
    await this.checks.close();
  }

  private async act(act: Act): Promise<void> {
    const healthy = [...this.nodes].filter(([, { reach, emulator }]) => reach === "up" && emulator.faults.length === 0);
    this.acts.push({ at: this.time.now, act, healthy: new Set(healthy.map(([name]) => name)) });
    if (act.actor === "restore") {
      await this.engine.restore(this.stackName(act.stack), act.runsAgo);
      const { history } = this.stacks[act.stack] as RealStack;
      const older = history.at(-1 - act.runsAgo);
      if (older) history.push(older);
    } else if (act.actor !== "calendar") await carryOut(act, this.judged, { offset: 0 });
  }

  private async run(turn: number, run: Run, hasCompany: boolean): Promise<RealRunRecord> {
    const isQuiet = run.meanwhile.length === 0 && !hasCompany && !run.isDeaf;
    const isCalm = isQuiet && [...this.machines.values()].every(({ reach }) => reach === "up");
    const facts = { turn, run, hasCompany, isCalm };
    if (run.command !== "up") {
      const { record: done, outcome } = await this.deploy(run, run.command === "preview");
      return { ...facts, done, outcomes: { done: outcome } };
    }
    const { record: preview, outcome: seen } = await this.deploy({ ...run, meanwhile: [] }, true);
    if (preview.errors.length > 0) return { ...facts, preview, done: preview, outcomes: { preview: seen, done: seen } };
    const { record: done, outcome } = await this.deploy(run, false);
    return { ...facts, preview, done, outcomes: { preview: seen, done: outcome } };
  }

  private async deploy(
    { stack, command, program, options, meanwhile, isDeaf }: Run,
    isPreview: boolean,
  ): Promise<{ record: CommandRecord; outcome: EngineOutcome }> {
    const { plan, history } = this.stacks[stack] as RealStack;
    const before = history.at(-1) as State;
    const acts: Act[] = [];
    let [wasKilled, wasCancelled] = [false, false];
    let running: EngineRunning | undefined;
    const kill = async () => {
      wasKilled = true;
      await running?.kill();
    };
    this.deployments += 1;
    const label = `${plan.name} ${this.deployments}`;
    this.underway.set(stack, {
      label,
      requests: new AtRequests(meanwhile),
      sending: async (mine) => {
        if (mine.some((it) => it.kind === "kill" && it.when === "before")) await kill();
        if (wasKilled) return false;
        if (mine.some((it) => it.kind === "cancel")) {
          wasCancelled = true;
          await running?.cancel();
        }
        return true;
      },
      answered: async (mine) => {
        for (const it of mine) {
          if (it.kind === "kill" && it.when === "after") await kill();
          if (it.kind !== "act") continue;
          acts.push(it.act);
          await this.act(it.act);
        }
      },
    });
    for (const it of meanwhile) if (it.kind === "fault") this.machines.get(it.at)?.emulator.fail(it.fault);
    const [began, from] = [this.time.now, this.places()];
    running = this.engine.run(this.stackName(stack), {
      command: isPreview ? "preview" : (command as "up"),
      config: this.settings(stack),
      instances: plan.instances,
      program: this.real(stack, program) as Declared[],
      options,
      isDeaf: isDeaf === true,
    });
    const outcome = this.normal(await running.outcome);
    this.underway.delete(stack);
    const after = isPreview ? before : { resources: outcome.state.map(stateOf), config: before.config };
    if (!isPreview) history.push(after);
    const [ended, to] = [this.time.now, this.places()];
    const said = { errors: errorsOf(outcome), printed: printedOf(outcome), steps: stepsOf(outcome) };
    const calls = outcome.calls.map(({ method, name, preview, outcome: of }) => ({
      method,
      name,
      outcome: of === "ok" ? ("ok" as const) : ("failed" as const),
      ...(preview && { preview: true as const }),
    }));
    const facts = { command, isPreview, before, after, from, to, began, ended, wasKilled, wasCancelled, label, acts };
    return { record: { ...facts, ...said, calls, events: [] } as CommandRecord, outcome };
  }

  /** Settings of a stack, with its own addresses of nodes and receivers, and a secret in each that must appear nowhere. */
  private settings(stack: number): Record<string, unknown> {
    const { node = {}, ...rest } = (this.stacks[stack] as RealStack).plan.settings as { node?: object };
    const headers = { authorization: `Bearer ${CANARY}` };
    const nodes = [...this.nodes.keys()].map((name) => [
      name,
      { ...this.limits, endpoint: this.addressOf(name, stack), headers, ...scaled(node, 1 / SPEED) },
    ]);
    const receivers = this.scenario.receivers.map(({ name }) => [
      name,
      { ...this.limits, url: `${this.addressOf(name, stack)}/path`, ...CLIENT },
    ]);
    return { nodes: Object.fromEntries(nodes), receivers: Object.fromEntries(receivers), ...rest };
  }

  /** The same with real addresses and time limits. */
  private real<T>(stack: number, value: T): T {
    const text = JSON.stringify(scaled(value, 1 / SPEED)).replaceAll(/http:\/\/([\w-]+)\.example/g, (_, name) =>
      name === "health" ? this.checks.origin : this.addressOf(name, stack),
    );
    return JSON.parse(text) as T;
  }

  /** The same with `http://<name>.example` in place of real addresses, and the time limits of the scenario. */
  private normal(outcome: EngineOutcome): EngineOutcome {
    const names = new Map([...this.addresses].map(([key, address]) => [address, key.split(" ")[0]]));
    names.set(this.checks.origin, "health");
    const text = JSON.stringify(scaled(outcome, SPEED)).replaceAll(/127\.0\.0\.1:\d+/g, (host) => {
      const name = names.get(`http://${host}`);
      return name === undefined ? host : `${name}.example`;
    });
    return JSON.parse(text) as EngineOutcome;
  }

  private places(): Record<string, number> {
    return Object.fromEntries([...this.machines].map(([name, { journal }]) => [name, journal.length]));
  }

  private machine(name: string, ...[state, dialect]: [ReturnType<typeof nodeState>, Scenario["nodes"][0]["dialect"]?]) {
    const machine = new RealMachine(name, originOf(name), this.virtual, this.scenario.seed, state, dialect);
    this.machines.set(name, machine);
    this.network.add(originOf(name), machine);
    return machine;
  }

  /** Opens an address for each stack: so a request shows who sent it. */
  private async openFor(name: string, machine: RealMachine): Promise<void> {
    for (const stack of this.stacks.keys()) {
      const watch: Watch = {
        sending: async (body) => {
          const run = this.underway.get(stack);
          // A plugin that was killed, or an engine that has given up, may have sent it.
          if (!run) return undefined;
          const at = run.requests.next(kindsOf(body));
          return (await run.sending(at)) ? { label: run.label, at } : undefined;
        },
        answered: async (at) => this.underway.get(stack)?.answered(at),
      };
      this.addresses.set(`${name} ${stack}`, await machine.open(watch));
    }
  }

  private addressOf(name: string, stack: number): string {
    return this.addresses.get(`${name} ${stack}`) as string;
  }

  private stackName(index: number): string {
    return `seed-${this.scenario.seed}-${this.stacks[index]?.plan.name ?? index}`;
  }
}
