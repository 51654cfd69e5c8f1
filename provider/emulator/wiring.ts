import { ControlApi } from "./control/control-api";
import { PORT_RETRY_MS } from "./defaults";
import { serverTls } from "./http/certificates";
import { HttpServer } from "./http/http-server";
import { protocolAddresses, sourcesOf } from "./info";
import { NodeApi } from "./node/node-api";
import { type EmulatorOptions, type ResolvedOptions, resolveOptions } from "./options";
import { Backends } from "./recording/backends";
import { ProtocolPort } from "./serving/protocol-port";
import { SignalingApi } from "./signaling/signaling-api";
import { type Addresses, Simulation } from "./simulation";
import { lockFile } from "./state/file-lock";
import { stateAsJson } from "./state/given-state";
import { Persistence } from "./state/persistence";
import type { EmulatorState } from "./state/state";
import { systemWall, type Wall } from "./time/clock";

/** The parts of a running emulator. */
export type Assembly = Awaited<ReturnType<typeof assemble>>;

/** Makes the parts of an emulator and starts to serve. @throws errors of `startEmulator`; then no server remains. */
export async function assemble(options: EmulatorOptions) {
  const resolved = resolveOptions(options);
  const wall = options.wall ?? systemWall;
  const tls = serverTls(resolved, wall.now());
  // Ports first: a taken one is reported before a large state is read. Early requests wait for their answer.
  const { host, port, controlPort, controlToken } = resolved;
  const server = await HttpServer.listen({ host, port, tls: tls?.server });
  const servers = [server];
  let unlock: (() => Promise<void>) | undefined;
  try {
    const controlServer = await HttpServer.listen({ host, port: controlPort });
    servers.push(controlServer);
    const endpoint = (options.advertise ?? server.origin).replace(/\/$/, "");
    const addresses = {
      ...protocolAddresses(endpoint),
      control: controlServer.origin,
      ...(controlToken !== undefined && { controlToken }),
      ...(tls && { tls: tls.client }),
    };
    unlock = options.persist === undefined ? undefined : await lockFile(options.persist);
    const { simulation, persistence } = await load(options, resolved, wall, addresses);
    simulation.origin = server.origin;
    const backends = await Backends.open(options, simulation);
    server.serve(protocolPort(simulation, server, backends).listener);
    controlServer.serve(new ControlApi(simulation).listener);
    return { simulation, server, controlServer, persistence, unlock, backends };
  } catch (error) {
    await Promise.all([...servers.map((each) => each.close()), unlock?.()]);
    throw error;
  }
}

/** The simulation with its content: the kept state, else the given one, else a small demo. */
async function load(options: EmulatorOptions, resolved: ResolvedOptions, wall: Wall, addresses: Addresses) {
  const { persist, state } = options;
  const kept = persist === undefined ? undefined : await Persistence.read(persist);
  const given = kept ?? (stateAsJson(typeof state === "function" ? await state() : state) as EmulatorState | undefined);
  const simulation = new Simulation(resolved, wall, addresses, sourcesOf(options), given);
  if (options.onRequest) simulation.journal.listen(options.onRequest);
  if (persist === undefined) return { simulation };
  const persistence = new Persistence(persist, () => simulation.contents.export(), wall);
  await persistence.whole();
  simulation.onChange(persistence.changed);
  simulation.durable = () => persistence.durable();
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

/** Closes the protocol port for a time. */
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
