import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { connectEmulator, type Emulator, type EmulatorState, startEmulator } from "../../provider/emulator";
import { type Figure, median } from "./figure";

const SET = "prefixset://edge/blocked";
const CLI = join(__dirname, "../../provider/cli.js");

/** Marks by source whose ids, counters and lifetimes are as long as real ones, in a profile that a packet can change. */
function stateWith(marks: number): EmulatorState {
  const shost = Array.from({ length: marks }, (_, at) => ({
    address: `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`,
    id: 70_001,
    value: 1 + (at % 4_000),
    lifetime: 60 + (at % 3_500),
  }));
  const rules = [{ id: 70_001, actions: [{ hmark: { max: 1 } }] }];
  return {
    arenas: {
      edge: { sets: { blocked: {} }, profiles: { web: { prefixes: ["198.51.100.0/24"], rules, marks: { shost } } } },
    },
  };
}

/** From the request to the last byte, over one kept connection. */
function caller(emulator: Emulator): { call: (command: object) => Promise<number>; end: () => void } {
  const agent = new Agent({ keepAlive: true });
  const call = async (command: object) => {
    const body = JSON.stringify(command);
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "user-arena": "edge",
    };
    const sent = request(`${emulator.endpoint}/fapi`, { method: "POST", agent, headers });
    sent.end(body);
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    let bytes = 0;
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    await once(response, "end");
    return bytes;
  };
  return { call, end: () => agent.destroy() };
}

async function lists(
  marks: number,
  runs: number,
): Promise<{ changed: number; unchanged: number; bytes: number; blocked: number }> {
  await using emulator = await startEmulator({ state: stateWith(marks) });
  emulator.clock.freeze();
  const { call, end } = caller(emulator);
  const list = { url: "mark://edge/web", cmd: "list", type: "shost" };
  const packet = { from: "10.0.0.0", to: "198.51.100.7", proto: "tcp" } as const;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const bytes = await call(list);
  delay.enable();
  const changed = await median(
    async () => {
      emulator.receive([packet]);
      await call(list);
    },
    { runs, warmUp: 3 },
  );
  delay.disable();
  const unchanged = await median(() => call(list), { runs, warmUp: 3 });
  end();
  return { changed, unchanged, bytes, blocked: delay.max / 1e6 };
}

/** Time of each way to read everything in a test, as a multiple of a list over HTTP that is parsed as JSON. */
async function ofList(marks: number): Promise<[name: string, times: number][]> {
  // The list is encoded anew each time, as it is after a change.
  await using emulator = await startEmulator({ state: stateWith(marks) });
  const client = await connectEmulator(emulator.control);
  const body = JSON.stringify({ url: "mark://edge/web", cmd: "list", type: "shost" });
  const headers = { "content-type": "application/json", "user-arena": "edge" };
  const ways = {
    list: async () => (await fetch(`${emulator.endpoint}/fapi`, { method: "POST", headers, body })).json(),
    "marks() of the object": () => emulator.marks("profile://edge/web", "shost"),
    "marks() of the client": () => client.marks("profile://edge/web", "shost"),
    "state() of the object": () => emulator.state(),
    "state() of the client": () => client.state(),
  };
  const times: [string, number][] = [];
  for (const [name, work] of Object.entries(ways)) times.push([name, await median(work, { runs: 5, warmUp: 1 })]);
  const [[, list] = ["", Number.NaN], ...others] = times;
  return others.map(([name, ms]) => [name, ms / list]);
}

const ISOLATED = 100;

/** Milliseconds that a hundred isolated emulators with small states take to start in a shared one, and the memory that they keep. */
async function isolated() {
  await using shared = await startEmulator();
  const start = async (label: string) => {
    const body = JSON.stringify({ label, state: stateWith(0) });
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${shared.control}/emulators`, { method: "POST", headers, body });
    if (!answer.ok) throw new Error(await answer.text());
    await answer.arrayBuffer();
  };
  const used = () => {
    global.gc?.();
    const { heapUsed, external, rss } = process.memoryUsage();
    return { held: (heapUsed + external) / 1e6, resident: rss / 1e6 };
  };
  // The first brings code and connections that others share.
  await start("first");
  const before = used();
  const begun = performance.now();
  for (let n = 0; n < ISOLATED; n++) await start(`file-${n}`);
  const ms = performance.now() - begun;
  const after = used();
  return { ms, held: after.held - before.held, resident: after.resident - before.resident };
}

/** Runs a program until its first output: the ready line of the command. */
async function started(args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  child.kill("SIGTERM");
  await once(child, "exit");
}

/** Figures of the emulator as a whole, over HTTP. */
export async function emulatorFigures(): Promise<Figure[]> {
  const figures: Figure[] = [];
  const add = (name: string, value: number, unit: string, reference: string) => {
    figures.push({ name, value, unit, reference });
  };
  const hundred = await lists(100_000, 11);
  add("list of 100 000 marks: body", hundred.bytes / 1e6, "MB", "contract: about 4.8 MB");
  add("list of 100 000 marks over HTTP, one changed", hundred.changed, "ms", "goal: 60 ms (contract: about 1 100 ms)");
  add("list of 100 000 marks over HTTP, unchanged", hundred.unchanged, "ms", "goal: 15 ms");
  add("longest that the event loop was blocked meanwhile", hundred.blocked, "ms", "goal: 50 ms");
  const million = await lists(1_000_000, 3);
  add("list of 1 000 000 marks over HTTP, one changed", million.changed, "ms", "goal: 1 000 ms");
  add("longest that the event loop was blocked meanwhile", million.blocked, "ms", "goal: 50 ms");

  for (const [name, times] of await ofList(200_000)) {
    add(`${name}, 200 000 marks`, times, "× a list", "goal: 1.5, of a list over HTTP that is read");
  }

  add("startEmulator()", await median(async () => (await startEmulator()).close()), "ms", "goal: 100 ms");
  const command = await median(() => started([CLI, "emulator", "--json"]), { runs: 5, warmUp: 1 });
  const bare = await median(() => started(["-e", "console.log(1)"]), { runs: 5, warmUp: 1 });
  add("the command until its ready line, beyond Node's own start", command - bare, "ms", "goal: 300 ms");

  const { ms, held, resident } = await isolated();
  add("start of 100 isolated emulators", ms, "ms", "");
  add("memory that they hold", held, "MB", `resident: ${resident.toFixed(0)} MB more`);

  await using emulator = await startEmulator({ state: stateWith(0) });
  const { call, end } = caller(emulator);
  const small = await median(
    async () => {
      for (let n = 0; n < 1_000; n++) await call({ url: SET, cmd: "list" });
    },
    { runs: 5, warmUp: 1 },
  );
  add("small requests one after the other", 1_000_000 / small, "per s", "");
  const data = Array.from({ length: 10_000 }, (_, at) => ({ p: `10.0.${at >> 8}.${at & 255}/32`, v: at }));
  add("insert of 10 000 entries in one request", await median(() => call({ url: SET, cmd: "insert", data })), "ms", "");
  const commit = await median(async () => {
    emulator.change(SET, { delete: data.map(({ p }) => p) });
    await call({ url: SET, cmd: "insert", data });
    await call({ url: SET, cmd: "commit" });
  });
  add("clear, insert and commit of 10 000 entries", commit, "ms", "");
  add("list of 10 000 entries, unchanged", await median(() => call({ url: SET, cmd: "list" })), "ms", "");
  end();
  return figures;
}
