import { fstatSync } from "node:fs";
import type { Socket } from "node:net";
import { availableParallelism } from "node:os";
import { attempt } from "../model/errors";
import { toEngine } from "./notices";
import { DeploymentFolder, sharedFolder } from "./other-processes";
import { Runtime } from "./runtime";
import type { OtherProcesses } from "./wanted";

/** Steps that the engine runs in parallel for each core, unless `--parallel` says otherwise. */
const STEPS_PER_CORE = 4;

let runtime: Runtime | undefined;

/** Arguments with which the engine started this process. */
export interface Start {
  /** Address that the engine serves for this deployment. */
  readonly address: string | undefined;
  /** Shows a line to the user. */
  readonly print: (line: string) => void;
}

/**
 * The runtime of this provider process, made at the first call: all resource types share it.
 *
 * @param start Given once, before anything else, by the plugin; what evaluates the provider text is the server of dynamic resources.
 */
export function providerProcess(start: Start = { address: addressIn(process.argv), print: toEngine }): Runtime {
  if (runtime) return runtime;
  const others = deploymentOf(start.address);
  runtime = new Runtime({
    ...(others && { others }),
    env: process.env,
    usualSteps: STEPS_PER_CORE * availableParallelism(),
    print: start.print,
  });
  exitWithEngine(runtime);
  return runtime;
}

/** The address that the engine serves, behind the flags that it passes on, of which some have values (`--tracing ADDRESS`). */
export function addressIn(argv: readonly string[]): string | undefined {
  return argv.slice(2).at(-1);
}

/** Messages of the engine's other provider processes. The engine gives each of them the address that it serves for one deployment. */
function deploymentOf(address: string | undefined): OtherProcesses | undefined {
  if (address === undefined) return undefined;
  const folder = new DeploymentFolder({ address, pid: process.pid }, sharedFolder(process.env.PULUMI_HOME));
  process.once("exit", () => folder.end());
  return folder;
}

/**
 * Ends this process only once nothing is in hand. An engine that is killed takes no plugin along, and need not be the parent of
 * this process: Pulumi's own script `pulumi-resource-pulumi-nodejs` stays between the two. What ends with the engine is the pipe
 * that it holds as our standard input. An engine that is stopped sends SIGINT and waits for some seconds; a second signal
 * ends at once.
 */
function exitWithEngine(inUse: Runtime): void {
  const settle = () => {
    inUse.cancel();
    void inUse.idle().finally(() => process.exit(0));
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, settle);
  const input = attempt(() => fstatSync(0));
  // What is no pipe, as in a debugger, says nothing of the engine.
  if (!input?.isFIFO() && !input?.isSocket()) return;
  for (const event of ["end", "error"] as const) process.stdin.once(event, settle);
  process.stdin.resume();
  // A stream of the network or of a pipe, whatever its type says.
  (process.stdin as Partial<Pick<Socket, "unref">>).unref?.();
}
