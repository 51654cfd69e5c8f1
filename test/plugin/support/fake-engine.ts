import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { credentials, Server, ServerCredentials, type ServiceError } from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb";
import { PluginAttach } from "@pulumi/pulumi/proto/plugin_pb";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { ListRequest, type ListResponse } from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import { SDK_ENVIRONMENT } from "../../support/sdk-process";

const LAUNCHER = join(process.cwd(), "plugin", "pulumi-resource-packetfilter");

/** Properties as a message has them. */
export const struct = (props: object): Struct => Struct.fromJavaScript(props as Record<string, JavaScriptValue>);

/** A diagnostic: the resource's name, and what was said of it. */
export interface Logged {
  readonly about: string;
  readonly severity: number;
  readonly message: string;
}

/** The engine's part of the protocol: starts the plugin as a process, calls it, and keeps what it says. */
export class FakeEngine implements AsyncDisposable {
  readonly logged: Logged[] = [];

  private constructor(
    private readonly server: Server,
    private plugin: ChildProcess | undefined,
    private client: ResourceProviderClient | undefined,
  ) {}

  /** @param flags What an engine that was given some of its own says before its address. */
  static async start(env: Readonly<Record<string, string>> = {}, flags: readonly string[] = []): Promise<FakeEngine> {
    const { engine, address } = await FakeEngine.serve();
    const { PATH = "", HOME = "" } = process.env;
    const plugin = spawn(LAUNCHER, [...flags, address], {
      env: { PATH, HOME, ...SDK_ENVIRONMENT, ...env },
      stdio: ["pipe", "pipe", "inherit"],
    });
    engine.plugin = plugin;
    const [line] = await once(createInterface({ input: plugin.stdout }), "line");
    engine.client = new ResourceProviderClient(`127.0.0.1:${line}`, credentials.createInsecure());
    return engine;
  }

  /** An engine that finds the plugin of this one running, as with PULUMI_DEBUG_PROVIDERS. It ends neither plugin nor connection. */
  async attaching(): Promise<FakeEngine> {
    const { engine, address } = await FakeEngine.serve();
    engine.client = this.client;
    const found = new PluginAttach();
    found.setAddress(address);
    await engine.call("attach", found);
    return engine;
  }

  private static async serve(): Promise<{ engine: FakeEngine; address: string }> {
    const server = new Server();
    const engine = new FakeEngine(server, undefined, undefined);
    server.addService(EngineService as never, {
      log: ({ request }: { request: LogRequest }, answer: (error: null, empty: Empty) => void) => {
        const about = request.getUrn().split("::").at(-1) ?? "";
        engine.logged.push({ about, severity: request.getSeverity(), message: request.getMessage() });
        answer(null, new Empty());
      },
    });
    const port = await new Promise<number>((done, fail) =>
      server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, found) =>
        error ? fail(error) : done(found),
      ),
    );
    return { engine, address: `127.0.0.1:${port}` };
  }

  /** Calls a method. @throws {ServiceError} what the plugin answers as a failure */
  call<Answer>(method: keyof ResourceProviderClient, request: unknown): Promise<Answer> {
    const call = (this.client as unknown as Record<string, (...args: unknown[]) => void>)[method as string];
    return new Promise((done, fail) =>
      call?.call(this.client, request, (error: ServiceError | null, answer: Answer) =>
        error ? fail(error) : done(answer),
      ),
    );
  }

  /** Resources of a type that could be imported: ids, in the order in which they come. @throws {ServiceError} */
  async listed(token: string, query: object, limit = 0): Promise<string[]> {
    const request = new ListRequest();
    request.setToken(token);
    request.setQuery(struct(query));
    request.setLimit(limit);
    const ids: string[] = [];
    for await (const answer of this.client?.list(request) ?? [])
      ids.push((answer as ListResponse).getResult()?.getId() ?? "unknown");
    return ids;
  }

  /** Settles with how the plugin ended. */
  async ended(): Promise<number | null> {
    const { plugin } = this;
    if (!plugin) return null;
    if (plugin.exitCode === null && plugin.signalCode === null) await once(plugin, "exit");
    return plugin.exitCode;
  }

  /** Stops the plugin, as an engine does that is done or was interrupted itself. */
  interrupt(): void {
    this.plugin?.kill("SIGINT");
  }

  /** Kills the plugin, which then has no time for anything. */
  kill(): void {
    this.plugin?.kill("SIGKILL");
  }

  /** Ends the pipe that the engine holds as the plugin's standard input, as an engine that is killed does. */
  die(): void {
    this.plugin?.stdin?.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.plugin) this.client?.close();
    this.die();
    await this.ended();
    this.server.forceShutdown();
  }
}
