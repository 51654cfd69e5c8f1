import type { Fault } from "../../../provider/emulator";
import { HttpServer } from "../../../provider/emulator/http/http-server";
import type { EmulatorState } from "../../../provider/emulator/state/state";
import type { Disturbance, Entries, NodePlan, Scenario } from "../scenario";
import { RealMachine, type Watch } from "./machine";

/** Credentials of the one client of each receiver. */
export const CLIENT = { clientId: "client-a", secretKey: "canary-secret-of-the-receiver" } as const;

/** Shorter than usual, so that real time does not stretch: a silent node costs a fraction of a second. */
const IMPATIENT = { timeoutMs: 300, deadlineMs: 2_000, commitCoalesceMs: 4 };

/** A hanging or failing health check. */
export type Health = "pass" | "fail" | "hang";

/** Callbacks for the requests of a stack's run, which are counted from 1. */
export interface RunWatch {
  sending(request: number): Promise<boolean>;
  answered(request: number): Promise<void>;
}

/** The machines of a scenario, as real emulators. */
export class RealWorld implements AsyncDisposable {
  readonly machines = new Map<string, RealMachine>();
  /** Machine behind each name of a node. */
  readonly nodes = new Map<string, RealMachine>();
  readonly health = new Map<string, Health>();
  /** Real address by stack (`undefined`: of no stack) and name. */
  private readonly addresses = new Map<string, string>();
  private readonly watches = new Map<number, { watch: RunWatch; requests: number }>();

  private constructor(
    readonly scenario: Scenario,
    private readonly checks: HttpServer,
  ) {}

  static async open(scenario: Scenario): Promise<RealWorld> {
    const checks = await HttpServer.listen({ host: "127.0.0.1", port: 0 });
    const world = new RealWorld(scenario, checks);
    checks.serve((request, response) => {
      const health = world.health.get((request.url ?? "/").slice(1)) ?? "pass";
      if (health !== "hang") response.writeHead(health === "pass" ? 200 : 503).end();
    });
    for (const { name, aliases = [], sets, dialect } of scenario.nodes) {
      const machine = await world.start(name, nodeState(sets), dialect);
      for (const each of [name, ...aliases]) {
        world.nodes.set(each, machine);
        await world.open(each, machine);
      }
    }
    for (const { name, active } of scenario.receivers)
      await world.open(name, await world.start(name, receiverState(active)));
    return world;
  }

  /** True if every machine answers. */
  get isCalm(): boolean {
    return [...this.machines.values()].every((machine) => !machine.isSilent);
  }

  /** The address of a machine for those who are no stack. */
  addressOf(name: string): string {
    return this.addresses.get(`${name} `) ?? "";
  }

  /** Settings of a stack, with its own addresses of nodes and receivers. */
  settings(stack: number): Record<string, unknown> {
    const { node = {}, ...rest } = (this.scenario.stacks[stack]?.settings ?? {}) as { node?: object };
    const at = (name: string) => this.addresses.get(`${name} ${stack}`) as string;
    const nodes = [...this.nodes.keys()].map((name) => [name, { ...node, ...IMPATIENT, endpoint: at(name) }]);
    const { timeoutMs, deadlineMs } = IMPATIENT;
    const receivers = this.scenario.receivers.map(({ name }) => [
      name,
      { url: `${at(name)}/path`, ...CLIENT, timeoutMs, deadlineMs },
    ]);
    return {
      ...rest,
      ...(nodes.length > 0 && { nodes: Object.fromEntries(nodes) }),
      ...(receivers.length > 0 && { receivers: Object.fromEntries(receivers) }),
    };
  }

  /** The same with real addresses in place of `http://<name>.example`. */
  real<T>(stack: number, value: T): T {
    const text = JSON.stringify(value).replaceAll(/http:\/\/([\w-]+)\.example/g, (whole, name) =>
      name === "health" ? this.checks.origin : (this.addresses.get(`${name} ${stack}`) ?? whole),
    );
    return JSON.parse(text) as T;
  }

  /** The same with `http://<name>.example` in place of real addresses. */
  normal<T>(value: T): T {
    const names = new Map([...this.addresses].map(([key, address]) => [address, key.split(" ")[0]]));
    names.set(this.checks.origin, "health");
    const text = JSON.stringify(value).replaceAll(/127\.0\.0\.1:\d+/g, (host) => {
      const name = names.get(`http://${host}`);
      return name === undefined ? host : `${name}.example`;
    });
    return JSON.parse(text) as T;
  }

  /** Counts the requests of a stack from now on; `undefined` ends it. */
  watch(stack: number, watch: RunWatch | undefined): void {
    if (watch) this.watches.set(stack, { watch, requests: 0 });
    else this.watches.delete(stack);
  }

  /** Sets a fault at a node or receiver. */
  fail(at: string, fault: Fault): void {
    (this.nodes.get(at) ?? this.machines.get(at))?.emulator.fail(fault);
  }

  clearFaults(): void {
    for (const { emulator } of this.machines.values()) emulator.clearFaults();
  }

  /** Ends everything that disturbs. */
  calm(): void {
    this.clearFaults();
    for (const machine of this.machines.values()) machine.isSilent = false;
    this.health.clear();
  }

  /** Milliseconds until nothing of the faults of a run is under way any more. */
  lag(meanwhile: readonly Disturbance[]): number {
    const delays = meanwhile.map((it) => (it.kind === "fault" ? Number(it.fault.delay ?? 0) : 0));
    return Math.max(0, ...delays) * 1.5;
  }

  /** Requests so far in the journal of each machine. */
  places(): Record<string, number> {
    return Object.fromEntries([...this.machines].map(([name, { journal }]) => [name, journal.length]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.machines.values()].map((machine) => machine[Symbol.asyncDispose]()));
    await this.checks.close();
  }

  private async start(name: string, state: EmulatorState, dialect?: NodePlan["dialect"]): Promise<RealMachine> {
    const watch: Watch = {
      sending: async (stack) => {
        const run = this.watches.get(stack);
        if (!run) return 0;
        run.requests += 1;
        const number = run.requests;
        return (await run.watch.sending(number)) ? number : undefined;
      },
      answered: async (stack, number) => this.watches.get(stack)?.watch.answered(number),
    };
    const machine = await RealMachine.start(name, state, watch, { seed: this.scenario.seed, dialect });
    this.machines.set(name, machine);
    machine.emulator.snapshot("older");
    return machine;
  }

  private async open(name: string, machine: RealMachine): Promise<void> {
    for (const stack of [undefined, ...this.scenario.stacks.keys()]) {
      this.addresses.set(`${name} ${stack ?? ""}`, await machine.open(stack));
    }
  }
}

/** The state of a node with these sets. */
function nodeState(sets: NodePlan["sets"]): EmulatorState {
  const arenas: Record<string, { sets: Record<string, Entries>; profiles: object }> = {};
  for (const [url, entries] of Object.entries(sets)) {
    const [arena = "", set = ""] = url.replace("prefixset://", "").split("/");
    arenas[arena] ??= { sets: {}, profiles: {} };
    (arenas[arena] as { sets: Record<string, Entries> }).sets[set] = entries;
  }
  return { arenas } as unknown as EmulatorState;
}

/** The state of a receiver. */
function receiverState(active: readonly string[]): EmulatorState {
  const client = { ...CLIENT, prefixes: ["198.51.100.0/24"], active };
  return { arenas: {}, signaling: { clients: [client] } } as unknown as EmulatorState;
}
