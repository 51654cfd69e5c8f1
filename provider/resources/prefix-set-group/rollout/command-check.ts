import { type ChildProcess, spawn } from "node:child_process";
import { formatDuration } from "../../../client/pauses";
import { Redactor } from "../../../client/redact";
import { attempt, messageOf } from "../../../model/errors";
import { sanitize } from "../../../model/foreign-text";
import type { CheckedWave, CheckWorld } from "./wave-check";

/** Last characters of the output that are kept for the last line. */
const KEPT = 4_096;

/** Wave that a command checks, and its time limit in milliseconds. */
interface CommandRun extends CheckWorld, Pick<CheckedWave, "nodes" | "set"> {
  readonly left: number;
}

/**
 * Runs a command in the folder of the program, where the engine starts the provider. It passes with exit code 0. If it is
 * killed, its child processes are too, on systems with process groups.
 *
 * @returns the reason if it did not pass
 */
export function runCommand(command: readonly string[], run: CommandRun): Promise<string | undefined> {
  const { nodes, set, env, world, signal, credentials, left } = run;
  const [program = "", ...args] = command;
  const failed = (what: string) => sanitize(`${program}: ${what}`, (text) => text);
  if (signal.aborted) return Promise.resolve(failed("the run was cancelled"));
  return new Promise((resolve) => {
    const child = attempt(() =>
      spawn(program, args, {
        env: { ...env, PACKETFILTER_NODES: nodes.join(","), PACKETFILTER_SET: set },
        stdio: ["ignore", "pipe", "pipe"],
        detached: true,
      }),
    );
    if (!child) return resolve(failed("it cannot be started"));
    let output = "";
    let stopped: string | undefined;
    const stop = (why: string) => {
      stopped ??= why;
      kill(child);
    };
    const onAbort = () => stop("the run was cancelled");
    const onExit = () => kill(child);
    const cancelTimer = world.after(left, () => stop(`it did not end within ${formatDuration(left)}, and was killed`));
    signal.addEventListener("abort", onAbort, { once: true });
    process.once("exit", onExit);
    const settle = (reason: string | undefined) => {
      cancelTimer();
      signal.removeEventListener("abort", onAbort);
      process.removeListener("exit", onExit);
      resolve(reason);
    };
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output = `${output}${text}`.slice(-KEPT)));
    child.once("error", (error) => settle(failed(messageOf(error))));
    // Not "close": a process that the command left running may hold its output open.
    child.once("exit", (code, name) => {
      if (stopped !== undefined) return settle(failed(stopped));
      if (code === 0) return settle(undefined);
      // Its last output arrives in the turn after its end.
      setImmediate(() =>
        settle(failed(`${code === null ? `ended by ${name}` : `exit code ${code}`}${lastLine(output, credentials)}`)),
      );
    });
  });
}

function kill({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  // A system without process groups refuses a negative number.
  if (attempt(() => process.kill(-pid, "SIGKILL")) === undefined) attempt(() => process.kill(pid, "SIGKILL"));
}

/** @param credentials Cut out before the line is: a half of one would not be found. */
function lastLine(output: string, credentials: readonly string[]): string {
  const line = output.trim().split("\n").at(-1)?.trim();
  return line ? `: ${new Redactor(credentials).sanitize(line)}` : "";
}
