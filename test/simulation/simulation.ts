import type { AnyEvent } from "../../provider/messages/events";
import type { JsonObject } from "../../provider/model/json";
import { carryOut } from "./actors/acts";
import { CommandCheck, type Health } from "./actors/health";
import { type Call, Deployment, type Step } from "./engine/deployment";
import { ProviderProcess } from "./engine/process";
import { runProgram } from "./engine/program";
import { MemoryNotes, MemoryRegistry } from "./engine/registry";
import { EMPTY, type State } from "./engine/state";
import type { Act, Run, Scenario, StackPlan } from "./scenario";
import { Story } from "./story/story";
import { AtRequests, kindsOf, type Timed } from "./world/at-requests";
import { CLIENT, Machine, nodeState, receiverState, START } from "./world/machines";
import { Network } from "./world/network";
import { type Calendar, ProcessWorld } from "./world/process-world";
import { Random } from "./world/random";
import { VirtualTime } from "./world/time";

/** Record of one deployment: a preview, or a command that changes something. */
export interface CommandRecord {
  readonly command: Run["command"];
  readonly isPreview: boolean;
  readonly errors: readonly string[];
  /** Lines of program and providers. */
  readonly printed: readonly string[];
  /** Events that the providers reported, each with its time and the reach of its machine then. The real engine shows none: its processes print lines. */
  readonly events: readonly { readonly at: number; readonly isUp: boolean; readonly event: AnyEvent }[];
  readonly steps: readonly Step[];
  readonly calls: readonly Call[];
  readonly before: State;
  readonly after: State;
  /** Requests of each machine's journal before and after. */
  readonly from: Readonly<Record<string, number>>;
  readonly to: Readonly<Record<string, number>>;
  /** Virtual milliseconds. */
  readonly began: number;
  readonly ended: number;
  readonly wasKilled: boolean;
  readonly wasCancelled: boolean;
  /** Virtual milliseconds of the first Ctrl-C. */
  readonly cancelledAt?: number;
  /** Label of its requests in the journals. */
  readonly label: string;
  /** Acts of others meanwhile. */
  readonly acts: readonly Act[];
}

/** A run with the preview that the operator saw before it. */
export interface RunRecord {
  readonly turn: number;
  readonly run: Run;
  readonly preview?: CommandRecord;
  readonly done: CommandRecord;
  /** Other stacks ran at the same time. */
  readonly hasCompany: boolean;
  /** True if nothing disturbed it: no fault, act, kill or other stack. */
  readonly isCalm: boolean;
}

/** A stack with its snapshots, oldest first. */
class Stack {
  readonly history: State[] = [EMPTY];

  constructor(readonly plan: StackPlan) {}

  get state(): State {
    return this.history.at(-1) as State;
  }

  set state(state: State) {
    this.history[this.history.length - 1] = state;
  }
}

/** A simulated world that plays a scenario. */
export class World {
  readonly time = new VirtualTime();
  readonly story: Story;
  readonly machines = new Map<string, Machine>();
  /** Machine behind each name of a node in the configurations. */
  readonly nodes = new Map<string, Machine>();
  readonly health = new Map<string, Health>();
  readonly stacks: readonly Stack[];
  readonly records: RunRecord[] = [];
  /** Acts since the start, with their times. */
  readonly acts: { readonly at: number; readonly act: Act; readonly healthy: ReadonlySet<string> }[] = [];
  private readonly random: Random;
  private readonly network: Network;
  private readonly calendar: Calendar = { offset: START };
  private deployments = 0;
  readonly notes = new MemoryNotes();

  constructor(readonly scenario: Scenario) {
    this.random = new Random(scenario.seed);
    this.story = new Story(this.time);
    this.network = new Network(this.time, this.random.fork("network"));
    for (const { name, aliases = [], sets, dialect } of scenario.nodes) {
      const machine = this.machine(name, nodeState(sets), dialect);
      for (const each of [name, ...aliases]) {
        this.network.add(originOf(each), machine);
        this.nodes.set(each, machine);
      }
    }
    for (const { name, active, dialect } of scenario.receivers) {
      this.network.add(originOf(name), this.machine(name, receiverState({ active }), dialect));
    }
    this.network.add(HEALTH, new CommandCheck((node) => this.health.get(node) ?? "pass", this.time));
    this.stacks = scenario.stacks.map((plan) => new Stack(plan));
  }

  private machine(
    name: string,
    state: ReturnType<typeof nodeState>,
    dialect?: Readonly<Record<string, unknown>>,
  ): Machine {
    const seed = this.random.fork(name).int(0, 2 ** 31 - 1);
    const machine = new Machine(name, originOf(name), this.time, seed, state, dialect);
    this.machines.set(name, machine);
    machine.emulator.snapshot("older");
    return machine;
  }

  /** Plays the whole scenario. */
  async play(judge: (record: RunRecord) => void = () => {}): Promise<void> {
    for (const [turn, what] of this.scenario.turns.entries()) {
      if (what.kind === "act") {
        await this.time.until(this.act(what.act).then(() => this.time.sleep(SETTLED_MS)));
        continue;
      }
      const { runs } = what;
      const records = await this.time.until(Promise.all(runs.map((run) => this.run(turn, run, runs.length > 1))));
      this.clearFaults();
      // What a fault delayed takes effect before the next look.
      await this.time.until(this.time.sleep(SETTLED_MS));
      for (const record of records) {
        this.records.push(record);
        judge(record);
      }
    }
  }

  /** Ends every fault, outage and failing check. */
  clearFaults(): void {
    for (const machine of this.machines.values()) machine.emulator.clearFaults();
  }

  /** Ends everything that disturbs, for good. */
  calm(): void {
    this.clearFaults();
    for (const machine of this.machines.values()) machine.recover();
    for (const node of this.nodes.keys()) this.health.set(node, "pass");
  }

  /** Plays one more run, for example to see whether all is well in the end. */
  async more(run: Run): Promise<RunRecord> {
    const record = await this.time.until(this.run(this.scenario.turns.length, run, false));
    this.records.push(record);
    return record;
  }

  /** The world of a process beside the engine's. */
  process(label: string): ProcessWorld {
    const sending = (host: string, request: { method: string; target: string; body: Buffer }) => {
      this.story.request(label.split(" ")[0] ?? "", host, request);
      return true;
    };
    return new ProcessWorld(this.time, this.network, this.calendar, this.random.fork(label), {
      label,
      sending,
      answered() {},
    });
  }

  async act(act: Act): Promise<void> {
    const healthy = [...this.nodes].filter(([, { reach, emulator }]) => reach === "up" && emulator.faults.length === 0);
    this.acts.push({ at: this.time.now, act, healthy: new Set(healthy.map(([name]) => name)) });
    this.story.act(act);
    await carryOut(act, this, this.calendar);
  }

  private async run(turn: number, run: Run, hasCompany: boolean): Promise<RunRecord> {
    const { stack: index, command, options, meanwhile } = run;
    const stack = this.stacks[index] as Stack;
    const isQuiet = meanwhile.length === 0 && !hasCompany && !run.isDeaf;
    const isCalm = isQuiet && [...this.machines.values()].every(({ reach }) => reach === "up");
    const preview = command === "up" ? await this.deploy(stack, run, true) : undefined;
    if (preview && preview.errors.length > 0) return { turn, run, preview, done: preview, hasCompany, isCalm };
    const done = await this.deploy(stack, { ...run, options }, command === "preview");
    return { turn, run, ...(preview && { preview }), done, hasCompany, isCalm };
  }

  private async deploy(stack: Stack, run: Run, isPreview: boolean): Promise<CommandRecord> {
    const { command, program, options } = run;
    const { plan } = stack;
    const settings = { ...this.settingsOf(plan), ...run.settings };
    const before = stack.state;
    const meanwhile = isPreview && command === "up" ? [] : run.meanwhile;
    const acts: Act[] = [];
    const printed: string[] = [];
    const events: { at: number; isUp: boolean; event: AnyEvent }[] = [];
    const worlds: ProcessWorld[] = [];
    const processes = new Map<number | undefined, ProviderProcess>();
    const registry = new MemoryRegistry(run.isDeaf);
    const isMutating = !isPreview;
    let [wasKilled, wasCancelled] = [false, false];
    let cancelledAt: number | undefined;
    const kill = () => {
      wasKilled = true;
      this.story.note(plan.name, "killed");
      for (const world of worlds) world.kill();
    };
    const cancel = () => {
      wasCancelled = true;
      cancelledAt ??= this.time.now;
      this.story.note(plan.name, "Ctrl-C");
      for (const process of processes.values()) process.cancel();
    };
    const atRequests = new AtRequests(meanwhile);
    this.deployments += 1;
    const label = `${plan.name} ${this.deployments}`;
    const watch = {
      label,
      sending: (host: string, request: { method: string; target: string; body: Buffer }) => {
        const mine = atRequests.next(host === HEALTH ? ["any", "check"] : kindsOf(request.body));
        if (mine.some((it) => it.kind === "kill" && it.when === "before")) kill();
        if (wasKilled) return false;
        this.story.request(plan.name, host, request);
        if (mine.some((it) => it.kind === "cancel")) cancel();
        Object.assign(request, { mine });
        return true;
      },
      answered: (_host: string, request: object) => {
        const { mine } = request as { mine: readonly Timed[] };
        for (const it of mine) {
          if (it.kind === "kill" && it.when === "after") kill();
          if (it.kind === "act") {
            acts.push(it.act);
            void this.act(it.act);
          }
        }
      },
    };
    const config = command === "refresh" || command === "destroy" ? (before.config ?? settings) : settings;
    const process = (instance: number | undefined): ProviderProcess => {
      const known = processes.get(instance);
      if (known) return known;
      const random = this.random.fork(`${plan.name} ${this.time.now} ${instance ?? "default"}`);
      const world = new ProcessWorld(this.time, this.network, this.calendar, random, watch);
      worlds.push(world);
      const print = (line: string) => {
        printed.push(line);
        this.story.printed(plan.name, line);
      };
      const shared = { others: registry.join(), notes: this.notes.of(label), env: run.env };
      const observe = (event: AnyEvent) => {
        const places = event.kind === "notReached" ? event.nodes : [event.at ?? ""];
        const isUp = places.every((at) => (this.nodes.get(at) ?? this.machines.get(at))?.reach === "up");
        events.push({ at: this.time.now, isUp, event });
      };
      const opened = new ProviderProcess(plan.door, config, world, shared, { print, observe });
      processes.set(instance, opened);
      return opened;
    };
    if (!isPreview) stack.history.push(before);
    const keep = (resources: State["resources"]) => {
      // A destroy leaves no provider resource either, whose settings these are.
      const isLeft = command !== "destroy" || resources.length > 0;
      const last = command === "up" ? settings : isLeft ? before.config : undefined;
      if (!wasKilled) stack.state = { resources: [...resources], config: last };
    };
    const deployment = new Deployment(before, {
      door: plan.door,
      stack: plan.name,
      options,
      preview: isPreview,
      process,
      keep,
      shuffle: this.random.fork(`order ${this.deployments}`).shuffle,
      isCancelled: () => wasCancelled,
    });
    for (const it of meanwhile) {
      if (it.kind !== "fault") continue;
      const machine = this.machines.get(it.at);
      machine?.emulator.fail(it.fault);
      this.story.note(it.at, `fault ${JSON.stringify(it.fault)}`);
    }
    const [began, from] = [this.time.now, this.places()];
    this.story.begins(plan.name, isPreview ? `preview of ${command}` : command, options);
    if (command === "refresh" || (options.refresh && command !== "destroy")) await deployment.refresh();
    if (command === "destroy") await deployment.remove(before.resources);
    if ((command === "up" || command === "preview") && deployment.errors.length === 0) {
      const running = runProgram(plan.door, program, { stack: plan.name, config: settings, preview: isPreview });
      const made = await this.time.held(running);
      // Of two programs that run at once, that of the first stack is ready first, whichever took longer.
      await this.time.sleep(1 + run.stack);
      printed.push(...made.printed);
      if (made.error !== undefined) deployment.errors.push(made.error);
      await deployment.apply(made.registrations, made.error !== undefined);
    }
    if (isMutating) keep(deployment.now);
    const { errors, steps, calls } = deployment;
    this.story.ends(plan.name, errors, steps);
    for (const world of worlds) world.isDead = true;
    this.notes.ended(label, wasKilled);
    const [ended, to] = [this.time.now, this.places()];
    return {
      command,
      isPreview,
      errors,
      printed,
      events,
      steps,
      calls,
      before,
      after: isPreview ? before : stack.state,
      from,
      to,
      began,
      ended,
      wasKilled,
      wasCancelled,
      ...(cancelledAt !== undefined && { cancelledAt }),
      label,
      acts,
    };
  }

  /** Requests so far in the journal of each machine. */
  private places(): Record<string, number> {
    return Object.fromEntries([...this.machines].map(([name, { journal }]) => [name, journal.length]));
  }

  /** Settings of a stack: nodes and receivers by name, with a secret in each that must appear nowhere. */
  private settingsOf({ settings }: StackPlan): JsonObject {
    const { node = {}, ...rest } = settings as { node?: object };
    const nodes = Object.fromEntries(
      [...this.nodes.keys()].map((name) => [
        name,
        { endpoint: originOf(name), headers: { authorization: `Bearer ${CANARY}` }, ...node },
      ]),
    );
    const receivers = Object.fromEntries(
      this.scenario.receivers.map(({ name }) => [name, { url: `${originOf(name)}/path`, ...CLIENT }]),
    );
    return { nodes: JSON.stringify(nodes), receivers: JSON.stringify(receivers), ...rest };
  }
}

/** A secret of every node's configuration. */
export const CANARY = "canary-token-of-the-nodes";
/** Address of the checks. */
const HEALTH = originOf("health");
/** Longer than any delay of an effect, in milliseconds. */
const SETTLED_MS = 3_000;

export function originOf(name: string): string {
  return `http://${name}.example`;
}
