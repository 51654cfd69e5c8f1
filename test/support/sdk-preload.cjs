// @ts-check
const { existsSync } = require("node:fs");
const Module = require("node:module");
const { setFlagsFromString } = require("node:v8");

/*
 * Loaded before the Pulumi SDK in the processes that tests start. They run the same code as a user's, but the SDK loads into each of them two
 * large libraries that nothing here uses; a command took 2.9 s of a core with them and takes 2.0 s without. The README's commands
 * (test/e2e/readme.test.ts) and the benchmarks run without this file.
 */

const sdk = Module.createRequire(require.resolve("@pulumi/pulumi"));

/**
 * Makes a module load when something of it is asked for, instead of with the SDK.
 *
 * @param {string} name
 */
function onDemand(name) {
  const file = resolved(name);
  if (file === undefined) return;
  /** @type {NodeJS.Module & { exports: Record<PropertyKey, unknown> }} */
  const standIn = new Module(file);
  /** @type {Record<PropertyKey, unknown> | undefined} */
  let real;
  const load = () => {
    delete require.cache[file];
    return sdk(file);
  };
  standIn.loaded = true;
  standIn.exports = new Proxy(
    {},
    {
      get(_, key) {
        // What the SDK's compiler asks of every import.
        if (key === "__esModule") return true;
        real ??= load();
        return real?.[key];
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

// Both serve only providers whose functions are serialized, which a provider of constant text never is (docs/decisions/provider-text.md).
onDemand("@npmcli/arborist");
onDemand("typescript");

// The SDK sets this half-way through its start. Compiled code is kept by flags, so what one process kept the next would refuse.
setFlagsFromString("--allow-natives-syntax");

// As `runtime.options.typescript: false`, which the language host that tools/pulumi-cli builds does not hand on.
if (process.env.PULUMI_NODEJS_TYPESCRIPT && !existsSync("index.ts")) process.env.PULUMI_NODEJS_TYPESCRIPT = "false";
