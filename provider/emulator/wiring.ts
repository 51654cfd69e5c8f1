import { ControlApi, ROUTES } from "./control";
import { Gate } from "./http/admission";
import { HttpServer } from "./http/http-server";
import { Front } from "./http/protocol-port";
import { type ClientTls, serverTls } from "./http/tls";
import { NodeApi } from "./node/node-api";
import { type EmulatorOptions, resolveOptions } from "./options";
import { SignalingApi } from "./signaling/signaling-api";
import { Core } from "./simulation";
import { Persistence } from "./state/persistence";
import { systemWall } from "./time/clock";

/** The parts of a running emulator. */
export interface Assembly {
  readonly core: Core;
  /** Serves the protocol. */
  readonly server: HttpServer;
  readonly control: ControlApi;
  readonly controlServer: HttpServer;
  readonly tls: ClientTls | undefined;
  readonly persistence: Persistence | undefined;
}

/** How long a port that is gone for a while waits for its next try, when another process has taken it meanwhile. */
const RETRY = 50;

/** Makes the parts of an emulator and lets them serve. @throws what `startEmulator` throws, and then nothing serves. */
export async function assemble(options: EmulatorOptions): Promise<Assembly> {
  const wall = options.wall ?? systemWall;
  const { persist } = options;
  const kept = persist === undefined ? undefined : await Persistence.read(persist);
  const core = new Core(resolveOptions({ ...options, ...(kept && { state: kept }) }), wall);
  const persistence = persist === undefined ? undefined : new Persistence(persist, () => core.export(), wall);
  if (persistence) core.onChange(persistence.changed);
  if (options.onRequest) core.journal.listen(options.onRequest);
  const { host, port, controlPort } = core.options;
  const gate = new Gate(core, () => server.origin);
  const front = new Front(core, {
    apis: {
      node: new NodeApi(core),
      signaling: new SignalingApi(core, (it) => it.signaling),
      test: new SignalingApi(core, (it) => it.testSignaling),
    },
    outage: (ms) => void outage(server, core, ms),
    guard: gate.check,
  });
  const tls = serverTls(core.options, wall.now());
  const server = await HttpServer.listen({ host, port, tls: tls?.server }, front.listener);
  try {
    const control = new ControlApi(core, ROUTES);
    const controlServer = await HttpServer.listen({ host, port: controlPort }, control.listener);
    return { core, server, control, controlServer, tls: tls?.client, persistence };
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** The port is gone for a while. */
async function outage(server: HttpServer, core: Core, ms: number): Promise<void> {
  await server.suspend();
  await core.waits.for(ms);
  while (!core.waits.ended) {
    try {
      return await server.resume();
    } catch {
      await core.waits.for(RETRY);
    }
  }
}
