import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { SDK_ENVIRONMENT } from "../../support/sdk-process";

/** Description of a pack, as the engine reads it. */
export interface AnalyzerInfo {
  readonly name: string;
  readonly supportsconfig: boolean;
  readonly policiesList: readonly {
    readonly name: string;
    readonly configschema?: { readonly properties?: unknown };
  }[];
}

/**
 * Starts a pack folder as the official Node language host does: the SDK's own runner, found from the folder and run in
 * it, with the address of an engine and the folder as arguments.
 */
export async function analyzerOf(folder: string): Promise<AsyncDisposable & { info(): Promise<AnalyzerInfo> }> {
  const load = createRequire(join(folder, "package.json"));
  const child = spawn(process.execPath, [load.resolve("@pulumi/pulumi/cmd/run-policy-pack"), "127.0.0.1:1", folder], {
    cwd: folder,
    env: { ...process.env, ...SDK_ENVIRONMENT },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout.once("data", (chunk) => resolve(String(chunk).trim()));
    child.once("exit", (code) => reject(new Error(`The pack ended with ${code}: ${stderr}`)));
  });
  const own = createRequire(__filename);
  const grpc = own("@grpc/grpc-js");
  const { AnalyzerClient } = own("@pulumi/pulumi/proto/analyzer_grpc_pb");
  const { Empty } = own("google-protobuf/google/protobuf/empty_pb");
  const client = new AnalyzerClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
  return {
    info: () =>
      new Promise((resolve, reject) => {
        client.getAnalyzerInfo(new Empty(), (error: Error | null, answer?: { toObject(): AnalyzerInfo }) =>
          answer ? resolve(answer.toObject()) : reject(error),
        );
      }),
    async [Symbol.asyncDispose]() {
      client.close();
      child.removeAllListeners("exit");
      child.kill();
    },
  };
}
