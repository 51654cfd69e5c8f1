import { createSocket } from "node:dgram";
import { createServer } from "node:net";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../provider/emulator";

/** Below the ports that systems give out. */
const BLOCKS = { first: 20_000, end: 32_000, size: 200 };
let block: Promise<number> | undefined;
let taken = 0;

/**
 * A port that no other process of these tests takes while this one runs, even when nothing listens on it for a while. They
 * come from a block in turn, so each is given again after many others.
 */
export async function ownPort(): Promise<number> {
  block ??= claimBlock();
  const first = await block;
  for (let tries = 0; tries < BLOCKS.size; tries++) {
    const port = first + (taken++ % BLOCKS.size);
    if (await isFree(port)) return port;
  }
  throw new Error(`Every port from ${first} to ${first + BLOCKS.size - 1} is in use: end what listens there.`);
}

/** An emulator on such a port: while it is closed or a fault shuts it, no other node is given the port and answers in this one's place. */
export async function startOnOwnPort(options: EmulatorOptions = {}): Promise<Emulator> {
  return startEmulator({ ...options, port: await ownPort() });
}

async function claimBlock(): Promise<number> {
  for (let first = BLOCKS.first; first < BLOCKS.end; first += BLOCKS.size) if (await claims(first)) return first;
  throw new Error(`No block of ports is left from ${BLOCKS.first} to ${BLOCKS.end}: end other runs of these tests.`);
}

/** The claim is a UDP socket on the block's first port: the system lets one process have it, and takes it back when that ends. */
function claims(port: number): Promise<boolean> {
  const socket = createSocket("udp4").unref();
  return new Promise((resolve, reject) => {
    socket.once("error", (error) => {
      socket.close();
      isInUse(error) ? resolve(false) : reject(error);
    });
    socket.bind({ port, address: "127.0.0.1" }, () => resolve(true));
  });
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once("error", (error) => (isInUse(error) ? resolve(false) : reject(error)));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

const isInUse = (error: Error) => "code" in error && error.code === "EADDRINUSE";
