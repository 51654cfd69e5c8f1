import { type JsonObject, sameJson } from "../../../provider/model/json";
import { nativeToken, typeToken } from "../../../provider/model/resource-kind";
import type { Door as DoorName, ResourceOptions, RunOptions } from "../scenario";
import { type Door, Killed, Partial, type Subject } from "./door";
import { withIgnored } from "./ignore-changes";
import type { ProviderProcess } from "./process";
import type { Registration } from "./program";
import { type Kept, optionsIn, type State } from "./state";

/** A step of a deployment, planned or done. */
export interface Step {
  readonly op: "create" | "update" | "replace" | "delete" | "refresh";
  readonly name: string;
  readonly type: Kept["type"];
  /** Before and after, as far as the step has them. */
  readonly old?: Kept;
  readonly inputs?: JsonObject;
}

/** A call of the provider, for the comparison with the real engine. */
export interface Call {
  readonly method: "check" | "diff" | "create" | "read" | "update" | "delete";
  readonly name: string;
  readonly preview?: true;
  readonly outcome: "ok" | "failed";
}

/** Needs of a deployment towards a provider process. */
export type Callable = Pick<ProviderProcess, "previews" | "call">;

/** Surroundings of a deployment. */
export interface DeploymentParts {
  readonly door: DoorName;
  readonly stack: string;
  readonly options: RunOptions;
  readonly preview: boolean;
  /** The process of a provider resource; `undefined`: the default one. */
  process(instance: number | undefined): Callable;
  /** Takes each new snapshot. */
  keep(resources: readonly Kept[]): void;
  /** An order that the engine leaves open, drawn by the seed. */
  shuffle<T>(from: readonly T[]): T[];
  /** True once Ctrl-C was pressed. */
  isCancelled(): boolean;
}

const DEFAULT_PARALLEL = 8;

/** One command of the engine: order of calls, parallelism, and what becomes of the state after each success and failure. */
export class Deployment {
  readonly errors: string[] = [];
  readonly steps: Step[] = [];
  readonly calls: Call[] = [];
  private isKilled = false;
  private isBailed = false;
  private resources: Kept[];
  private readonly running = new Map<string, Promise<void>>();
  private readonly failedNames = new Set<string>();
  /** Resources of the state that the program has, also under another name. They stay as they are until their step has succeeded. */
  private readonly claimed = new Set<Kept>();
  private readonly isEmpty: boolean;

  constructor(
    state: State,
    private readonly parts: DeploymentParts,
  ) {
    this.resources = [...state.resources];
    this.isEmpty = state.config === undefined;
  }

  /** The snapshot of now. */
  get now(): readonly Kept[] {
    return this.resources;
  }

  /** Reads all resources side by side, and compares what was read with the inputs. The state is written once, at the end. */
  async refresh(): Promise<void> {
    const { targets = [], excludes = [] } = this.parts.options;
    // A state in which nothing was ever written is not looked at.
    if (this.isEmpty || !this.requireKnown([...targets, ...excludes], [])) return;
    const found = new Map<Kept, Kept | undefined>();
    for (const old of this.resources.filter((kept) => this.isTarget(kept.name))) {
      await this.start(old.name, async () => {
        const read = await this.call("read", old, (door) => door.read(old, old.id, old));
        this.steps.push({ op: "refresh", name: old.name, type: old.type, old });
        if (read.id === "") return void found.set(old, undefined);
        const { failed: _, ...rest } = old;
        const now: Kept = { ...rest, outputs: read.outputs, ...(read.inputs && { inputs: read.inputs }) };
        await this.call("diff", old, (door) => door.diff(old, old.id, now, old.inputs, []));
        found.set(old, now);
      });
    }
    await this.drain();
    this.resources = this.resources.flatMap((old) => (found.has(old) ? (found.get(old) ?? []) : [old]));
    this.save();
  }

  /** Registrations are judged one by one, in order; their steps run side by side. Deletions come last. */
  async apply(registrations: readonly Registration[], programFailed: boolean): Promise<void> {
    const { targets = [], replace = [] } = this.parts.options;
    if (!this.requireKnown(replace, [])) return;
    const known = [...this.resources.map(({ name }) => name), ...registrations.map(({ declared }) => declared.name)];
    for (const registration of registrations) {
      if (this.isStopped()) break;
      const { dependsOn = [] } = registration.declared.options ?? {};
      await Promise.all(dependsOn.map((name) => this.running.get(name)));
      const isBlocked = dependsOn.some((name) => this.failedNames.has(name));
      await this.register(registration, isBlocked).catch((error: unknown) =>
        this.fail(registration.declared.name, error),
      );
    }
    await this.drain();
    if (this.parts.isCancelled()) this.errors.push("update canceled");
    const goesOn = this.parts.options.continueOnError === true && !this.isBailed;
    if (programFailed || this.parts.isCancelled() || this.isKilled || (this.errors.length > 0 && !goesOn)) return;
    const names = new Set(registrations.map(({ declared }) => declared.name));
    const gone = this.resources.filter((kept) => kept.replaced || !(names.has(kept.name) || this.claimed.has(kept)));
    await this.remove(gone);
    this.requireKnown(targets, known);
  }

  /** A command names only resources of the state, or of the program where that has run already. */
  private requireKnown(named: readonly string[], known: readonly string[]): boolean {
    const isKnown = (name: string) => known.includes(name) || this.resources.some((kept) => kept.name === name);
    if (named.every(isKnown)) return true;
    this.errors.push("one or more targets could not be found in the stack");
    return false;
  }

  /** Deletes resources side by side, in an order of its own; a protected one is an error, and others are deleted all the same. */
  async remove(gone: readonly Kept[]): Promise<void> {
    const chosen = this.parts.shuffle(gone.filter(({ name }) => this.isTarget(name)));
    for (const old of chosen) {
      if (this.parts.isCancelled() || this.isKilled) break;
      if (old.protect && !old.replaced) {
        this.errors.push(`resource ${old.name} cannot be deleted: it is protected`);
        continue;
      }
      this.steps.push({ op: "delete", name: old.name, type: old.type, old });
      if (this.parts.preview) continue;
      await this.startAnyway(old.name, async () => {
        if (!old.retainOnDelete) await this.call("delete", old, (door) => door.delete(old, old.id, old.outputs));
        this.replace(old, []);
      });
    }
    await this.drain();
  }

  private async register(registration: Registration, isBlocked: boolean): Promise<void> {
    const { declared } = registration;
    const { type, name, options = {} } = declared;
    const token = this.parts.door === "dynamic" ? typeToken(type) : nativeToken(type);
    const subject: Subject = { type, name, urn: `urn:pulumi:${this.parts.stack}::sim::${token}::${name}` };
    const names = [name, ...(options.aliases ?? [])];
    const old = this.resources.find(
      (kept) => !kept.replaced && !this.claimed.has(kept) && kept.type === type && names.includes(kept.name),
    );
    if (old) this.claimed.add(old);
    if (!this.isTarget(name)) return;
    const news = old ? withIgnored(registration.inputs, old.inputs, registration.ignoreChanges) : registration.inputs;
    const isToReplace = this.parts.options.replace?.includes(name) === true;
    const inputs = await this.check(subject, options.instance, (!isToReplace && old?.inputs) || {}, news);
    if (!inputs || isBlocked) return;
    if (!old) return this.create(subject, inputs, options);
    const isProtected = old.protect && options.protect === true;
    if (isToReplace) {
      requireUnprotected(name, isProtected);
      return this.makeAnew(subject, old, inputs, options);
    }
    const about = { name, instance: options.instance };
    const { ignoreChanges } = registration;
    const { changes, replaces } = await this.call("diff", about, (door) =>
      door.diff(subject, old.id, old, inputs, ignoreChanges),
    );
    const changed = Object.keys({ ...old.inputs, ...inputs }).filter((key) => !sameJson(old.inputs[key], inputs[key]));
    const isReplaced = replaces.length > 0 || changed.some((key) => options.replaceOnChanges?.includes(key));
    if (isReplaced) {
      requireUnprotected(name, isProtected);
      const again = await this.check(subject, options.instance, {}, registration.inputs);
      if (again) await this.makeAnew(subject, old, again, options);
      return;
    }
    if ((changes ?? changed.length > 0) || old.failed) return this.update(subject, old, inputs, options);
    this.replace(old, [{ ...old, ...subject, ...optionsIn(options), inputs }]);
  }

  private async makeAnew(subject: Subject, old: Kept, inputs: JsonObject, options: ResourceOptions): Promise<void> {
    const { name, type } = subject;
    this.steps.push({ op: "replace", name, type, old, inputs });
    const isFirst = options.deleteBeforeReplace === true && this.parts.door === "plugin";
    const about = { name, instance: options.instance };
    if (this.parts.preview) {
      if (this.processOf(options.instance).previews)
        await this.call("create", about, (door) => door.create(subject, inputs, true));
      return;
    }
    await this.start(name, async () => {
      if (isFirst) {
        if (!old.retainOnDelete) await this.call("delete", old, (door) => door.delete(old, old.id, old.outputs));
        this.replace(old, []);
      }
      const { id, outputs } = await this.creating(subject, inputs, options, isFirst ? undefined : old);
      const kept = { ...subject, id, inputs, outputs, ...optionsIn(options) };
      if (isFirst) this.add(kept);
      else this.replace(old, [{ ...old, replaced: true, protect: false }, kept]);
    });
  }

  private async create(subject: Subject, inputs: JsonObject, options: ResourceOptions): Promise<void> {
    const { name, type } = subject;
    this.steps.push({ op: "create", name, type, inputs });
    const about = { ...subject, instance: options.instance };
    if (this.parts.preview) {
      if (this.processOf(options.instance).previews)
        await this.call("create", about, (door) => door.create(subject, inputs, true));
      return;
    }
    await this.start(name, async () => {
      const { id, outputs } = await this.creating(subject, inputs, options);
      this.add({ ...subject, id, inputs, outputs, ...optionsIn(options) });
    });
  }

  /** A create; one that ends half-way leaves the resource in the state, and what it replaces is still to be deleted. */
  private async creating(subject: Subject, inputs: JsonObject, options: ResourceOptions, replaced?: Kept) {
    const about = { ...subject, instance: options.instance };
    try {
      return await this.call("create", about, (door) => door.create(subject, inputs, false));
    } catch (error) {
      if (error instanceof Partial && error.id !== undefined) {
        const kept: Kept = {
          ...subject,
          id: error.id,
          inputs,
          outputs: error.outputs,
          ...optionsIn(options),
          failed: true,
        };
        if (replaced) this.replace(replaced, [{ ...replaced, replaced: true, protect: false }, kept]);
        else this.add(kept);
      }
      throw error;
    }
  }

  private async update(subject: Subject, old: Kept, inputs: JsonObject, options: ResourceOptions): Promise<void> {
    const { name, type } = subject;
    this.steps.push({ op: "update", name, type, old, inputs });
    const about = { name, instance: options.instance };
    const { ignoreChanges = [] } = options;
    const updated = (preview: boolean) =>
      this.call("update", about, (door) => door.update(subject, old.id, old, inputs, preview, ignoreChanges));
    if (this.parts.preview) {
      if (this.processOf(options.instance).previews) await updated(true);
      return;
    }
    await this.start(name, async () => {
      const { failed: _, ...before } = old;
      const rest = { ...before, ...subject, ...optionsIn(options) };
      try {
        const outputs = await updated(false);
        this.replace(old, [{ ...rest, inputs, outputs }]);
      } catch (error) {
        if (error instanceof Partial) this.replace(old, [{ ...rest, outputs: error.outputs, failed: true }]);
        throw error;
      }
    });
  }

  private async check(
    subject: Subject,
    instance: number | undefined,
    olds: JsonObject,
    news: JsonObject,
  ): Promise<JsonObject | undefined> {
    const about = { ...subject, instance };
    const { inputs, failures } = await this.call("check", about, (door) => door.check(subject, olds, news));
    this.errors.push(...failures);
    // The engine goes on after a failed step where the command says so, but never after a failed check.
    if (failures.length > 0) this.isBailed = true;
    return failures.length > 0 ? undefined : inputs;
  }

  private async call<T>(
    method: Call["method"],
    { name, instance }: Pick<Kept, "name" | "instance">,
    work: (door: Door) => Promise<T>,
  ): Promise<T> {
    const at = this.calls.length;
    const made: Call = { method, name, outcome: "ok", ...(this.parts.preview && { preview: true }) };
    this.calls.push(made);
    try {
      return await this.processOf(instance).call(work);
    } catch (error) {
      this.calls[at] = { ...made, outcome: "failed" };
      throw error;
    }
  }

  private processOf(instance: number | undefined): Callable {
    return this.parts.process(instance);
  }

  /** Starts a step as soon as there is room; after the first error no further one begins, unless the command says so. */
  private async start(name: string, work: () => Promise<void>): Promise<void> {
    if (!this.isStopped()) await this.startAnyway(name, work);
  }

  private async startAnyway(name: string, work: () => Promise<void>): Promise<void> {
    const { parallel = DEFAULT_PARALLEL } = this.parts.options;
    while (this.running.size >= parallel) await Promise.race(this.running.values());
    if (this.isKilled || this.parts.isCancelled()) return;
    const before = this.running.get(name);
    const running = (before ?? Promise.resolve())
      .then(work)
      .catch((error: unknown) => this.fail(name, error))
      .finally(() => {
        if (this.running.get(name) === running) this.running.delete(name);
      });
    this.running.set(name, running);
  }

  private fail(name: string, error: unknown): void {
    this.failedNames.add(name);
    if (error instanceof Killed) this.isKilled = true;
    this.errors.push(error instanceof Error ? error.message : String(error));
  }

  private isStopped(): boolean {
    if (this.isKilled || this.isBailed || this.parts.isCancelled()) return true;
    return this.errors.length > 0 && this.parts.options.continueOnError !== true;
  }

  private async drain(): Promise<void> {
    while (this.running.size > 0) await Promise.race(this.running.values());
  }

  private isTarget(name: string): boolean {
    const { targets, excludes } = this.parts.options;
    return (targets?.includes(name) ?? true) && !excludes?.includes(name);
  }

  private add(kept: Kept): void {
    this.resources.push(kept);
    this.save();
  }

  private replace(old: Kept, now: readonly Kept[]): void {
    this.resources = this.resources.flatMap((kept) => (kept === old ? now : [kept]));
    this.save();
  }

  private save(): void {
    if (!this.isKilled && !this.parts.preview) this.parts.keep(this.resources);
  }
}

/** A replacement is refused where both the state and the program protect the resource. */
function requireUnprotected(name: string, isProtected: boolean): void {
  if (isProtected) throw new Error(`resource ${name} cannot be replaced: it is protected`);
}
