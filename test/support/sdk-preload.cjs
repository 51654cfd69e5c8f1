// @ts-check
const { existsSync } = require("node:fs");
const Module = require("node:module");
const { setFlagsFromString } = require("node:v8");

/*
 * Loaded before the Pulumi SDK in the processes that tests start. They run the same code as a user's, but the SDK loads into each of them what
 * nothing here uses; a command took 3.0 s of a core with all of it and takes 2.1 s without. The README's commands (test/e2e/readme.test.ts) and
 * the benchmarks run without this file.
 */

const sdk = Module.createRequire(require.resolve("@pulumi/pulumi"));

/**
 * Makes a module load when something of it is used, instead of with the SDK: when a member is read, or, for members that are functions taken out
 * at once, when one is called. What is given is there without it.
 *
 * @param {string} name
 * @param {{ functions?: boolean, given?: Record<string, unknown> }} [members]
 */
function onDemand(name, { functions = false, given = {} } = {}) {
  const file = resolved(name);
  if (file === undefined) return;
  /** @type {NodeJS.Module & { exports: Record<PropertyKey, unknown> }} */
  const standIn = new Module(file);
  /** @type {Record<PropertyKey, any> | undefined} */
  let real;
  const member = (/** @type {PropertyKey} */ key) => {
    if (real === undefined) {
      delete require.cache[file];
      real = sdk(file);
    }
    return real?.[key];
  };
  standIn.loaded = true;
  standIn.exports = new Proxy(
    {},
    {
      get(_, key) {
        // What the SDK's compiler asks of every import.
        if (key === "__esModule") return true;
        if (typeof key === "string" && key in given) return given[key];
        if (!functions || typeof key !== "string") return member(key);
        return new Proxy(class {}, {
          apply: (_target, self, args) => Reflect.apply(member(key), self, args),
          construct: (_target, args) => Reflect.construct(member(key), args),
        });
      },
    },
  );
  require.cache[file] = standIn;
}

/**
 * Where the SDK finds the module; a version that has it no more needs nothing done.
 *
 * @param {string} name
 */
function resolved(name) {
  try {
    return sdk.resolve(name);
  } catch {
    return undefined;
  }
}

// A command line such as `node -p` loads no SDK.
if (process.argv[1] !== undefined) prepare();

function prepare() {
  // These serve only providers whose functions are serialized, which a provider of constant text never is (docs/contributing/decisions/provider-text.md).
  onDemand("@pulumi/pulumi/runtime/closure/serializeClosure", { functions: true });
  onDemand("@pulumi/pulumi/runtime/closure/codePaths", { functions: true });
  onDemand("typescript");
  // So does a debugger of the process by itself, under which every file is compiled in a slower way.
  onDemand("@pulumi/pulumi/runtime/closure/v8Hooks", { given: { isInitializedAsync: async () => {} } });

  // Every resource takes a stack, and each would have the positions of the SDK's own files looked up in their source maps.
  onDemand("source-map-support", { given: { install: () => {} } });

  // For programs that drive the CLI.
  onDemand("@pulumi/pulumi/automation");

  // What `--tracing` needs.
  const tracing = ["exporter-zipkin", "instrumentation", "instrumentation-grpc", "resources", "sdk-trace-base"];
  for (const name of [...tracing, "sdk-trace-node"]) onDemand(`@opentelemetry/${name}`, { functions: true });

  // What only packages of several versions, Python programs' manifests and other languages than English need.
  for (const name of ["semver", "js-yaml", "zod/v4/locales"]) onDemand(name);

  // The SDK sets this half-way through its start. Compiled code is kept by flags, so what one process kept the next would refuse.
  setFlagsFromString("--allow-natives-syntax");

  // As `runtime.options.typescript: false`, which the language host that tools/pulumi-cli builds does not hand on.
  if (process.env.PULUMI_NODEJS_TYPESCRIPT && !existsSync("index.ts")) process.env.PULUMI_NODEJS_TYPESCRIPT = "false";
}
