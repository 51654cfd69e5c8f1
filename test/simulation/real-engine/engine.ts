import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { SDK_ENVIRONMENT } from "../../support/sdk-process";
import type { Declared, RunOptions } from "../scenario";

/** Deployments that one plugin process serves. */
const DEPLOYMENTS_OF_ONE = 200;
const LAUNCHER = join(process.cwd(), "plugin", "pulumi-resource-packetfilter");

/** A command of the engine, as the Go program takes it. */
export interface EngineRun {
  readonly command: "preview" | "up" | "refresh" | "destroy";
  readonly config: Readonly<Record<string, unknown>>;
  readonly instances: number;
  readonly program: readonly Declared[];
  readonly options: RunOptions;
  /** The provider processes cannot share what they want. */
  readonly isDeaf: boolean;
}

/** A call of the provider. */
interface EngineCall {
  readonly method: "check" | "diff" | "create" | "read" | "update" | "delete";
  readonly name: string;
  readonly preview?: boolean;
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** Empty if the call had not ended when the run was over. */
  readonly outcome: "ok" | "failed" | "";
  readonly error?: string;
  /** Places in the order of all beginnings and ends of calls in this run. */
  readonly began: number;
  readonly ended: number;
  /** Tells the provider processes of a run apart, from 0. */
  readonly process: number;
  /** The answer to a diff. */
  readonly changes?: string;
  readonly replaces?: readonly string[];
  readonly diffs?: readonly string[];
  readonly ms: number;
}

/** A resource of a state. */
export interface EngineResource {
  readonly name: string;
  readonly type: Declared["type"];
  readonly id: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly pendingDelete?: boolean;
  readonly protect?: boolean;
  readonly retainOnDelete?: boolean;
  readonly pendingReplace?: boolean;
  readonly initErrors?: readonly string[];
}

/** An operation that the engine announced; `op` is the engine's word. */
interface EngineStep {
  readonly op: string;
  readonly name: string;
  readonly type: Declared["type"];
  readonly old?: EngineResource;
  readonly inputs?: Readonly<Record<string, unknown>>;
}

/** Outcome of a command of the engine. */
export interface EngineOutcome {
  readonly failed: boolean;
  readonly error?: string;
  readonly killed?: boolean;
  readonly calls: readonly EngineCall[];
  /** Operations that the engine announced, in order. */
  readonly steps: readonly EngineStep[];
  readonly state: readonly EngineResource[];
  /** Operations that the state says are under way: `creating blocked`. */
  readonly pending?: readonly string[];
  /** Reasons why a state that was written makes no sense: a fault of the engine. */
  readonly invalid?: readonly string[];
  readonly diagnostics: readonly { readonly severity: string; readonly about: string; readonly message: string }[];
  /** Times that the state was written. */
  readonly writes: number;
  readonly ms: number;
}

/** A run under way. */
export interface EngineRunning {
  readonly outcome: Promise<EngineOutcome>;
  /** The first Ctrl-C. */
  cancel(): Promise<unknown>;
  /** Kills engine and plugins; settles once they are dead. */
  kill(): Promise<unknown>;
}

/** The engine of Pulumi in a Go process, with plugin processes that stay for several deployments. */
export class RealEngine implements AsyncDisposable {
  private readonly waiting = new Map<number, { done(result: unknown): void; fail(error: Error): void }>();
  private last = 0;
  private gone: Error | undefined;

  private constructor(
    private readonly child: ChildProcess,
    private readonly home: string,
  ) {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => this.take(line));
    child.on("exit", (code, signal) => {
      this.gone = new Error(`the process of the engine ended with ${signal ?? code}`);
      for (const { fail } of this.waiting.values()) fail(this.gone);
    });
  }

  /**
   * Builds the process, once per machine, and starts it.
   *
   * @param deployments Number that one plugin process serves; then it ends.
   * @throws {Error} if it cannot be built, for example without Go
   */
  static async start(deployments = DEPLOYMENTS_OF_ONE): Promise<RealEngine> {
    const { ensureRealEngine } = await import("./ensure.mjs");
    const program = await ensureRealEngine();
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
    const home = mkdtempSync(join(tmpdir(), "packetfilter-real-engine-"));
    const { PATH = "", HOME = "" } = process.env;
    const env = { PATH, HOME, PULUMI_HOME: home, ...SDK_ENVIRONMENT };
    const child = spawn(program, [LAUNCHER, version, String(deployments)], { env, stdio: ["pipe", "pipe", "inherit"] });
    return new RealEngine(child, home);
  }

  /** Begins a command for a stack. */
  run(stack: string, run: EngineRun): EngineRunning {
    const { id, result } = this.send({ op: "run", stack, run });
    return {
      outcome: result as Promise<EngineOutcome>,
      cancel: () => this.send({ op: "cancel", of: id }).result,
      kill: () => this.send({ op: "kill", of: id }).result,
    };
  }

  /** Brings back the state of so many runs ago. */
  async restore(stack: string, runsAgo: number): Promise<readonly EngineResource[]> {
    return (await this.send({ op: "restore", stack, runsAgo }).result) as EngineResource[];
  }

  /** Forgets the states of a stack. */
  async forget(stack: string): Promise<void> {
    await this.send({ op: "forget", stack }).result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.stdin?.end();
    if (!this.gone) await ended;
    rmSync(this.home, { recursive: true, force: true, maxRetries: 3 });
  }

  private send(command: object): { id: number; result: Promise<unknown> } {
    const id = ++this.last;
    if (this.gone) return { id, result: Promise.reject(this.gone) };
    const result = new Promise((done, fail) => this.waiting.set(id, { done, fail }));
    this.child.stdin?.write(`${JSON.stringify({ id, ...command })}\n`);
    return { id, result };
  }

  private take(line: string): void {
    const { id, result, error } = JSON.parse(line) as { id: number; result?: unknown; error?: string };
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if (error === undefined) waiting?.done(result);
    else waiting?.fail(new Error(error));
  }
}
