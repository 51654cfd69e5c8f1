import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { isBuiltin } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";

const ROOT = join(__dirname, "../../..");
const CLI = join(ROOT, "dist/provider/cli.js");
const FAST = join(__dirname, "fast-child.cjs");

/** The packages that a program of the build loads. */
export function packagesIn(text: string): string[] {
  const asked = [...text.matchAll(/\b(?:require|import)\(["'`]([^."'`][^"'`]*)["'`]\)/g)];
  return [...new Set(asked.map(([, name = ""]) => name))].filter((name) => !isBuiltin(name));
}

/** The packages that `forward` may load: those of its files, and of all that these lead to. */
export function packagesOfForward(): string[] {
  const files = new Set([
    CLI,
    join(ROOT, "dist/parts/forward.js"),
    join(ROOT, "dist/provider/forwarder/ledger/thread.js"),
  ]);
  const packages = new Set<string>();
  for (const file of files) {
    const text = readFileSync(file, "utf8");
    for (const name of packagesIn(text)) packages.add(name.replace(/^((?:@[^/]+\/)?[^/]+).*/, "$1"));
    // What the command line loads later is another command.
    for (const [, path = "", later] of text.matchAll(/\b(?:require|import)\(["'`](\.[^"'`]*)["'`]\)(\))?/g)) {
      if (file !== CLI || later === undefined) files.add(join(dirname(file), path));
    }
  }
  return [...packages].sort();
}

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
