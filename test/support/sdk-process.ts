import { join, resolve } from "node:path";

/**
 * Environment in which a process that loads the Pulumi SDK starts sooner and does the same: sdk-preload.cjs keeps out what is never used, and what
 * all these processes load is compiled once.
 */
export const SDK_ENVIRONMENT = {
  NODE_COMPILE_CACHE: resolve(__dirname, "../../node_modules/.cache/node-compile"),
  NODE_OPTIONS: `--require ${JSON.stringify(join(__dirname, "sdk-preload.cjs"))}`,
};
