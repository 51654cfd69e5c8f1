import type { DynamicProvider } from "../../../provider/engine/dynamic-provider";
import type { JsonObject } from "../../../provider/model/json";
import { type Callable, Deployment } from "../../simulation/engine/deployment";
import { DynamicDoor } from "../../simulation/engine/dynamic-door";
import type { Kept as InState } from "../../simulation/engine/state";
import type { HurriedWorld } from "./hurried-world";
import { type Config, type Provider, ProviderProcess, type TypeName } from "./provider-process";

/** A resource as a program declares it. */
export interface Declared {
  readonly type: TypeName;
  readonly name: string;
  readonly args: JsonObject;
}

/** A resource as the state holds it, or as a test writes it. */
type Kept = Pick<InState, "type" | "name" | "id" | "inputs" | "outputs"> & Partial<InState>;

/** Unusual circumstances of a run. */
export interface RunOptions {
  /** The world of the provider process. */
  readonly world?: HurriedWorld;
  /** Members of the unnamed node and receiver for this run alone. */
  readonly timing?: { readonly timeoutMs: number; readonly deadlineMs: number };
  /** Starts the provider process, in place of one in this process. */
  readonly start?: (config: Config) => Promise<Provider>;
}

/** Result of a run. */
export interface Outcome {
  readonly errors: readonly Error[];
  /** Steps of the run, for example `update blocked`. */
  readonly steps: readonly string[];
  readonly printed: readonly string[];
}

const METHODS = ["check", "diff", "create", "read", "update", "delete"] as const;

/** The simulated engine of `test/simulation` for one stack at real nodes. Each run is a deployment with a provider process of its own. */
export class MiniEngine {
  state: readonly Kept[] = [];

  constructor(
    readonly config: Config,
    private readonly parallel = 32,
  ) {}

  /** `pulumi up --skip-preview`, with `--refresh` on request. */
  up(program: readonly Declared[], options: RunOptions & { refresh?: boolean } = {}): Promise<Outcome> {
    return this.deployment(options, (run) => applied(run, program, options.refresh));
  }

  /** `pulumi refresh`. */
  refresh(options: RunOptions = {}): Promise<Outcome> {
    return this.deployment(options, (run) => run.refresh());
  }

  /** `pulumi destroy`. */
  destroy(options: RunOptions = {}): Promise<Outcome> {
    return this.deployment(options, (run) => run.remove(run.now));
  }

  /** `pulumi preview --refresh` (or without): the steps that an `up` would do. Changes nothing. */
  preview(
    program: readonly Declared[],
    { refresh, ...options }: Pick<RunOptions, "start"> & { refresh?: boolean } = {},
  ): Promise<Outcome> {
    return this.deployment(options, (run) => applied(run, program, refresh), true);
  }

  private async deployment(
    { world, timing, start }: RunOptions,
    work: (run: Deployment) => Promise<void>,
    preview = false,
  ): Promise<Outcome> {
    const { node, receiver } = this.config;
    const hurried = { node: { ...(node as object), ...timing }, receiver: { ...(receiver as object), ...timing } };
    const whole = { ...this.config, ...(timing && hurried) };
    const process = await (start?.(whole) ?? new ProviderProcess(whole, world));
    const door = new DynamicDoor((type) => providerOf(process, type));
    const callable: Callable = { previews: false, call: (work) => work(door) };
    const resources = this.state.map(
      (kept): InState => ({ urn: kept.name, protect: false, retainOnDelete: false, instance: undefined, ...kept }),
    );
    const run = new Deployment(
      { resources, config: {} },
      {
        door: "dynamic",
        stack: "dev",
        options: { parallel: this.parallel },
        preview,
        process: () => callable,
        keep: (kept) => {
          this.state = [...kept];
        },
        shuffle: (from) => [...from].reverse(),
        isCancelled: () => false,
      },
    );
    await work(run);
    await process.end();
    const steps = run.steps.flatMap(({ op, name }) => (op === "refresh" ? [] : [`${op} ${name}`]));
    return { errors: run.errors.map((text) => new Error(text)), steps, printed: process.printed };
  }
}

async function applied(run: Deployment, program: readonly Declared[], refresh = false): Promise<void> {
  if (refresh) await run.refresh();
  if (run.errors.length > 0) return;
  // As arguments travel: without members that are undefined.
  const inputs = ({ args }: Declared): JsonObject => JSON.parse(JSON.stringify(args));
  const registrations = program.map((declared) => ({ declared, inputs: inputs(declared), ignoreChanges: [] }));
  await run.apply(registrations, false);
}

function providerOf(process: Provider, type: TypeName): DynamicProvider {
  const call =
    (method: (typeof METHODS)[number]) =>
    (...args: never[]) =>
      process.call(type, method, ...(args as never));
  return Object.fromEntries(METHODS.map((method) => [method, call(method)])) as unknown as DynamicProvider;
}
