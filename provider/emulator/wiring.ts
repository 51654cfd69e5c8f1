import { ControlApi } from "./control/control-api";
import { PORT_RETRY_MS } from "./defaults";
import { serverTls } from "./http/certificates";
import { HttpServer } from "./http/http-server";
import { ProtocolPort } from "./http/protocol-port";
import { NodeApi } from "./node/node-api";
import { type EmulatorOptions, type ResolvedOptions, resolveOptions } from "./options";
import { Backends } from "./recording/backends";
import { protocolAddresses, sourcesOf } from "./signaling/credentials";
import { SignalingApi } from "./signaling/signaling-api";
import { type Addresses, Simulation } from "./simulation";
import { type FileLock, lockFile } from "./state/file-lock";
import { Persistence } from "./state/persistence";
import { systemWall, type Wall } from "./time/clock";

/** The parts of a running emulator. */
export interface Assembly {
  readonly simulation: Simulation;
  /** Serves the protocol. */
  readonly server: HttpServer;
  readonly controlServer: HttpServer;
  readonly persistence: Persistence | undefined;
  /** Of the file of `persistence`. */
  readonly lock: FileLock | undefined;
  readonly backends: Backends;
}

/** Makes the parts of an emulator and starts to serve. @throws what `startEmulator` throws, and then nothing serves. */
export async function assemble(options: EmulatorOptions): Promise<Assembly> {
  const resolved = resolveOptions(options);
  const wall = options.wall ?? systemWall;
  const tls = serverTls(resolved, wall.now());
  // Ports first: that one is taken is told before a large state is read. Requests that come early wait for their answer.
  const { host, port, controlPort } = resolved;
  const server = await HttpServer.listen({ host, port, tls: tls?.server });
  const servers = [server];
  let lock: FileLock | undefined;
  try {
    const controlServer = await HttpServer.listen({ host, port: controlPort });
    servers.push(controlServer);
    const { controlToken } = resolved;
    const endpoint = (options.advertise ?? server.origin).replace(/\/$/, "");
    const addresses = {
      ...protocolAddresses(endpoint),
      control: controlServer.origin,
      ...(controlToken !== undefined && { controlToken }),
      ...(tls && { tls: tls.client }),
    };
    lock = options.persist === undefined ? undefined : await lockFile(options.persist);
    const { simulation, persistence } = await load(options, resolved, wall, addresses);
    const backends = await Backends.open(options, simulation);
    server.serve(protocolPort(simulation, server, backends).listener);
    controlServer.serve(new ControlApi(simulation).listener);
    return { simulation, server, controlServer, persistence, lock, backends };
  } catch (error) {
    await Promise.all([...servers.map((each) => each.close()), lock?.release()]);
    throw error;
  }
}

/** The simulation with what it holds: what was kept, else what was given, else a small demo. */
async function load(
  options: EmulatorOptions,
  resolved: ResolvedOptions,
  wall: Wall,
  addresses: Addresses,
): Promise<Pick<Assembly, "simulation" | "persistence">> {
  const { persist, state } = options;
  const kept = persist === undefined ? undefined : await Persistence.read(persist);
  const given = kept ?? (typeof state === "function" ? await state() : state);
  const simulation = new Simulation(resolved, wall, addresses, sourcesOf(options), given);
  const persistence =
    persist === undefined
      ? undefined
      : new Persistence(
          persist,
          { whole: () => simulation.contents.export(), signalings: () => simulation.contents.activeSignalings() },
          wall,
        );
  if (persistence) {
    await persistence.begin();
    simulation.onChange(persistence.changed);
    simulation.durable = () => persistence.durable();
  }
  if (options.onRequest) simulation.journal.listen(options.onRequest);
  return { simulation, persistence };
}

function protocolPort(simulation: Simulation, server: HttpServer, backends: Backends): ProtocolPort {
  const resets = new Set<() => void>();
  simulation.onReset(() => {
    for (const reset of resets) reset();
    resets.clear();
  });
  const whenReset = () => new Promise<void>((resolve) => void resets.add(resolve));
  return new ProtocolPort(simulation, {
    apis: {
      node: backends.behind("node", new NodeApi(simulation)),
      signaling: backends.behind("signaling", new SignalingApi(simulation, "signaling")),
      test: new SignalingApi(simulation, "testSignaling"),
    },
    outage: (ms) => void outage(server, simulation, Promise.race([simulation.waits.for(ms), whenReset()])),
  });
}

/** Closes the protocol port until a time is over. */
async function outage(server: HttpServer, simulation: Simulation, over: Promise<void>): Promise<void> {
  await server.suspend();
  await over;
  while (!simulation.waits.ended) {
    try {
      return await server.resume();
    } catch {
      await simulation.waits.for(PORT_RETRY_MS);
    }
  }
}
