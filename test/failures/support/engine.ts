import { type JsonObject, sameJson } from "../../../provider/model/json";
import type { HurriedWorld } from "./hurried-world";
import { type Config, ProcessKilled, type Provider, ProviderProcess, type TypeName } from "./provider-process";

/** A resource as a program declares it. */
export interface Declared {
  readonly type: TypeName;
  readonly name: string;
  readonly args: JsonObject;
}

/** A resource as the state holds it. */
export interface Kept {
  readonly type: TypeName;
  readonly name: string;
  readonly id: string;
  readonly inputs: JsonObject;
  readonly outputs: JsonObject;
  /** The last operation ended half-way; the next run updates it whatever `diff` says. */
  readonly failed?: boolean;
  /** Replaced, and still to be deleted. */
  readonly replaced?: boolean;
}

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

/** Error of a step that ends half-way. */
interface Partial extends Error {
  readonly id: string;
  readonly properties: JsonObject;
  readonly reasons: string[];
}

const textOf = (type: TypeName) => `exports.handler=()=>require("pulumi-packetfilter/provider").get("${type}")`;

/**
 * Plays the engine's part between a program and the provider: order of calls, parallelism, and what becomes of the state
 * after each success, failure and partial failure. Each run is a deployment with a provider process of its own.
 */
export class MiniEngine {
  state: readonly Kept[] = [];

  constructor(
    readonly config: Config,
    private readonly parallel = 32,
  ) {}

  /** `pulumi up --skip-preview`, with `--refresh` on request. */
  up(program: readonly Declared[], options: RunOptions & { refresh?: boolean } = {}) {
    return this.deployment(options, async (run) => {
      if (options.refresh) await run.refresh();
      if (run.errors.length === 0) await run.apply(program);
    });
  }

  /** `pulumi refresh`. */
  refresh(options: RunOptions = {}) {
    return this.deployment(options, (run) => run.refresh());
  }

  /** `pulumi destroy`. */
  destroy(options: RunOptions = {}) {
    return this.deployment(options, (run) => run.remove([...this.state].reverse()));
  }

  /** `pulumi preview --refresh` (or without): the steps that an `up` would do. Changes nothing. */
  async preview(
    program: readonly Declared[],
    { refresh = false, ...options }: Pick<RunOptions, "start"> & { refresh?: boolean } = {},
  ): Promise<Outcome> {
    const before = this.state;
    try {
      return await this.deployment(options, async (run) => {
        if (refresh) await run.refresh();
        if (run.errors.length === 0) await run.apply(program, { preview: true });
      });
    } finally {
      this.state = before;
    }
  }

  private async deployment(
    { world, timing, start }: RunOptions,
    work: (run: Deployment) => Promise<void>,
  ): Promise<Outcome> {
    const { node, receiver } = this.config;
    const hurried = { node: { ...(node as object), ...timing }, receiver: { ...(receiver as object), ...timing } };
    const whole = { ...this.config, ...(timing && hurried) };
    const process = await (start?.(whole) ?? new ProviderProcess(whole, world));
    const run = new Deployment(this, process, this.parallel);
    await work(run);
    await process.end();
    return { errors: run.errors, steps: run.steps, printed: process.printed };
  }
}

class Deployment {
  readonly errors: Error[] = [];
  readonly steps: string[] = [];
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly engine: MiniEngine,
    private readonly process: Provider,
    private readonly parallel: number,
  ) {}

  async refresh(): Promise<void> {
    for (const old of this.engine.state) {
      await this.step(async () => {
        const read = await this.process.call(old.type, "read", old.id, old.outputs);
        if (read.id === "") this.keep(old, undefined);
        else {
          const inputs = read.inputs ? { ...read.inputs, __provider: textOf(old.type) } : old.inputs;
          const { failed: _, ...rest } = old;
          this.keep(old, { ...rest, inputs, outputs: { ...read.props, __provider: textOf(old.type) } });
        }
      });
    }
    await this.drain();
  }

  /** Registrations are judged one by one, in order; their steps run side by side. Deletions come last. */
  async apply(program: readonly Declared[], { preview = false } = {}): Promise<void> {
    for (const declared of program) {
      if (this.errors.length > 0) break;
      const old = this.engine.state.find(
        (it) => it.name === declared.name && it.type === declared.type && !it.replaced,
      );
      const { args: given } = declared;
      const args = { ...given, __provider: textOf(declared.type) };
      const inputs = await this.check(declared, old?.inputs ?? {}, args);
      if (!inputs) break;
      const what = old ? await this.unlessKilled(() => this.judge(old, inputs)) : "create";
      if (!what) break;
      if (what === "same") continue;
      this.steps.push(`${what} ${declared.name}`);
      if (preview) continue;
      if (what === "update" && old) await this.step(() => this.update(old, inputs));
      else if (!old) await this.step(() => this.create(declared, inputs));
      else {
        const anew = await this.check(declared, {}, args);
        if (anew) await this.step(() => this.create(declared, anew, old));
      }
    }
    await this.drain();
    if (this.errors.length > 0) return;
    const wanted = (it: Kept) => program.some(({ type, name }) => type === it.type && name === it.name);
    const gone = this.engine.state.filter((it) => it.replaced || !wanted(it)).reverse();
    if (preview) this.steps.push(...gone.map(({ name }) => `delete ${name}`));
    else await this.remove(gone);
  }

  async remove(gone: readonly Kept[]): Promise<void> {
    for (const old of gone) {
      await this.step(async () => {
        this.steps.push(`delete ${old.name}`);
        await this.process.call(old.type, "delete", old.id, old.outputs);
        this.keep(old, undefined);
      });
    }
    await this.drain();
  }

  private async check({ type }: Declared, olds: JsonObject, news: JsonObject): Promise<JsonObject | undefined> {
    const checked = await this.unlessKilled(() => this.process.call(type, "check", olds, news));
    for (const { reason } of checked?.failures ?? []) this.errors.push(new Error(reason));
    return checked?.failures.length === 0 ? checked.inputs : undefined;
  }

  /** A check looks at the node, and steps of others run beside it and beside a diff, so that a process can be killed in both. */
  private async unlessKilled<Result>(call: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ProcessKilled)) throw error;
      this.errors.push(error);
      return undefined;
    }
  }

  private async judge(old: Kept, inputs: JsonObject): Promise<"same" | "update" | "replace"> {
    const { changes, replaces = [] } = await this.process.call(old.type, "diff", old.id, old.outputs, inputs);
    if (replaces.length > 0) return "replace";
    const differs = changes ?? !sameJson(old.inputs, inputs);
    return differs || old.failed ? "update" : "same";
  }

  private async create({ type, name }: Declared, inputs: JsonObject, replaced?: Kept): Promise<void> {
    const add = (kept: Kept) => {
      this.engine.state = [...this.engine.state.map((it) => (it === replaced ? { ...it, replaced: true } : it)), kept];
    };
    try {
      const { id, outs } = await this.process.call(type, "create", inputs);
      add({ type, name, id, inputs, outputs: { ...outs, __provider: textOf(type) } });
    } catch (error) {
      if (isPartial(error)) add({ type, name, id: error.id, inputs, outputs: error.properties, failed: true });
      throw error;
    }
  }

  private async update(old: Kept, inputs: JsonObject): Promise<void> {
    const { failed: _, ...rest } = old;
    try {
      const { outs } = await this.process.call(old.type, "update", old.id, old.outputs, inputs);
      this.keep(old, { ...rest, inputs, outputs: { ...outs, __provider: textOf(old.type) } });
    } catch (error) {
      if (isPartial(error)) this.keep(old, { ...rest, outputs: error.properties, failed: true });
      throw error;
    }
  }

  private keep(old: Kept, now: Kept | undefined): void {
    this.engine.state = this.engine.state.flatMap((it) => (it === old ? (now ? [now] : []) : [it]));
  }

  /** Starts a step as soon as there is room; after the first error no further one begins. */
  private async step(work: () => Promise<void>): Promise<void> {
    while (this.running.size >= this.parallel) await Promise.race(this.running);
    if (this.errors.length > 0) return;
    const running = work()
      .catch((error: unknown) => {
        this.errors.push(error instanceof Error ? error : new Error(String(error)));
      })
      .finally(() => this.running.delete(running));
    this.running.add(running);
  }

  private async drain(): Promise<void> {
    while (this.running.size > 0) await Promise.race(this.running);
  }
}

function isPartial(error: unknown): error is Partial {
  return error instanceof Error && !(error instanceof ProcessKilled) && "id" in error && "properties" in error;
}
