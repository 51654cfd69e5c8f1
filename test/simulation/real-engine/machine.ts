import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { LocalMembers } from "../../../provider/emulator/control/operations";
import { EmulatorMembers } from "../../../provider/emulator/control/operations";
import { HttpServer } from "../../../provider/emulator/http/http-server";
import type { JournalEntry } from "../../../provider/emulator/journal/entry";
import { NodeApi } from "../../../provider/emulator/node/node-api";
import { resolveOptions } from "../../../provider/emulator/options";
import { ProtocolPort } from "../../../provider/emulator/serving/protocol-port";
import { SignalingApi } from "../../../provider/emulator/signaling/signaling-api";
import { Simulation } from "../../../provider/emulator/simulation";
import type { EmulatorState } from "../../../provider/emulator/state/state";
import { systemWall } from "../../../provider/emulator/time/clock";
import type { Entries } from "../scenario";

/** Notices the requests of a stack at a machine. */
export interface Watch {
  /** Before a request is carried out. @returns its number in the run of the stack; `undefined`: it never is carried out */
  sending(stack: number): Promise<number | undefined>;
  /** Once the answer exists, before a byte of it is sent. */
  answered(stack: number, request: number): Promise<void>;
}

/** A real emulator at addresses on loopback, one for each name and stack: so a request shows who sent it. */
export class RealMachine implements AsyncDisposable {
  readonly emulator: LocalMembers;
  /** Set while the machine answers nothing. */
  isSilent = false;
  private readonly servers: HttpServer[] = [];

  private constructor(
    readonly name: string,
    private readonly simulation: Simulation,
    private readonly watch: Watch,
  ) {
    this.emulator = new EmulatorMembers(simulation);
  }

  static async start(
    name: string,
    state: EmulatorState,
    watch: Watch,
    options: { readonly seed: number; readonly dialect?: Readonly<Record<string, unknown>> | undefined },
  ): Promise<RealMachine> {
    const { seed, dialect } = options;
    const resolved = resolveOptions({ seed, ...(dialect && { dialect: dialect as object }) });
    const addresses = { endpoint: "", signalingUrl: "", testSignalingUrl: "", control: "" };
    const simulation = new Simulation(resolved, systemWall, addresses, {}, state);
    return new RealMachine(name, simulation, watch);
  }

  /** Opens one more address for a stack; `undefined`: for those who are none. @returns `http://127.0.0.1:…` */
  async open(stack: number | undefined): Promise<string> {
    const server = await HttpServer.listen({ host: "127.0.0.1", port: 0 });
    this.servers.push(server);
    server.serve(this.listener(stack));
    return server.origin;
  }

  /** All requests so far, oldest first. */
  get journal(): readonly JournalEntry[] {
    return this.simulation.journal.entries;
  }

  /** The applied content of a set. */
  held(url: string): Entries {
    return this.emulator.prefixSet(url).applied;
  }

  /** Urls of the sets that exist. */
  get sets(): readonly string[] {
    return [...this.simulation.contents.holdings.sets()].map(([url]) => url);
  }

  /** Lets time pass at the machine. */
  pass(ms: number): void {
    this.simulation.clock.advance(ms);
  }

  /** Drops what is staged and refuses connections for some milliseconds, as a restart does. */
  async restart(content: "empty" | "older" | "same", ms: number): Promise<void> {
    this.simulation.discardStaged();
    for (const url of this.sets) {
      if (content === "empty") this.emulator.change(url, { delete: Object.keys(this.held(url)) });
      if (content === "older") this.older(url);
    }
    await this.refuse(ms);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.simulation.clock.clear();
    this.simulation.contents.packetPath.end();
    this.simulation.waits.end();
    await Promise.all(this.servers.map((server) => server.close()));
  }

  /** Puts back what a set held before its last commit. */
  private older(url: string): void {
    const { commit } = this.journal.findLast((entry) => entry.url === url && entry.commit !== undefined) ?? {};
    if (!commit) return;
    const before = Object.entries(commit.changed).map(([prefix, { from }]) => [prefix, from]);
    this.emulator.change(url, {
      insert: { ...commit.removed, ...Object.fromEntries(before) },
      delete: Object.keys(commit.inserted),
    });
  }

  private async refuse(ms: number): Promise<void> {
    await Promise.all(this.servers.map((server) => server.suspend()));
    await this.simulation.waits.for(ms);
    if (!this.simulation.waits.ended) await Promise.all(this.servers.map((server) => server.resume()));
  }

  private listener(stack: number | undefined): RequestListener {
    const { listener } = new ProtocolPort(this.simulation, {
      apis: {
        node: new NodeApi(this.simulation),
        signaling: new SignalingApi(this.simulation, "signaling"),
        test: new SignalingApi(this.simulation, "testSignaling"),
      },
      outage: (ms) => void this.refuse(ms),
    });
    return (request, response) => {
      if (stack === undefined) return listener(request, response);
      request.headers["packetfilter-run"] = `stack-${stack}`;
      void this.serve(stack, request, response, listener);
    };
  }

  private async serve(stack: number, request: IncomingMessage, response: ServerResponse, listener: RequestListener) {
    const number = await this.watch.sending(stack);
    if (number === undefined) return void response.destroy();
    if (this.isSilent) return;
    beforeAnswer(response, () => this.watch.answered(stack, number));
    listener(request, response);
  }
}

/** Does work once an answer begins or its connection breaks; bytes of the answer wait for it. */
function beforeAnswer(response: ServerResponse, work: () => Promise<void>): void {
  const { socket } = response;
  if (!socket) return;
  const write = socket.write;
  const waiting: Parameters<typeof write>[] = [];
  let begun = false;
  const begin = () => {
    if (begun) return;
    begun = true;
    socket.off("close", begin);
    void work().finally(() => {
      socket.write = write;
      for (const part of waiting) socket.write(...part);
    });
  };
  socket.write = ((...part: Parameters<typeof write>) => {
    waiting.push(part);
    begin();
    return true;
  }) as typeof write;
  socket.once("close", begin);
}
