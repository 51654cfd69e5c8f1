import { ControlApi, ROUTES } from "./control";
import { Admission } from "./http/admission";
import { HttpServer } from "./http/http-server";
import { ProtocolPort } from "./http/protocol-port";
import { type ClientTls, serverTls } from "./http/tls";
import { NodeApi } from "./node/node-api";
import { failure } from "./node/node-replies";
import { type EmulatorOptions, resolveOptions } from "./options";
import { SignalingApi } from "./signaling/signaling-api";
import { Simulation } from "./simulation";
import { Persistence } from "./state/persistence";
import { systemWall } from "./time/clock";

/** The parts of a running emulator. */
export interface Assembly {
  readonly simulation: Simulation;
  /** Serves the protocol. */
  readonly server: HttpServer;
  readonly control: ControlApi;
  readonly controlServer: HttpServer;
  readonly tls: ClientTls | undefined;
  readonly persistence: Persistence | undefined;
}

/** Milliseconds until the next try to take the port again, when another process has taken it during an outage. */
const RETRY = 50;

/** Makes the parts of an emulator and starts to serve. @throws what `startEmulator` throws, and then nothing serves. */
export async function assemble(options: EmulatorOptions): Promise<Assembly> {
  const wall = options.wall ?? systemWall;
  const { persist } = options;
  const kept = persist === undefined ? undefined : await Persistence.read(persist);
  const simulation = new Simulation(resolveOptions({ ...options, ...(kept && { state: kept }) }), wall);
  const persistence =
    persist === undefined ? undefined : new Persistence(persist, () => simulation.contents.export(), wall);
  if (persistence) simulation.onChange(persistence.changed);
  if (options.onRequest) simulation.journal.listen(options.onRequest);
  const { host, port, controlPort } = simulation.options;
  const dialect = () => simulation.dialect;
  const admission = new Admission({
    auth: simulation.options.auth,
    dialect,
    origin: () => server.origin,
    refuse: (why, message) => failure(why, message, simulation.dialect),
  });
  const protocolPort = new ProtocolPort(simulation, {
    apis: {
      node: new NodeApi(simulation),
      signaling: new SignalingApi({ dialect, deployment: () => simulation.contents.signaling }),
      test: new SignalingApi({ dialect, deployment: () => simulation.contents.testSignaling }),
    },
    outage: (ms) => void outage(server, simulation, ms),
    guard: admission.check,
  });
  const tls = serverTls(simulation.options, wall.now());
  const server = await HttpServer.listen({ host, port, tls: tls?.server }, protocolPort.listener);
  try {
    const control = new ControlApi({ simulation, routes: ROUTES, token: simulation.options.controlToken });
    const controlServer = await HttpServer.listen({ host, port: controlPort }, control.listener);
    return { simulation, server, control, controlServer, tls: tls?.client, persistence };
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** Closes the protocol port for a while. */
async function outage(server: HttpServer, simulation: Simulation, ms: number): Promise<void> {
  await server.suspend();
  await simulation.waits.for(ms);
  while (!simulation.waits.ended) {
    try {
      return await server.resume();
    } catch {
      await simulation.waits.for(RETRY);
    }
  }
}
