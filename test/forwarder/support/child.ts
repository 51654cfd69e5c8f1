import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";

const ROOT = join(__dirname, "../../..");
const CLI = join(ROOT, "dist/provider/cli.js");
const FAST = join(__dirname, "fast-child.cjs");

/** Runs `forward` with a configuration as it is installed: its process, and the lines of its log. */
export function forward(config: string, ...more: string[]) {
  const args = [CLI, "forward", "--config", config, ...more];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const told: { msg: string; url?: string }[] = [];
  createInterface(child.stderr).on("line", (line) => told.push(JSON.parse(line)));
  return { child, told };
}

/** A forwarder in a process of its own, from what is built. */
export class ForwardProcess {
  /** Lines of standard error, as they came. */
  readonly lines: string[] = [];
  private readonly gone: Promise<unknown>;

  private constructor(
    readonly child: ChildProcess,
    private rest = "",
  ) {
    this.gone = once(child, "exit");
    child.stderr?.on("data", (chunk: Buffer) => {
      const lines = (this.rest + chunk.toString()).split("\n");
      this.rest = lines.pop() ?? "";
      this.lines.push(...lines);
    });
  }

  /** A command line that calls the package's command, as where the package is installed globally. `folder`: for the link to it. */
  static command(line: readonly string[], folder: string, env: Readonly<Record<string, string>> = {}): ForwardProcess {
    const bin = join(folder, "bin");
    mkdirSync(bin);
    symlinkSync(CLI, join(bin, "pulumi-packetfilter"));
    symlinkSync(process.execPath, join(bin, "node"));
    return ForwardProcess.run(line, { ...env, PATH: `${bin}${delimiter}${process.env.PATH}` });
  }

  /** The published library, on a clock that runs `times` as fast and whose date is wrong by `ahead` milliseconds. */
  static startFast(config: string, times: number, ahead = 0): ForwardProcess {
    return ForwardProcess.run([process.execPath, FAST, config, String(times), String(ahead)]);
  }

  private static run([file = "", ...args]: readonly string[], more: NodeJS.ProcessEnv = {}): ForwardProcess {
    // Compiled once, each start takes a third less time.
    const env = { ...process.env, ...more, NODE_COMPILE_CACHE: join(ROOT, "node_modules/.cache/node-compile") };
    return new ForwardProcess(spawn(file, args, { env, stdio: ["ignore", "ignore", "pipe"] }));
  }

  /** Ends it, and waits until it is gone. @returns its exit code, `null` after a kill. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    return this.exited();
  }

  async exited(): Promise<number | null> {
    await this.gone;
    return this.child.exitCode;
  }
}
