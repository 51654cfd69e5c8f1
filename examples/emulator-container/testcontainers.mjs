// The emulator in a container of its own for each test, with the library testcontainers (any of its versions since 10).
//
//   import { GenericContainer, Wait } from "testcontainers";
//   const { emulator, stop } = await startEmulatorContainer({ GenericContainer, Wait });
//   emulator.endpoint;                                  // what the code under test needs, as it is reached from here
//   await emulator.fail({ cmd: "commit", status: 503 });
//   await stop();

import { randomBytes } from "node:crypto";
import { connectEmulator } from "pulumi-packetfilter/emulator";

const [NODE, CONTROL] = [8080, 8081];

/**
 * Builds the image beside this file (`npm pack pulumi-packetfilter` puts the package there), starts it, and waits until it serves. Ports are taken free on the host, so that any
 * number can run at once.
 *
 * @param {{ GenericContainer: any, Wait: any }} library What `testcontainers` exports.
 * @param {{ state?: object, args?: string[] }} options What the node holds, and further options of `emulator`.
 * @returns The emulator as `connectEmulator` gives it, the token of its control API, and what ends the container.
 */
export async function startEmulatorContainer({ GenericContainer, Wait }, { state, args = [] } = {}) {
  const token = randomBytes(24).toString("base64url");
  const image = await GenericContainer.fromDockerfile(import.meta.dirname).build();
  const files = state === undefined ? [] : [{ content: JSON.stringify(state), target: "/states/state.json" }];
  const container = await image
    .withExposedPorts(NODE, CONTROL)
    .withEnvironment({ PACKETFILTER_EMULATOR_TOKEN: token })
    .withCopyContentToContainer(files)
    .withCommand([...args])
    .withWaitStrategy(Wait.forHttp("/health", CONTROL))
    .start();
  // The emulator knows its ports in the container only; these are the ones outside.
  const at = (port) => `http://${container.getHost()}:${container.getMappedPort(port)}`;
  const emulator = await connectEmulator(at(CONTROL), { endpoint: at(NODE), token });
  return { emulator, token, stop: () => container.stop() };
}
