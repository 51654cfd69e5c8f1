import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const CLI = join(__dirname, "../../../dist/provider/cli.js");

/** `pulumi-packetfilter forward` in a process of its own, from what is built. */
export class ForwardProcess {
  /** Lines of standard error, as they came. */
  readonly lines: string[] = [];
  private readonly gone: Promise<unknown>;

  constructor(
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

  static start(config: string, ...more: string[]): ForwardProcess {
    const child = spawn(process.execPath, [CLI, "forward", "--config", config, ...more], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    return new ForwardProcess(child);
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
