import { subscribe } from "node:diagnostics_channel";
import { fstatSync } from "node:fs";
import type { Socket } from "node:net";
import { availableParallelism } from "node:os";
import { toEngine } from "../messages/notices";
import { attempt } from "../model/errors";
import { DeploymentFolder, sharedFolder } from "./other-processes";
import { Runtime } from "./runtime";
import { SentFiles } from "./sent-files";
import type { TimeLimits } from "./time-limit";

/** Default of the engine's `--parallel`, for each core. */
const STEPS_PER_CORE = 4;

let deployment: Deployment | undefined;

/** Arguments with which the engine started this process. */
export interface Start {
  /** Address that the engine serves for this deployment. */
  readonly address: string | undefined;
  readonly print: (line: string) => void;
  /** Time that the engine says single operations have. */
  readonly limits?: TimeLimits;
}

/** The deployment that this process serves. */
interface Deployment {
  readonly address: string | undefined;
  readonly runtime: Runtime;
  readonly folder: DeploymentFolder | undefined;
  readonly notes: SentFiles;
}

/** The runtime of this provider process, made at the first call. @param start The plugin gives it, before any other call. */
export function providerProcess(start: Start = { address: addressIn(process.argv), print: toEngine }): Runtime {
  if (deployment) return deployment.runtime;
  deployment = begun(start);
  process.once("exit", () => deployment?.folder?.end());
  cancelWithEngine({ cancel: () => deployment?.runtime.cancel() });
  exitWithEngine();
  return deployment.runtime;
}

/**
 * Begins the next deployment of a process that stays for several, as a debugger's does: the engine tells it each address. What was
 * known in the last one is not known in this one.
 */
export function nextDeployment(start: Start): void {
  if (start.address === deployment?.address) return;
  deployment?.folder?.end();
  deployment?.notes.end();
  deployment = begun(start);
}

function begun({ address, print, limits }: Start): Deployment {
  const folder = folderOf(address);
  const notes = new SentFiles(process.pid, sharedFolder(process.env.PULUMI_HOME));
  const runtime = new Runtime({
    ...(folder && { others: folder }),
    notes,
    env: process.env,
    usualSteps: STEPS_PER_CORE * availableParallelism(),
    print,
    ...(limits && { limits }),
  });
  return { address, runtime, folder, notes };
}

/** The address that the engine serves: the last argument, after flags with values (`--tracing ADDRESS`). */
export function addressIn(argv: readonly string[]): string | undefined {
  return argv.slice(2).at(-1);
}

/** Messages of the deployment's other provider processes, which get the same address from the engine. */
function folderOf(address: string | undefined): DeploymentFolder | undefined {
  if (address === undefined) return undefined;
  return new DeploymentFolder({ address, pid: process.pid }, sharedFolder(process.env.PULUMI_HOME));
}

/** Path of the call with which the engine passes on the first Ctrl-C. */
const CANCEL = "/pulumirpc.ResourceProvider/Cancel";

/**
 * Obeys the engine's `Cancel`: no further wave, node or check begins. The SDK's server of dynamic resources answers that call
 * and passes it on to no provider, and the process gets no signal. But Node reports each call that its http2 server gets, which gRPC stands
 * on. A Node without this channel reports nothing: there the run goes on to its end, and only the plugin obeys.
 */
export function cancelWithEngine(inUse: Pick<Runtime, "cancel">): void {
  subscribe("http2.server.stream.created", (message) => {
    const { headers } = message as { readonly headers?: Readonly<Record<string, unknown>> };
    if (headers?.[":path"] === CANCEL) inUse.cancel();
  });
}

/**
 * Ends this process with the engine, once no operation is under way. A killed engine ends no plugin and need not be its parent:
 * Pulumi's own script `pulumi-resource-pulumi-nodejs` is between the two. But the pipe that it holds as our standard input
 * closes. A stopped engine sends SIGINT and waits for some seconds; a second signal ends the process at once.
 */
function exitWithEngine(): void {
  const settle = () => {
    deployment?.runtime.cancel();
    return deployment?.runtime.idle().finally(() => process.exit(0));
  };
  // A killed engine sends no signal: then the answers of this process may be in no state.
  const end = () => {
    const isIdle = deployment?.runtime.isIdle;
    if (isIdle) deployment?.notes.end();
    void settle();
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
  const input = attempt(() => fstatSync(0));
  // A standard input that is not a pipe, as in a debugger, does not end with the engine.
  if (!input?.isFIFO() && !input?.isSocket()) return;
  for (const event of ["end", "error"] as const) process.stdin.once(event, () => void settle());
  process.stdin.resume();
  // A stream of the network or of a pipe, whatever its type says.
  (process.stdin as Partial<Pick<Socket, "unref">>).unref?.();
}
