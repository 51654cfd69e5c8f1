import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Worker } from "node:worker_threads";
import { type Emulator, startEmulator } from "../../provider/emulator";
import type { Figure } from "./figure";

const SET = "prefixset://edge/blocked";
const ENTRIES = 200_000;

/** A client in a thread of its own, so that only the emulator's work shows in the delay of this thread's event loop. */
const CLIENT = `
const { parentPort } = require("node:worker_threads");
const { Agent, request } = require("node:http");
const agent = new Agent({ keepAlive: true });
parentPort.on("message", async ({ url, method, body = "", times }) => {
  const one = () => new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const sent = request(url, { method, agent, headers }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode));
    });
    sent.on("error", reject);
    sent.end(body);
  });
  const start = performance.now();
  const statuses = await Promise.all(Array.from({ length: times }, one));
  parentPort.postMessage({ ms: performance.now() - start, statuses });
});
`;

interface Outcome {
  readonly ms: number;
  readonly statuses: readonly number[];
}

interface Cost {
  readonly ms: number;
  readonly stop: number;
}

class Client {
  private readonly worker = new Worker(CLIENT, { eval: true });
  private readonly delay = monitorEventLoopDelay({ resolution: 1 });

  constructor(private readonly emulator: Emulator) {}

  /** Milliseconds that the command took, and the longest stop of the emulator's event loop meanwhile. */
  send(command: object, times = 1): Promise<Cost> {
    return this.cost({ url: `${this.emulator.endpoint}/fapi`, method: "POST", body: JSON.stringify(command), times });
  }

  /** The same of an operation of the control API that only reads. */
  look(path: string): Promise<Cost> {
    return this.cost({ url: `${this.emulator.control}${path}`, method: "GET", times: 1 });
  }

  private async cost(asked: object): Promise<Cost> {
    this.delay.reset();
    this.delay.enable();
    await beats();
    this.worker.postMessage(asked);
    const [{ ms, statuses }] = (await once(this.worker, "message")) as [Outcome];
    await beats();
    this.delay.disable();
    if (statuses.some((status) => status !== 200)) throw new Error(`answers: ${statuses.join(", ")}`);
    return { ms, stop: this.delay.max / 1e6 };
  }

  end(): Promise<number> {
    return this.worker.terminate();
  }
}

/** The monitor notes a stop between two of its beats: one must lie before it and one behind. */
function beats(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}

/** Growth of the process in MiB while many lists wait on one connection whose other end reads nothing. */
async function unread(emulator: Emulator, lists: number): Promise<number> {
  const body = JSON.stringify({ url: SET, cmd: "list" });
  const one = `POST /fapi HTTP/1.1\r\nhost: node\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const { hostname, port } = new URL(emulator.endpoint);
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.pause();
  socket.write(one.repeat(lists));
  let most = 0;
  for (let at = 0; at < 40; at++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    most = Math.max(most, process.memoryUsage().rss - before);
  }
  socket.destroy();
  return most / 2 ** 20;
}

/** Milliseconds of a small request that comes while a large one is under way. */
async function meanwhile(emulator: Emulator, large: Promise<unknown>): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  let isOver = false;
  let longest = 0;
  void large.then(() => {
    isOver = true;
  });
  while (!isOver) {
    const start = performance.now();
    const headers = { "content-type": "application/json" };
    const sent = request(`${emulator.endpoint}/fapi`, { method: "POST", agent, headers });
    sent.end(JSON.stringify({ url: "prefixset://edge/other", cmd: "list" }));
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    response.resume();
    await once(response, "end");
    longest = Math.max(longest, performance.now() - start);
  }
  agent.destroy();
  return longest;
}

/** Figures of a set of 200 000 entries, over HTTP: how long each command takes, and how long it stops everything else. */
export async function setsFigures(): Promise<Figure[]> {
  const figures: Figure[] = [];
  const add = (name: string, value: number, unit: string, reference = "") => {
    figures.push({ name, value, unit, reference });
  };
  await using emulator = await startEmulator({
    state: { arenas: { edge: { sets: { blocked: {}, other: { "192.0.2.0/24": 1 } } } } },
  });
  const client = new Client(emulator);
  const address = (at: number) => `10.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}/32`;
  // Not in the order of prefixes: a node's callers need not sort.
  const order = Array.from({ length: ENTRIES }, (_, at) => (at * 7_919) % ENTRIES);
  const insert = { url: SET, cmd: "insert", data: order.map((at) => ({ p: address(at), v: 1 + (at % 9) })) };
  const remove = { url: SET, cmd: "delete", data: order.map((at) => ({ a: address(at) })) };
  const both = (name: string, { ms, stop }: Cost) => {
    add(`${name}: request to last byte`, ms, "ms");
    add(`${name}: longest stop of the event loop`, stop, "ms", "goal: 300 ms");
  };
  await client.send({ url: SET, cmd: "list" });
  both("insert of 200 000 entries", await client.send(insert));
  both("their commit", await client.send({ url: SET, cmd: "commit" }));
  both("first list of 200 000 entries", await client.send({ url: SET, cmd: "list" }));
  both("list, unchanged", await client.send({ url: SET, cmd: "list" }));
  await client.send({ url: SET, cmd: "insert", data: [{ p: "203.0.113.9/32", v: 1 }] });
  both("commit of one entry more", await client.send({ url: SET, cmd: "commit" }));
  both("twenty lists at once", await client.send({ url: SET, cmd: "list" }, 20));
  add("200 unread pipelined lists: growth of the process", await unread(emulator, 200), "MiB");
  both("GET /state of the control API, 200 001 entries", await client.look("/state"));
  both("GET /state.yaml", await client.look("/state.yaml"));
  const state = client.look("/state");
  add("a small list while GET /state is answered", await meanwhile(emulator, state), "ms", "goal: 300 ms");
  both("delete of 200 000 entries", await client.send(remove));
  both("their commit", await client.send({ url: SET, cmd: "commit" }));
  const large = client.send(insert);
  add("a small list while 200 000 entries are inserted", await meanwhile(emulator, large), "ms");
  await client.end();
  return figures;
}
