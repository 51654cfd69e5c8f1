import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { startEmulator } from "../../../provider/emulator";

/** Many nodes, each an emulator, in as many processes as the machine has cores. */
export interface Nodes extends AsyncDisposable {
  /** Addresses by name, `node0` and so on. */
  readonly endpoints: Readonly<Record<string, string>>;
}

/** Starts them with empty sets of these names in the arena `edge`. */
export async function startNodes(count: number, sets: readonly string[]): Promise<Nodes> {
  const workers = Array.from({ length: availableParallelism() }, () =>
    fork(__filename, { env: { ...process.env, [SETS]: sets.join() } }),
  );
  const share = Math.ceil(count / workers.length);
  const started = await Promise.all(
    workers.map((worker, index) => endpointsOf(worker, Math.min(share, Math.max(0, count - index * share)))),
  );
  const endpoints = started.flat();
  return {
    endpoints: Object.fromEntries(endpoints.map((endpoint, index) => [`node${index}`, endpoint])),
    [Symbol.asyncDispose]: async () => {
      const ended = workers.map((worker) => once(worker, "exit"));
      for (const worker of workers) worker.disconnect();
      await Promise.all(ended);
    },
  };
}

async function endpointsOf(worker: ChildProcess, count: number): Promise<string[]> {
  worker.send(count);
  const [endpoints] = await once(worker, "message");
  return endpoints;
}

const SETS = "PACKETFILTER_BENCH_SETS";

async function serve(count: number): Promise<void> {
  const sets = Object.fromEntries((process.env[SETS] ?? "").split(",").map((name) => [name, {}]));
  const nodes = [];
  for (let index = 0; index < count; index++)
    nodes.push(await startEmulator({ state: { arenas: { edge: { sets } } } }));
  process.send?.(nodes.map(({ endpoint }) => endpoint));
}

if (require.main === module) {
  process.on("message", (count: number) => void serve(count));
  process.on("disconnect", () => process.exit(0));
}
