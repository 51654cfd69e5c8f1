import { availableParallelism } from "node:os";
import { toEngine } from "./notices";
import { DeploymentFolder } from "./other-processes";
import { Runtime } from "./runtime";
import type { OtherProcesses } from "./wanted";

/** How often the process looks whether its engine still lives, in milliseconds. */
const WATCH_MS = 1_000;
/** So many steps at a time the engine carries out for each core, unless `--parallel` says otherwise. */
const STEPS_PER_CORE = 4;

let runtime: Runtime | undefined;

/** The runtime of this provider process, made at the first call: all resource types share it. */
export function providerProcess(): Runtime {
  if (runtime) return runtime;
  const others = isServer(process.argv[1]) ? deploymentOf(process.argv[2]) : undefined;
  const made = new Runtime({
    ...(others && { others }),
    env: process.env,
    usualSteps: STEPS_PER_CORE * availableParallelism(),
    print: toEngine,
  });
  if (isServer(process.argv[1])) exitWithEngine(made);
  runtime = made;
  return made;
}

function isServer(script: string | undefined): boolean {
  return script !== undefined && /[\\/]cmd[\\/]dynamic-provider([\\/]|$)/.test(script);
}

/** What the engine's other provider processes say. The engine gives each of them the address that it serves for one deployment. */
function deploymentOf(address: string | undefined): OtherProcesses | undefined {
  if (address === undefined) return undefined;
  const folder = new DeploymentFolder({ engine: process.ppid, address, pid: process.pid });
  process.once("exit", () => folder.end());
  return folder;
}

/**
 * Ends this process only once nothing is in hand. A killed engine takes its plugins along only if it still can: the
 * system then gives this process another parent. An engine that is stopped sends SIGINT and waits for some seconds; a
 * second signal ends at once.
 */
function exitWithEngine(inUse: Runtime): void {
  const settle = () => void inUse.idle().finally(() => process.exit(0));
  const engine = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === engine) return;
    clearInterval(timer);
    settle();
  }, WATCH_MS);
  timer.unref();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, settle);
}
