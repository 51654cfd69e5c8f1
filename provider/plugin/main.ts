/**
 * The process that the engine starts as `pulumi-resource-packetfilter`: serves the protocol on a loopback port, which it prints.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ServerCredentials } from "@grpc/grpc-js";
import { addressIn, nextDeployment, providerProcess } from "../deployment/provider-process";
import { TimeLimits } from "../deployment/time-limit";
import { packageRoot, packageVersion } from "../files/package-version";
import { get } from "../provider";
import { configProblems } from "./config";
import { EngineLog } from "./engine-log";
import { listed } from "./listing";
import { pluginServer } from "./server";

const log = new EngineLog();
const address = addressIn(process.argv);
if (address !== undefined) log.connect(address);
const limits = new TimeLimits();
const start = { print: log.print, limits };
providerProcess({ address, ...start });
const server = pluginServer({
  version: packageVersion(),
  schema: () => readFileSync(join(packageRoot, "schemas", "provider.schema.json"), "utf8"),
  get,
  configProblems,
  // Loaded where a program calls a function, since most do not.
  invoke: async (token, args) => (await import("./invoke.js")).invoke(providerProcess(), token, args),
  list: (token, query) => listed(providerProcess(), token, query),
  log,
  limits,
  attach: (address) => {
    log.connect(address);
    nextDeployment({ address, ...start });
  },
  cancel: () => providerProcess().cancel(),
});
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  process.stdout.write(`${port}\n`);
});
