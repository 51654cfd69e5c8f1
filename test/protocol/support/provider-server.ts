import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { credentials, type Metadata, type ServiceError } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import { SDK_ENVIRONMENT } from "../../support/sdk-process";

const root = resolve(__dirname, "../../..");
const script = createRequire(__filename).resolve("@pulumi/pulumi/cmd/dynamic-provider");

/** Inputs and outputs as they travel. */
export type Properties = Record<string, unknown>;

/** Text in the state of a resource in place of code. */
export const providerText = (type: string) =>
  `exports.handler=()=>require("pulumi-packetfilter/provider").get(${JSON.stringify(type)})`;

/** A call that failed, with all that went over the wire. */
export class CallFailure extends Error {
  constructor(
    readonly error: ServiceError,
    /** Part that the engine keeps of a resource that exists in another form than wanted. */
    readonly partial: { id: string; properties: Properties; reasons: string[] } | undefined,
  ) {
    super(error.details);
  }
}

/** Each server is of another deployment, for which the engine has an address of its own. */
let engines = 0;

type Call<Request, Response> = (
  request: Request,
  callback: (error: ServiceError | null, response: Response) => void,
) => unknown;

/** The dynamic-provider server of Pulumi's Node SDK as the engine starts it: a process of its own, spoken to over gRPC. */
export class ProviderServer implements AsyncDisposable {
  /** Output of the process. */
  stdout = "";
  stderr = "";

  private constructor(
    private readonly process: ChildProcess,
    private readonly client: ResourceProviderClient,
    private readonly home: string,
  ) {}

  /** @param config the stack's configuration, keys without the namespace `packetfilter` */
  static async start(config: Properties = {}, env: Record<string, string> = {}): Promise<ProviderServer> {
    engines += 1;
    // What processes of a deployment tell each other is not the user's, nor that of another run with the same number.
    const home = mkdtempSync(join(tmpdir(), "packetfilter-protocol-"));
    const child = spawn(process.execPath, [script, `127.0.0.1:${engines}`], {
      cwd: root,
      env: { PATH: process.env.PATH, PULUMI_HOME: home, ...SDK_ENVIRONMENT, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [port] = await once(createInterface({ input: child.stdout }), "line");
    const server = new ProviderServer(
      child,
      new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure()),
      home,
    );
    child.stdout.on("data", (chunk) => {
      server.stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      server.stderr += chunk;
    });
    const request = new messages.ConfigureRequest();
    request.setArgs(
      struct(Object.fromEntries(Object.entries(config).map(([key, value]) => [`packetfilter:${key}`, value]))),
    );
    await call(server.client, server.client.configure, request);
    return server;
  }

  async check(news: Properties, olds: Properties = {}) {
    const request = new messages.CheckRequest();
    request.setOlds(struct(olds));
    request.setNews(struct(news));
    const response = await call<messages.CheckRequest, messages.CheckResponse>(this.client, this.client.check, request);
    return {
      inputs: plain(response.getInputs()),
      failures: response.getFailuresList().map((failure) => failure.toObject()),
    };
  }

  async diff(id: string, olds: Properties, news: Properties) {
    const request = new messages.DiffRequest();
    request.setId(id);
    request.setOlds(struct(olds));
    request.setNews(struct(news));
    const response = await call<messages.DiffRequest, messages.DiffResponse>(this.client, this.client.diff, request);
    const changes = (["unknown", "none", "some"] as const)[response.getChanges()];
    return { changes, replaces: response.getReplacesList() };
  }

  async create(inputs: Properties) {
    const request = new messages.CreateRequest();
    request.setProperties(struct(inputs));
    const response = await call<messages.CreateRequest, messages.CreateResponse>(
      this.client,
      this.client.create,
      request,
    );
    return { id: response.getId(), outputs: plain(response.getProperties()) };
  }

  async read(id: string, outputs: Properties) {
    const request = new messages.ReadRequest();
    request.setId(id);
    request.setProperties(struct(outputs));
    const response = await call<messages.ReadRequest, messages.ReadResponse>(this.client, this.client.read, request);
    return { id: response.getId(), outputs: plain(response.getProperties()), inputs: plain(response.getInputs()) };
  }

  async update(id: string, olds: Properties, news: Properties) {
    const request = new messages.UpdateRequest();
    request.setId(id);
    request.setOlds(struct(olds));
    request.setNews(struct(news));
    const response = await call<messages.UpdateRequest, messages.UpdateResponse>(
      this.client,
      this.client.update,
      request,
    );
    return plain(response.getProperties());
  }

  async delete(id: string, outputs: Properties): Promise<void> {
    const request = new messages.DeleteRequest();
    request.setId(id);
    request.setProperties(struct(outputs));
    await call(this.client, this.client.delete, request);
  }

  /** Ends the process at once, as the system does when memory runs out. */
  kill(): void {
    this.process.kill("SIGKILL");
  }

  get isKilled(): boolean {
    return this.process.killed || this.process.signalCode !== null;
  }

  /** Everything that a user could see of this process. */
  get printed(): string {
    return this.stdout + this.stderr;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client.close();
    if (this.process.exitCode === null && this.process.signalCode === null) {
      const ended = once(this.process, "close");
      this.process.kill();
      await ended;
    }
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** Reason of a rejected call; fails for any other call. */
export async function failureOf(promise: Promise<unknown>): Promise<CallFailure> {
  const failure = await promise.then(
    (value) => new Error(`should have failed, and gave ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (failure instanceof CallFailure) return failure;
  throw failure;
}

function call<Request, Response>(
  client: ResourceProviderClient,
  method: Call<Request, Response>,
  request: Request,
): Promise<Response> {
  return new Promise((done, fail) => {
    method.call(client, request, (error, response) => {
      if (error) fail(new CallFailure(error, partialIn(error.metadata)));
      else done(response);
    });
  });
}

function partialIn(metadata: Metadata): CallFailure["partial"] {
  const [bytes] = metadata.get("grpc-status-details-bin");
  if (!(bytes instanceof Buffer)) return undefined;
  const [detail] = Status.deserializeBinary(bytes).getDetailsList();
  if (!detail) return undefined;
  const failed = messages.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8());
  return { id: failed.getId(), properties: plain(failed.getProperties()), reasons: failed.getReasonsList() };
}

function struct(value: Properties): Struct {
  return Struct.fromJavaScript(value as Record<string, JavaScriptValue>);
}

function plain(value: Struct | undefined): Properties {
  return value?.toJavaScript() ?? {};
}
